// Package words decodes the words and parameters of mail headers in other charsets (RFC
// 2047 and RFC 2231). It is as lenient as mail programs, and reports if something could not
// be decoded.
package words

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Lookup returns the encoding of a charset and its canonical name; nil if it is not known.
func Lookup(label string) (encoding.Encoding, string) {
	label = strings.ToLower(strings.Trim(label, `"' `))
	if label == "hz-gb-2312" {
		return simplifiedchinese.HZGB2312, label
	}
	e, name := charset.Lookup(label)
	if name == "replacement" { // browsers refuse these charsets instead of reading them
		return nil, ""
	}
	return e, name
}

// encoded matches an encoded word, =?charset*language?encoding?text?=.
var encoded = regexp.MustCompile(`=\?([\w!#$%&'+.:{}~^-]+)(?:\*[\w-]*)?\?([\w-]+)\?(.*?)\?=`)

// Decode returns a field with its encoded words decoded. whole is false if one of them
// could not be decoded: its bytes are then in the text unchanged.
func Decode(s string) (text string, whole bool) {
	var out strings.Builder
	whole = true
	var label string // charset of the gathered words
	var gathered []byte
	flush := func() {
		if label != "" {
			t, ok := toText(label, gathered)
			out.WriteString(t)
			whole = whole && ok
		}
		label, gathered = "", nil
	}
	at := 0
	for _, m := range encoded.FindAllStringSubmatchIndex(s, -1) {
		between := s[at:m[0]]
		if label == "" || strings.TrimSpace(between) != "" {
			flush()
			out.WriteString(between)
		}
		at = m[1]
		// Characters may be split between two words of the same charset.
		if name := strings.ToLower(s[m[2]:m[3]]); name != label {
			flush()
			label = name
		}
		data, ok := undo(s[m[4]:m[5]], s[m[6]:m[7]])
		gathered = append(gathered, data...)
		whole = whole && ok
	}
	flush()
	out.WriteString(s[at:])
	return strings.ToValidUTF8(out.String(), " "), whole
}

// undo decodes the transfer encoding of a word.
func undo(name, text string) (data []byte, ok bool) {
	switch strings.ToLower(name) {
	case "b":
		return undoBase64(text)
	case "q":
		return undoPercent(strings.ReplaceAll(text, "_", " "), '='), true
	}
	return []byte(text), false
}

// undoBase64 decodes base64 with or without padding, and skips anything else.
func undoBase64(text string) (out []byte, ok bool) {
	var bits uint32
	var have uint
	ok = true
	end := func() {
		ok = ok && have < 6
		bits, have = 0, 0
	}
	for _, c := range []byte(text) {
		v := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c)
		switch {
		case c == '=':
			end()
		case v >= 0:
			bits, have = bits<<6|uint32(v), have+6
			if have >= 8 {
				have -= 8
				out = append(out, byte(bits>>have))
			}
		}
	}
	end()
	return out, ok
}

// undoPercent decodes escapes such as %41, with mark in place of the percent sign.
func undoPercent(text string, mark byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == mark && i+2 < len(text) && hexDigit(text[i+1]) >= 0 && hexDigit(text[i+2]) >= 0 {
			out = append(out, byte(hexDigit(text[i+1])<<4|hexDigit(text[i+2])))
			i += 2
			continue
		}
		out = append(out, text[i])
	}
	return out
}

func hexDigit(c byte) int {
	if c >= 'A' && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}

// toText converts bytes of a charset to text. Bytes of an unknown charset are read as UTF-8
// or Windows-1254.
func toText(label string, data []byte) (text string, ok bool) {
	e, name := Lookup(label)
	if e == nil || name == "utf-8" || name == "windows-1252" {
		if !utf8.Valid(data) && name != "utf-8" {
			e = charmap.Windows1254
		} else {
			return string(data), name != ""
		}
	}
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return string(data), false
	}
	return string(out), name != ""
}

// extended matches a parameter in another charset or in pieces: name*=, name*0= or
// name*0*=.
var extended = regexp.MustCompile(`(?i);\s*(name|filename)\*(\d{0,4})(\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)`)

// maxPieces limits the number of pieces of a parameter.
const maxPieces = 100

// FileName returns the file name in a Content-Type or Content-Disposition that is written
// with a charset or in pieces (RFC 2231), "" for none. whole is false if it could not be
// decoded completely.
func FileName(value string) (name string, whole bool) {
	if !strings.Contains(value, "*") {
		return "", true
	}
	whole = true
	label, begun := "", false
	var gathered []byte
	found := extended.FindAllStringSubmatch(value, maxPieces+1)
	for _, m := range found {
		text := strings.Trim(m[4], `"`)
		if m[3] == "*" || m[2] == "" {
			if parts := strings.SplitN(text, "'", 3); !begun && len(parts) == 3 {
				label, text = parts[0], parts[2]
			}
			text = string(undoPercent(text, '%'))
		}
		begun = true
		gathered = append(gathered, text...)
	}
	if label == "" {
		label = "utf-8"
	}
	name, ok := toText(label, gathered)
	return strings.ToValidUTF8(name, " "), ok && len(found) <= maxPieces
}
