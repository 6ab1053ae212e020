// Package zipcheck finds what a zip file has beside its table of contents.
package zipcheck

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// header begins a member of a zip file.
var header = []byte("PK\x03\x04")

const headerSize = 30

// span is where the content of a member stands.
type span struct{ from, to int64 }

// HasHidden says whether a zip file has a member that its table of contents does not
// have: programs that read from front to back unpack it.
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
	covered := int64(0) // up to here members stand that began before the place
	each(r, size, func(at int64) bool {
		for len(spans) > 0 && spans[0].from <= at {
			covered = max(covered, spans[0].to)
			spans = spans[1:]
		}
		// Within a member it is a zip file in a zip file.
		hidden = at >= covered && !begins[dataOf(r, at)]
		return !hidden
	})
	return hidden
}

// dataOf is where the content behind a header begins.
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
