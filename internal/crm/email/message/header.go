package message

import (
	"bytes"
	"io"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"konak/internal/kit/address"
	"konak/internal/kit/each"
	"konak/internal/kit/trtext"
)

// Limits on what is kept of a header.
const (
	maxIDs       = 100
	maxAddresses = 200
	maxHeader    = 64 << 10
)

type header textproto.MIMEHeader

// get returns the first field with this name, decoded.
func (h header) get(name string) string {
	if v := textproto.MIMEHeader(h).Values(name); len(v) > 0 {
		return decode(v[0])
	}
	return ""
}

func (h header) all(name string) []string {
	list := textproto.MIMEHeader(h).Values(name)
	return each.Map(list, decode)
}

func (h header) has(name string) bool { return len(textproto.MIMEHeader(h).Values(name)) > 0 }

// decode decodes encoded words. Raw non-ASCII bytes in a header are converted to UTF-8
// first.
func decode(v string) string {
	v = clean(trtext.Cut(v, maxHeader))
	if !strings.Contains(v, "=?") {
		return v
	}
	if d, err := wordDecoder.DecodeHeader(v); err == nil {
		return clean(d)
	}
	return v
}

func charsetReader(name string, in io.Reader) (io.Reader, error) {
	return charset.NewReaderLabel(name, in)
}

// addresses returns the addresses of all fields with this name. A malformed list is
// searched for anything that looks like an address.
func (h header) addresses(name string) []Address {
	var out []Address
	for _, v := range textproto.MIMEHeader(h).Values(name) {
		v = clean(trtext.Cut(v, maxHeader))
		p := mail.AddressParser{WordDecoder: wordDecoder}
		list, err := p.ParseList(v)
		if err != nil {
			out = append(out, parseLooseAddresses(decode(v))...)
			continue
		}
		for _, a := range list {
			if e := bareAddress(a.Address); e != "" {
				out = append(out, Address{Name: personName(a.Name), Email: e})
			}
		}
	}
	return out[:min(len(out), maxAddresses)]
}

var looksLikeAddress = regexp.MustCompile(`[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`)

func parseLooseAddresses(v string) []Address {
	var out []Address
	rest := 0
	for _, at := range looksLikeAddress.FindAllStringIndex(v, maxAddresses) {
		e := bareAddress(v[at[0]:at[1]])
		if e == "" {
			continue
		}
		out = append(out, Address{Name: personName(strings.Trim(v[rest:at[0]], " \t<>\"',;:()")), Email: e})
		rest = at[1]
	}
	return out
}

// bareAddress returns a valid address without its name, or "".
func bareAddress(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "<>")
	if e, ok := address.ParseEmail(s); ok {
		return e.Address
	}
	return ""
}

func personName(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	return trtext.Cut(strings.Trim(s, `"' `), 200)
}

var bracketed = regexp.MustCompile(`<([^<>\s]+)>`)

// ids returns the Message-IDs in a field. Some programs omit the brackets, others add whole
// sentences.
func ids(v string) []string {
	var out []string
	for _, m := range bracketed.FindAllStringSubmatch(v, maxIDs) {
		out = append(out, trtext.Cut(m[1], 998))
	}
	if len(out) > 0 {
		return out
	}
	for _, w := range strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == ';' }) {
		if strings.Contains(w, "@") && len(out) < maxIDs {
			out = append(out, trtext.Cut(strings.Trim(w, "<>"), 998))
		}
	}
	return out
}

func firstID(v string) string {
	if list := ids(v); len(list) > 0 {
		return list[0]
	}
	// It is not a standard Message-ID, but the only one there is.
	return trtext.Cut(strings.Trim(strings.TrimSpace(v), "<>"), 998)
}

func subject(v string) string { return trtext.Cut(strings.Join(strings.Fields(v), " "), 998) }

// dateForms are the date formats that senders use besides the standard's.
var dateForms = []string{
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "Mon, 2 Jan 2006 15:04:05", time.RFC3339,
	"2006-01-02 15:04:05 -0700", time.ANSIC, time.UnixDate,
}

// date parses the date of a mail; the zero time if it cannot be read or a database could
// not store its year.
func date(v string) time.Time {
	t, err := mail.ParseDate(v)
	for i := 0; err != nil && i < len(dateForms); i++ {
		t, err = time.Parse(dateForms[i], strings.TrimSpace(v))
	}
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// clean returns valid UTF-8 without NUL for any input. Bytes that are not UTF-8 are read as
// Windows-1254: it covers what Turkish and western senders write, and decodes every byte.
func clean(s string) string {
	if !utf8.ValidString(s) {
		if d, err := charmap.Windows1254.NewDecoder().String(s); err == nil {
			s = d
		}
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}

// text returns the content of a text part with uniform line ends.
func text(b []byte, charsetName string) string {
	s := clean(decoded(b, charsetName))
	s = strings.TrimPrefix(s, "\uFEFF")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// decoded decodes bytes from the character set that the sender names. Valid UTF-8 is always
// taken as UTF-8: no other encoding looks like it by chance, and many senders name the
// wrong one.
func decoded(b []byte, name string) string {
	if utf8.Valid(b) && !bytes.ContainsRune(b, 0x1b) {
		return string(b)
	}
	enc, _ := charset.Lookup(strings.Trim(name, `"' `))
	if enc == nil {
		return string(b)
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		return string(b)
	}
	return string(out)
}
