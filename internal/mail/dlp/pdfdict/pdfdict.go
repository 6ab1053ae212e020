// Package pdfdict parses the dictionaries of PDF files in every spelling that PDF readers
// accept: with escapes in names, comments between words, and values in other objects.
package pdfdict

import (
	"bytes"
	"strconv"
	"strings"
)

// Unknown replaces a filter that cannot be determined.
const Unknown = "?"

// maxName limits the length of a name that is compared.
const maxName = 127

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }

func isDelimiter(c byte) bool { return isSpace(c) || strings.IndexByte("()<>[]{}/%", c) >= 0 }

// stringEnd returns the position after a string in parentheses whose opening one is before
// from; closed is false if the string does not end.
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

// lineEnd returns the position of the end of the line.
func lineEnd(b []byte, from int) int {
	if i := bytes.IndexAny(b[from:], "\r\n"); i >= 0 {
		return from + i
	}
	return len(b)
}

// IsOpen reports whether a text ends within a string or a comment.
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

// readName reads a name, starting after its slash. Escapes of delimiters are kept.
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

// IsEncrypted reports whether a file has an encryption entry.
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

// skipSpace returns the position of the next word.
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

// Values returns the values of a plain dictionary by name. A name that occurs twice with
// different values has the value /?.
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

// valueEnd returns the position after a value: a name, or everything up to the next name or
// the end of the dictionary.
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

// maxFilters limits the number of filters of a stream.
const maxFilters = 16

// Filters returns the filters that a value names. lookup returns the value of another
// object, "" if it is not known.
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

// Params returns the parameters of each filter: of a dictionary, or of a list of
// dictionaries and nulls. lookup is as in Filters. Unknown parameters have the predictor ?.
func Params(value string, lookup func(object int) string) []map[string]string {
	return params(nil, value, lookup, 0)
}

func params(out []map[string]string, value string, lookup func(int) string, depth int) []map[string]string {
	unknown := map[string]string{"Predictor": Unknown}
	b := []byte(value)
	for at := 0; ; {
		for at < len(b) && (isSpace(b[at]) || b[at] == '[' || b[at] == ']') {
			at++
		}
		switch rest := b[at:]; {
		case len(rest) == 0:
			return out
		case len(out) >= maxFilters || depth > 4:
			return append(out, unknown)
		case bytes.HasPrefix(rest, []byte("<<")):
			out = append(out, Values(rest))
			at += dictEnd(rest)
		case bytes.HasPrefix(rest, []byte("null")):
			out = append(out, nil)
			at += len("null")
		default:
			object, size := reference(rest)
			target := ""
			if size > 0 {
				target = lookup(object)
			}
			if target == "" {
				return append(out, unknown)
			}
			out = params(out, target, lookup, depth+1)
			at += size
		}
	}
}

// dictEnd returns the position after a dictionary.
func dictEnd(b []byte) int {
	level := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '(':
			end, _ := stringEnd(b, i+1)
			i = end - 1
		case '<':
			level++
		case '>':
			if level--; level == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// reference parses a reference such as 12 0 R at the beginning of a text. size is 0 if
// there is none.
func reference(b []byte) (object, size int) {
	words, at := [3]string{}, 0
	for i := range words {
		at = skipSpace(b, at)
		from := at
		for at < len(b) && !isDelimiter(b[at]) {
			at++
		}
		words[i] = string(b[from:at])
	}
	object, err := strconv.Atoi(words[0])
	if _, err2 := strconv.Atoi(words[1]); err != nil || err2 != nil || words[2] != "R" {
		return 0, 0
	}
	return object, at
}

// maxReferences limits the number of references in one value.
const maxReferences = 10_000

// References returns the objects that a value refers to, including from its lists and
// dictionaries.
func References(value []byte) (objects []int) {
	for at := 0; at < len(value) && len(objects) < maxReferences; {
		switch c := value[at]; {
		case c == '(':
			at, _ = stringEnd(value, at+1)
		case c >= '0' && c <= '9':
			object, size := reference(value[at:min(len(value), at+64)])
			if size > 0 {
				objects = append(objects, object)
				at += size
				continue
			}
			for at < len(value) && !isDelimiter(value[at]) {
				at++
			}
		default:
			at++
		}
	}
	return objects
}

// ValueEnd returns the position after the value at the beginning of a text.
func ValueEnd(b []byte) int { return valueEnd(b, skipSpace(b, 0)) }

// Numbers returns the objects of a file that are a single whole number, as lengths are.
func Numbers(raw []byte) map[int]int {
	out := map[int]int{}
	for at := 0; ; {
		i := bytes.Index(raw[at:], []byte("endobj"))
		if i < 0 {
			return out
		}
		at += i
		words := bytes.Fields(raw[max(0, at-48):at])
		at += len("endobj")
		n := len(words)
		if n < 4 || string(words[n-2]) != "obj" {
			continue
		}
		value, err := strconv.Atoi(string(words[n-1]))
		object, err2 := strconv.Atoi(string(words[n-4]))
		if err == nil && err2 == nil && value >= 0 {
			out[object] = value
		}
	}
}
