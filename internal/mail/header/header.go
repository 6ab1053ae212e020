// Package header reads the header of a mail (RFC 5322) without changing a byte of
// it.
//
// It takes what mail programs really write: a field that cannot be read is kept and
// has no value. A header is at most MaxSize long, and reading costs its length.
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
	// MaxLines is how many lines one field may have. What reads a mail adds line to
	// line, and some of it copies all that it has for each.
	MaxLines = 2000
	// maxText is how much of a field is decoded.
	maxText = 8 << 10
	// maxValue is how much of a field Values returns.
	maxValue = 64 << 10
)

// ErrTooLong says that a header is longer than MaxSize, or a field than MaxLines.
var ErrTooLong = errors.New("header: too long")

// Field is a field as it stands in the mail, with its line ends.
type Field struct{ Name, Raw string }

// Header is the header of a mail.
type Header struct {
	Fields []Field
	// Size is where the body begins.
	Size int64
}

// Read reads the header at the beginning of r. It returns ErrTooLong where it does
// not end within MaxSize, or a field not within MaxLines. A mail that ends within its
// header has no body.
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

// Parse reads the header at the beginning of a mail, and says whether its end is
// there.
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

// Count returns how many fields of a name there are.
func (h *Header) Count(name string) (n int) {
	for _, f := range h.Fields {
		if f.Name == name {
			n++
		}
	}
	return n
}

// Value returns the first field of a name in one line, without control characters,
// or "" where there is none.
func (h *Header) Value(name string) string {
	for _, f := range h.Fields {
		if f.Name == name {
			_, value, _ := strings.Cut(f.Raw, ":")
			return clean(value)
		}
	}
	return ""
}

// Values returns all fields of a name as Value does, the beginnings of long ones.
func (h *Header) Values(name string) (out []string) {
	for _, f := range h.Fields {
		if f.Name == name {
			_, value, _ := strings.Cut(f.Raw, ":")
			out = append(out, clean(value[:min(len(value), maxValue)]))
		}
	}
	return out
}

// Text returns the first field of a name with encoded words decoded, the beginning of a
// long one.
func (h *Header) Text(name string) string {
	return Decode(h.Value(name))
}

// Decode decodes the encoded words in the beginning of a value.
func Decode(value string) string {
	if len(value) > maxText {
		value = strings.ToValidUTF8(value[:maxText], "")
	}
	if text, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = text
	}
	return clean(strings.ToValidUTF8(value, "\uFFFD"))
}

// clean makes one line of a text, with one space where it was folded.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Addresses returns the addresses of all fields of a name, and false where one of
// them cannot be read.
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

// Names says where the header names an address: "to", "cc", or "" for nowhere.
func (h *Header) Names(addr string) string {
	for _, name := range []string{"to", "cc"} {
		if list, _ := h.Addresses(name); address.ContainsEmail(list, addr) {
			return name
		}
	}
	return ""
}
