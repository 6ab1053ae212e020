package dlp

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"konak/internal/mail/dlp/transfer"
	"konak/internal/mail/dlp/words"
)

// scanDecoded scans a text after turning it into UTF-8.
func (x *extractor) scanDecoded(p part, content *spool, m markup, depth int) {
	head := content.head(64 << 10)
	enc, known, plain := chooseEncoding(p.charset, head)
	if !known {
		x.c.fail(p.where, ReasonUnsupported)
	}
	scan := func(r io.Reader) {
		if m != markupNone {
			x.scanMarkup(p.where, r, m, depth)
			return
		}
		if p.flowed {
			r = &flowedReader{r: r}
		}
		x.scanReader(p.where, r)
	}
	if isJSON(p, head) && x.contains(content, `\u`) {
		before := slices.Clone(x.c.counts)
		x.scanReader(p.where, transfer.JSON(content.reader()))
		between := slices.Clone(x.c.counts)
		defer func() { x.c.keepMost(p.where, before, between) }()
	}
	if enc == nil {
		scan(content.reader())
		return
	}
	before := slices.Clone(x.c.counts)
	scan(transform.NewReader(content.reader(), enc.NewDecoder()))
	if !plain {
		// Programs that ignore the encoding read the bytes as they are.
		between := slices.Clone(x.c.counts)
		x.scanBinary(p.where, content)
		x.c.keepMost(p.where, before, between)
	}
}

// isJSON reports whether a text may be JSON, in which letters may be written as numbers.
func isJSON(p part, head []byte) bool {
	begin := bytes.TrimLeft(bytes.TrimPrefix(head, []byte{0xEF, 0xBB, 0xBF}), " \t\r\n")
	return strings.HasSuffix(p.kind, "json") || len(begin) > 0 && (begin[0] == '{' || begin[0] == '[' || begin[0] == '"')
}

// chooseEncoding returns the encoding of a text, nil for UTF-8. known is false if the
// declared charset cannot be decoded; plain is true if the encoding leaves ASCII unchanged.
func chooseEncoding(declared string, head []byte) (enc encoding.Encoding, known, plain bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), true, false
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		return nil, true, true
	}
	known = true
	if declared != "" {
		e, name := words.Lookup(declared)
		switch {
		case e == nil:
			known = false
		case name == "utf-8", name == "windows-1252":
			// Many programs declare this whatever they wrote, so the bytes decide.
		case strings.EqualFold(strings.Trim(declared, `"' `), "utf-16"):
			// Without a byte order mark the bytes show the byte order.
			order := unicode.LittleEndian
			if _, be := zeroBytes(head); be {
				order = unicode.BigEndian
			}
			return unicode.UTF16(order, unicode.IgnoreBOM), true, false
		default:
			return e, true, !strings.HasPrefix(name, "utf-16") && name != "hz-gb-2312" && !strings.HasPrefix(name, "iso-2022")
		}
	}
	if isUTF8(head) {
		if le, be := zeroBytes(head); le || be {
			order := unicode.LittleEndian
			if be {
				order = unicode.BigEndian
			}
			return unicode.UTF16(order, unicode.IgnoreBOM), known, false
		}
		return nil, known, true
	}
	return charmap.Windows1254, known, true
}

// isUTF8 reports whether the beginning of a text is UTF-8; its last character may be cut.
func isUTF8(head []byte) bool {
	for i := 0; i < utf8.UTFMax && len(head) > 0; i++ {
		if utf8.Valid(head) {
			return true
		}
		head = head[:len(head)-1]
	}
	return len(head) == 0
}

// zeroBytes reports whether most odd (le) or even (be) bytes are zero, as in UTF-16.
func zeroBytes(head []byte) (le, be bool) {
	var odd, even int
	for i, c := range head {
		if c == 0 {
			if i%2 == 1 {
				odd++
			} else {
				even++
			}
		}
	}
	half := len(head) / 2
	return half > 1 && odd*10 > half*6, half > 1 && even*10 > half*6
}

// scanReader scans UTF-8 text as it comes.
func (x *extractor) scanReader(where Where, r io.Reader) {
	x.text.begin(where)
	x.failRead(where, x.copyText(r, x.text.write))
	x.text.end()
}

// copyText passes the text of r to write, split between characters.
func (x *extractor) copyText(r io.Reader, write func(string)) error {
	buf := make([]byte, 64<<10)
	have := 0
	for {
		if x.ctx.Err() != nil {
			return errTime
		}
		n, err := r.Read(buf[have:])
		have += n
		if err != nil {
			write(strings.ToValidUTF8(string(buf[:have]), " "))
			if err == io.EOF {
				return nil
			}
			return err
		}
		cut := have
		for back := 1; back <= utf8.UTFMax && back <= have; back++ {
			if utf8.RuneStart(buf[have-back]) {
				if !utf8.FullRune(buf[have-back : have]) {
					cut = have - back
				}
				break
			}
		}
		// Split at a space if one is near: combining marks must stay with their letter.
		if i := bytes.LastIndexByte(buf[:cut], ' '); i > 0 && cut-i < 256 {
			cut = i
		}
		write(strings.ToValidUTF8(string(buf[:cut]), " "))
		have = copy(buf, buf[cut:have])
	}
}

// flowedReader joins the lines of format=flowed text: a line that ends in a space continues
// on the next.
type flowedReader struct {
	r     io.Reader
	space bool
}

func (f *flowedReader) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	out := b[:0]
	for _, c := range b[:n] {
		switch {
		case c == '\r':
		case c == '\n' && f.space:
			f.space = false
		default:
			f.space = c == ' '
			out = append(out, c)
		}
	}
	return len(out), err
}

// looksLikeText reports whether the beginning of content has only bytes that occur in text.
func looksLikeText(head []byte) bool {
	if le, be := zeroBytes(head); le || be {
		return true
	}
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B {
			return false
		}
	}
	return true
}
