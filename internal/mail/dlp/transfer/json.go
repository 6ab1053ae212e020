package transfer

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON decodes characters written as \u and four hex digits. Everything else is unchanged.
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
		j.out = utf8.AppendRune(j.out[:0], r)
	}
	return n, nil
}

// escape reads the numeric character after a backslash, if there is one. A character beyond
// 16 bits is written as two numbers; an unpaired half does not consume the escape after it.
func (j *jsonReader) escape() (rune, bool) {
	text, _ := j.r.Peek(len("uD83D\\uDE00"))
	r, ok := readUnit(text)
	if !ok {
		return 0, false
	}
	size := len("uD83D")
	if len(text) > size && text[size] == '\\' {
		low, _ := readUnit(text[size+1:])
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			r, size = both, len(text)
		}
	}
	_, _ = j.r.Discard(size)
	return r, true
}

// readUnit parses the 16-bit unit at the beginning of text: u and four hex digits.
func readUnit(text []byte) (rune, bool) {
	if len(text) < len("uD83D") || text[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[1:5]), 16, 16)
	return rune(v), err == nil
}
