// Package header reads the header of a mail (RFC 5322) without changing a byte of
// it.
//
// It accepts what mail programs really write: a field that cannot be parsed is kept and
// has no value. A header has at most MaxSize bytes, and reading it takes linear time.
package header

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/mail"
	"strings"

	"konak/internal/kit/address"
)

// Bounds of a header.
const (
	MaxSize = 256 << 10
	// MaxLines is the maximum number of lines of a field. Mail readers join a field line by
	// line, and some copy everything so far for each line.
	MaxLines = 2000
	// maxText is the maximum number of bytes of a field that are decoded.
	maxText = 8 << 10
	// maxValue is the maximum number of bytes of a field that Values returns.
	maxValue = 64 << 10
)

// ErrTooLong means that a header is longer than MaxSize, or a field longer than MaxLines.
var ErrTooLong = errors.New("header: too long")

// Field is a header field as written in the mail, with its line ends; Name is in lower
// case.
type Field struct{ Name, Raw string }

// Header is the header of a mail.
type Header struct {
	Fields []Field
	// Size is the size of the header, which is where the body begins.
	Size int64
}

// Read reads the header at the beginning of r. It returns ErrTooLong if the header is
// longer than MaxSize or a field longer than MaxLines. A mail that ends within its header
// has no body.
func Read(r io.Reader) (*Header, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+4))
	if err != nil {
		return nil, err
	}
	h, whole := Parse(text)
	if !whole && len(text) > MaxSize {
		return nil, ErrTooLong
	}
	for _, f := range h.Fields {
		if strings.Count(f.Raw, "\n") > MaxLines {
			return nil, ErrTooLong
		}
	}
	return h, nil
}

// Parse parses the header at the beginning of a mail, and reports whether it is complete.
func Parse(text []byte) (h *Header, whole bool) {
	h = &Header{}
	start := -1 // of the present field
	end := func(at int64) {
		if start >= 0 {
			raw := string(text[start:at])
			name, _, _ := strings.Cut(raw, ":")
			h.Fields = append(h.Fields, Field{strings.ToLower(strings.TrimSpace(name)), raw})
		}
		start = -1
	}
	for rest := text; len(rest) > 0; {
		size := bytes.IndexByte(rest, '\n') + 1
		if size == 0 {
			size = len(rest)
		}
		line, at := rest[:size], h.Size
		rest = rest[size:]
		h.Size += int64(size)
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			end(at)
			return h, true
		}
		if line[0] != ' ' && line[0] != '\t' {
			end(at)
			start = int(at)
		}
	}
	end(h.Size)
	return h, false
}

// Count returns the number of fields with a name.
func (h *Header) Count(name string) (n int) {
	for _, f := range h.Fields {
		if f.Name == name {
			n++
		}
	}
	return n
}

// Value returns the first field with a name in one line, without control characters, or ""
// if there is none.
func (h *Header) Value(name string) string {
	for _, f := range h.Fields {
		if f.Name == name {
			_, value, _ := strings.Cut(f.Raw, ":")
			return clean(value)
		}
	}
	return ""
}

// Values returns all fields with a name in the form of Value; long ones are cut.
func (h *Header) Values(name string) (out []string) {
	for _, f := range h.Fields {
		if f.Name == name {
			_, value, _ := strings.Cut(f.Raw, ":")
			out = append(out, clean(value[:min(len(value), maxValue)]))
		}
	}
	return out
}

// Text returns the first field with a name with its encoded words decoded; a long one is
// cut.
func (h *Header) Text(name string) string {
	return Decode(h.Value(name))
}

// Decode decodes the encoded words in a value; a long value is cut.
func Decode(value string) string {
	if len(value) > maxText {
		value = strings.ToValidUTF8(value[:maxText], "")
	}
	if text, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = text
	}
	return clean(strings.ToValidUTF8(value, "\uFFFD"))
}

// clean turns a text into one line: control characters and runs of spaces become a single
// space.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Addresses returns the addresses in all fields with a name, and false if one of the fields
// cannot be parsed.
func (h *Header) Addresses(name string) (out []string, ok bool) {
	for _, f := range h.Fields {
		if f.Name != name {
			continue
		}
		_, value, _ := strings.Cut(f.Raw, ":")
		list, err := mail.ParseAddressList(clean(value))
		if err != nil {
			return out, false
		}
		for _, a := range list {
			out = append(out, a.Address)
		}
	}
	return out, true
}

// Names returns the field in which the header names an address: "to", "cc", or "" for none.
func (h *Header) Names(addr string) string {
	for _, name := range []string{"to", "cc"} {
		if list, _ := h.Addresses(name); address.ContainsEmail(list, addr) {
			return name
		}
	}
	return ""
}
