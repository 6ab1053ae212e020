package dlp

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// rtfText is the text of a rich text file, its hidden groups included.
func rtfText(raw []byte) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '{', '}', '\r', '\n':
		case '\\':
			i = rtfControl(&b, raw, i+1)
		default:
			b.WriteRune(charmap.Windows1254.DecodeByte(c))
		}
	}
	return b.String()
}

// rtfControl reads what follows a backslash and returns where it ends.
func rtfControl(b *strings.Builder, raw []byte, i int) int {
	if i >= len(raw) {
		return i
	}
	if c := raw[i]; c == '\'' {
		if i+2 < len(raw) {
			if v, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				b.WriteRune(charmap.Windows1254.DecodeByte(byte(v)))
				return i + 2
			}
		}
		return i
	} else if !isLetter(c | 0x20) {
		if c == '~' {
			b.WriteByte(' ')
		} else if c == '\\' || c == '{' || c == '}' {
			b.WriteByte(c)
		}
		return i
	}
	start := i
	for i < len(raw) && i-start < 32 && isLetter(raw[i]|0x20) {
		i++
	}
	word := string(raw[start:i])
	start = i
	for i < len(raw) && i-start < 12 && (isDigit(raw[i]) || raw[i] == '-' && i == start) {
		i++
	}
	number := string(raw[start:i])
	switch word {
	case "par", "line", "row", "sect", "page":
		b.WriteByte('\n')
	case "tab", "cell":
		b.WriteByte('\t')
	case "u":
		if v, err := strconv.Atoi(number); err == nil {
			b.WriteRune(rune(uint16(v)))
			if i+3 < len(raw) && raw[i] == '\\' && raw[i+1] == '\'' { // what old readers show instead
				return i + 3
			}
			if i < len(raw) && raw[i] == '?' {
				return i
			}
		}
	}
	if i < len(raw) && raw[i] == ' ' {
		return i
	}
	return i - 1
}
