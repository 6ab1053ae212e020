// Package rtf reads rich text files.
package rtf

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// minObject is the minimum number of bytes of an object.
const minObject = 16

// reader reads a file in one pass.
type reader struct {
	raw  []byte
	at   int
	text strings.Builder
	// depth is the number of open groups. Within the group at depth object, hexadecimal
	// digits are the bytes of an object; within the group at depth picture, those of
	// pixels.
	depth, object, picture int
	bytes                  []byte
	high                   int
	digits                 []byte // of a picture, not yet processed
	objects                [][]byte
	// fallback is the number of characters for old readers that follow a Unicode character.
	fallback int
}

// Read returns the text of a file, including hidden groups, and the objects in it: embedded
// documents, and pictures in their original format.
func Read(raw []byte) (text string, objects [][]byte) {
	r := &reader{raw: raw, high: -1, fallback: 1}
	for r.at < len(raw) {
		c := raw[r.at]
		r.at++
		switch c {
		case '{':
			r.depth++
		case '}':
			r.close()
		case '\r', '\n':
		case '\\':
			r.control()
		default:
			r.add(c)
		}
	}
	r.close()
	return r.text.String(), r.objects
}

// close ends a group.
func (r *reader) close() {
	r.endDigits()
	if r.object > 0 && r.depth <= r.object {
		if len(r.bytes) >= minObject {
			r.objects = append(r.objects, r.bytes)
		}
		r.object, r.bytes, r.high = 0, nil, -1
	}
	if r.picture > 0 && r.depth <= r.picture {
		r.picture = 0
	}
	r.depth--
}

// add adds a character.
func (r *reader) add(c byte) {
	v := strings.IndexByte("0123456789abcdef", c|0x20)
	if c >= '0' && c <= '9' {
		v = int(c - '0')
	}
	switch {
	case r.object > 0 && v >= 0 && r.high < 0:
		r.high = v
	case r.object > 0 && v >= 0:
		r.bytes = append(r.bytes, byte(r.high<<4|v))
		r.high = -1
	case r.picture > 0 && v >= 0:
		r.digits = append(r.digits, c)
	default:
		r.endDigits()
		r.text.WriteRune(charmap.Windows1254.DecodeByte(c))
	}
}

// minPixels is the number of consecutive hexadecimal digits from which they count as
// pixels.
const minPixels = 64

// endDigits writes digits in a picture group that are too few to be pixels.
func (r *reader) endDigits() {
	if len(r.digits) < minPixels {
		r.text.Write(r.digits)
	}
	r.digits = r.digits[:0]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// control reads what follows a backslash.
func (r *reader) control() {
	r.endDigits()
	if r.at >= len(r.raw) {
		return
	}
	c := r.raw[r.at]
	if c == '\'' {
		if v, ok := r.hex(); ok {
			r.text.WriteRune(charmap.Windows1254.DecodeByte(v))
		}
		return
	}
	if !isLetter(c) {
		r.at++
		switch c {
		case '~':
			r.text.WriteByte(' ')
		case '_':
			r.text.WriteByte('-')
		case '\\', '{', '}':
			r.text.WriteByte(c)
		}
		return
	}
	start := r.at
	for r.at < len(r.raw) && r.at-start < 32 && isLetter(r.raw[r.at]) {
		r.at++
	}
	word := string(r.raw[start:r.at])
	start = r.at
	for r.at < len(r.raw) && r.at-start < 12 && (r.raw[r.at] >= '0' && r.raw[r.at] <= '9' || r.raw[r.at] == '-' && r.at == start) {
		r.at++
	}
	number, err := strconv.Atoi(string(r.raw[start:r.at]))
	if r.at < len(r.raw) && r.raw[r.at] == ' ' {
		r.at++
	}
	r.word(word, number, err == nil)
}

// hex reads two hexadecimal digits after an apostrophe.
func (r *reader) hex() (byte, bool) {
	r.at++
	if r.at+2 > len(r.raw) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(r.raw[r.at:r.at+2]), 16, 8)
	if err != nil {
		return 0, false
	}
	r.at += 2
	return byte(v), true
}

// word handles a control word.
func (r *reader) word(word string, number int, has bool) {
	switch word {
	case "par", "line", "row", "sect", "page":
		r.text.WriteByte('\n')
	case "tab", "cell":
		r.text.WriteByte('\t')
	case "objdata":
		r.object, r.bytes, r.high = r.depth, nil, -1
	case "pict", "blipuid":
		r.picture = max(r.depth, 1)
	case "uc":
		r.fallback = min(max(number, 0), 8)
	case "bin":
		if size := min(max(number, 0), len(r.raw)-r.at); has && size >= minObject {
			r.objects = append(r.objects, r.raw[r.at:r.at+size])
			r.at += size
		}
	case "u":
		if has {
			r.text.WriteRune(rune(uint16(number)))
			r.skip()
		}
	}
}

// skip skips what old readers show instead of a Unicode character.
func (r *reader) skip() {
	for range r.fallback {
		if r.at >= len(r.raw) {
			return
		}
		switch c := r.raw[r.at]; {
		case c == '{' || c == '}':
			return
		case c == '\\' && r.at+1 < len(r.raw) && r.raw[r.at+1] == '\'':
			r.at++
			_, _ = r.hex()
		case c == '\\':
			return
		default:
			r.at++
		}
	}
}
