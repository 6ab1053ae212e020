// Package pdfdict reads the dictionaries of PDF files in every spelling that programs
// for reading them take: with escapes in names, comments between the words, and values
// that stand in other objects.
package pdfdict

import (
	"bytes"
	"strconv"
	"strings"
)

// Unknown stands for a filter that cannot be told.
const Unknown = "?"

// maxName bounds a name that is compared.
const maxName = 127

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }

func isDelimiter(c byte) bool { return isSpace(c) || strings.IndexByte("()<>[]{}/%", c) >= 0 }

// stringEnd is the place behind a string in parentheses whose first one is before from;
// closed is false where it does not end.
func stringEnd(b []byte, from int) (end int, closed bool) {
	level := 1
	for i := from; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '(':
			level++
		case ')':
			if level--; level == 0 {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// lineEnd is the place of the end of the line.
func lineEnd(b []byte, from int) int {
	if i := bytes.IndexAny(b[from:], "\r\n"); i >= 0 {
		return from + i
	}
	return len(b)
}

// IsOpen says whether a text ends within a string or a comment.
func IsOpen(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '(':
			end, closed := stringEnd(b, i+1)
			if !closed {
				return true
			}
			i = end - 1
		case '%':
			if i = lineEnd(b, i); i == len(b) {
				return true
			}
		}
	}
	return false
}

// Plain returns a dictionary without its comments and without escapes in its names.
func Plain(b []byte) []byte {
	if !bytes.ContainsAny(b, "%#") {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch b[i] {
		case '(':
			end, _ := stringEnd(b, i+1)
			out = append(out, b[i:end]...)
			i = end
		case '%':
			out = append(out, '\n')
			i = lineEnd(b, i)
		case '/':
			name, end := readName(b, i+1)
			out = append(append(out, '/'), name...)
			i = end
		default:
			out = append(out, b[i])
			i++
		}
	}
	return out
}

// readName reads a name from behind its slash on. Escapes of what ends a name stay.
func readName(b []byte, from int) (name []byte, end int) {
	i := from
	for i < len(b) && !isDelimiter(b[i]) {
		c := b[i]
		if c == '#' && i+2 < len(b) {
			if v, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil && !isDelimiter(byte(v)) {
				c = byte(v)
				i += 2
			}
		}
		name = append(name, c)
		i++
	}
	return name, i
}

// IsEncrypted says whether a file names a way of encryption.
func IsEncrypted(raw []byte) bool {
	for at := 0; ; {
		i := bytes.IndexByte(raw[at:], '/')
		if i < 0 {
			return false
		}
		at += i + 1
		if at == len(raw) || raw[at] != 'E' && raw[at] != '#' {
			continue
		}
		name, end := readName(raw[:min(len(raw), at+maxName)], at)
		if string(name) != "Encrypt" {
			continue
		}
		if end = skipSpace(raw, end); end < len(raw) && (raw[end] >= '0' && raw[end] <= '9' || raw[end] == '<') {
			return true
		}
	}
}

// skipSpace is the place of the next word.
func skipSpace(b []byte, at int) int {
	for at < len(b) {
		switch {
		case b[at] == '%':
			at = lineEnd(b, at)
		case isSpace(b[at]):
			at++
		default:
			return at
		}
	}
	return at
}

// Values returns the values of a plain dictionary by their names. A name that stands
// there twice with different values has the value /?.
func Values(dict []byte) map[string]string {
	out := map[string]string{}
	i := bytes.Index(dict, []byte("<<"))
	if i < 0 {
		return out
	}
	for at := i + 2; at < len(dict); {
		at = skipSpace(dict, at)
		if at == len(dict) || dict[at] == '>' {
			return out
		}
		if dict[at] != '/' {
			at++
			continue
		}
		name, end := readName(dict, at+1)
		at = skipSpace(dict, end)
		end = valueEnd(dict, at)
		value := strings.TrimSpace(string(dict[at:end]))
		if before, ok := out[string(name)]; ok && before != value {
			value = "/" + Unknown
		}
		out[string(name)] = value
		at = end
	}
	return out
}

// valueEnd is the place behind a value: a name, or all up to the next name or to the end
// of the dictionary.
func valueEnd(b []byte, at int) int {
	if at < len(b) && b[at] == '/' {
		_, end := readName(b, at+1)
		return end
	}
	for level := 0; at < len(b); at++ {
		switch b[at] {
		case '(':
			end, _ := stringEnd(b, at+1)
			at = end - 1
		case '[', '<':
			level++
		case ']':
			level--
		case '>':
			if level--; level < 0 {
				return at
			}
		case '/':
			if level <= 0 {
				return at
			}
		}
	}
	return at
}

// maxFilters bounds the filters of a stream.
const maxFilters = 16

// Filters returns the filters that a value names. lookup gives the value of another
// object, "" for one that is not known.
func Filters(value string, lookup func(object int) string) []string {
	return filters(nil, value, lookup, 0)
}

func filters(out []string, value string, lookup func(int) string, depth int) []string {
	words := strings.Fields(strings.NewReplacer("/", " /", "[", " ", "]", " ").Replace(value))
	for i := 0; i < len(words); i++ {
		if len(out) >= maxFilters || depth > 4 {
			return append(out, Unknown)
		}
		switch w := words[i]; {
		case w[0] == '/':
			out = append(out, w[1:])
		case w == "null":
		case i+2 < len(words) && words[i+2] == "R":
			number, err := strconv.Atoi(w)
			target := ""
			if err == nil {
				target = lookup(number)
			}
			if target == "" {
				return append(out, Unknown)
			}
			out = filters(out, target, lookup, depth+1)
			i += 2
		default:
			return append(out, Unknown)
		}
	}
	return out
}
