package sheets

import (
	"encoding/binary"
	"unicode/utf16"
)

// The records that hold the texts of a workbook: a table, and its continuation.
const (
	recordStrings  = 0xFC
	recordContinue = 0x3C
)

// stringTable reads the table of texts, which is split into pieces.
type stringTable struct{ pieces [][]byte }

// next moves on to the next piece. It returns false at the end.
func (s *stringTable) next() bool {
	if len(s.pieces) > 0 {
		s.pieces = s.pieces[1:]
	}
	return len(s.pieces) > 0
}

// take returns up to n bytes of the current piece.
func (s *stringTable) take(n int) []byte {
	b := s.pieces[0]
	n = min(n, len(b))
	s.pieces[0] = b[n:]
	return b[:n]
}

// number reads a little-endian number. It returns false at the end.
func (s *stringTable) number(size int) (v int, ok bool) {
	for i := range size {
		if !s.skipEmpty() {
			return 0, false
		}
		v |= int(s.take(1)[0]) << (8 * i)
	}
	return v, true
}

// skipEmpty moves past empty pieces. It returns false at the end.
func (s *stringTable) skipEmpty() bool {
	for len(s.pieces) > 0 && len(s.pieces[0]) == 0 {
		s.next()
	}
	return len(s.pieces) > 0
}

// skip skips n bytes.
func (s *stringTable) skip(n int) {
	for n > 0 && s.skipEmpty() {
		n -= len(s.take(n))
	}
}

// characters reads n characters. Each further piece begins with a flag for the character
// width.
func (s *stringTable) characters(n int, wide bool) []uint16 {
	var out []uint16
	for n > 0 {
		if len(s.pieces[0]) == 0 {
			if !s.next() || len(s.pieces[0]) == 0 {
				return out
			}
			wide = s.take(1)[0]&1 != 0
		}
		if !wide {
			b := s.take(n)
			n -= len(b)
			for _, c := range b {
				out = append(out, uint16(c))
			}
			continue
		}
		b := s.take(2 * n)
		n -= (len(b) + 1) / 2
		for ; len(b) >= 2; b = b[2:] {
			out = append(out, binary.LittleEndian.Uint16(b))
		}
	}
	return out
}

// each calls found with the texts of the table, as far as they can be read.
func (s *stringTable) each(found func(string)) {
	s.skip(8) // the counts
	for {
		length, ok1 := s.number(2)
		flags, ok2 := s.number(1)
		if !ok1 || !ok2 {
			return
		}
		behind := 0 // formatting and phonetic data after the text
		if flags&8 != 0 {
			runs, _ := s.number(2)
			behind += 4 * runs
		}
		if flags&4 != 0 {
			size, _ := s.number(4)
			behind += size
		}
		if length > 0 && len(s.pieces) == 0 {
			return
		}
		found(string(utf16.Decode(s.characters(length, flags&1 != 0))))
		s.skip(behind)
	}
}
