package transfer

import (
	"bufio"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON decodes the characters that JSON writes as \u and four hex digits. Everything else stays.
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

// escape reads what follows a backslash where it is a character as a number. A character
// beyond 16 bits is two numbers; half of one takes nothing else along.
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

// readUnit reads the 16 bits that text begins with: u and four hex digits.
func readUnit(text []byte) (rune, bool) {
	if len(text) < len("uD83D") || text[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[1:5]), 16, 16)
	return rune(v), err == nil
}
