// Package zipcheck finds members of a zip file that its table of contents does not list.
package zipcheck

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"iter"
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
	covered := int64(0) // end of the members that begin before the current position
	for at := range Find(io.NewSectionReader(r, 0, size), header) {
		for len(spans) > 0 && spans[0].from <= at {
			covered = max(covered, spans[0].to)
			spans = spans[1:]
		}
		// A header within a member belongs to a zip file in the zip file.
		if at >= covered && !begins[dataOf(r, at)] {
			return true
		}
	}
	return false
}

// dataOf returns the position of the content after a header.
func dataOf(r io.ReaderAt, at int64) int64 {
	head := make([]byte, headerSize)
	if n, _ := r.ReadAt(head, at); n < headerSize {
		return -1
	}
	return at + headerSize + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
}

// Find yields the positions of a mark in content, in one pass. It ends at the first error.
func Find(content io.Reader, mark []byte) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		buf := make([]byte, 64<<10)
		var offset int64 // of the beginning of buf
		kept := 0
		for {
			n, err := content.Read(buf[kept:])
			have := buf[:kept+n]
			from := 0
			for i := bytes.Index(have, mark); i >= 0; i = bytes.Index(have[from:], mark) {
				if !yield(offset + int64(from+i)) {
					return
				}
				from += i + len(mark)
			}
			if err != nil {
				return
			}
			kept = min(len(have)-from, len(mark)-1)
			offset += int64(len(have) - kept)
			copy(buf, have[len(have)-kept:])
		}
	}
}
