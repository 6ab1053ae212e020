// Package zipcheck finds members of a zip file that its table of contents does not list.
package zipcheck

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// header is the start of a member of a zip file.
var header = []byte("PK\x03\x04")

const headerSize = 30

// span is the range of a member's content.
type span struct{ from, to int64 }

// HasHidden reports whether a zip file has a member that its table of contents does not
// list: programs that read from front to back unpack it.
func HasHidden(r io.ReaderAt, size int64, files []*zip.File) bool {
	begins := map[int64]bool{}
	var spans []span
	for _, f := range files {
		if from, err := f.DataOffset(); err == nil {
			begins[from] = true
			spans = append(spans, span{from, from + int64(min(f.CompressedSize64, uint64(size)))})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	hidden := false
	covered := int64(0) // end of the members that begin before the current position
	each(r, size, func(at int64) bool {
		for len(spans) > 0 && spans[0].from <= at {
			covered = max(covered, spans[0].to)
			spans = spans[1:]
		}
		// A header within a member belongs to a zip file in the zip file.
		hidden = at >= covered && !begins[dataOf(r, at)]
		return !hidden
	})
	return hidden
}

// dataOf returns the position of the content after a header.
func dataOf(r io.ReaderAt, at int64) int64 {
	head := make([]byte, headerSize)
	if n, _ := r.ReadAt(head, at); n < headerSize {
		return -1
	}
	return at + headerSize + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
}

// each calls found for each header until it returns false.
func each(r io.ReaderAt, size int64, found func(at int64) bool) {
	buf := make([]byte, 64<<10)
	for offset := int64(0); offset < size; {
		n, _ := r.ReadAt(buf[:min(int64(len(buf)), size-offset)], offset)
		for from := 0; ; {
			i := bytes.Index(buf[from:n], header)
			if i < 0 {
				break
			}
			if !found(offset + int64(from+i)) {
				return
			}
			from += i + len(header)
		}
		if n <= len(header) {
			return
		}
		offset += int64(n - len(header) + 1)
	}
}
