package transfer

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON undoes the escapes \uXXXX of JSON. Everything else stays.
func JSON(r io.Reader) io.Reader { return &jsonReader{r: bufio.NewReaderSize(r, 4096)} }

type jsonReader struct {
	r   *bufio.Reader
	out []byte
}

// Read implements io.Reader.
func (j *jsonReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(j.out) > 0 {
			moved := copy(p[n:], j.out)
			j.out, n = j.out[moved:], n+moved
			continue
		}
		c, err := j.r.ReadByte()
		if err != nil {
			return n, err
		}
		r, ok := rune(0), false
		if c == '\\' {
			r, ok = j.escape()
		}
		if !ok {
			p[n] = c
			n++
			continue
		}
		if low, ok := j.lowHalf(r); ok {
			r = utf16.DecodeRune(r, low)
		}
		j.out = utf8.AppendRune(j.out[:0], r)
	}
	return n, nil
}

// escape reads what follows a backslash where it is a character as a number.
func (j *jsonReader) escape() (rune, bool) {
	text, err := j.r.Peek(5)
	if err != nil || text[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[1:]), 16, 16)
	if err != nil {
		return 0, false
	}
	_, _ = j.r.Discard(len(text))
	return rune(v), true
}

// lowHalf reads the second half of a character beyond 16 bits.
func (j *jsonReader) lowHalf(high rune) (rune, bool) {
	if !utf16.IsSurrogate(high) {
		return 0, false
	}
	if c, err := j.r.Peek(1); err != nil || c[0] != '\\' {
		return 0, false
	}
	_, _ = j.r.Discard(1)
	return j.escape()
}
