package dlp

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// scanDecoded scans a text after turning it into UTF-8.
func (x *extractor) scanDecoded(p part, content *spool, m markup) {
	head := content.head(64 << 10)
	enc, known, plain := chooseEncoding(p.charset, head)
	if !known {
		x.c.fail(p.where, ReasonUnsupported)
	}
	scan := func(r io.Reader) {
		if m != markupNone {
			x.scanMarkup(p.where, r, m)
			return
		}
		if p.flowed {
			r = &flowedReader{r: r}
		}
		x.scanReader(p.where, r)
	}
	if enc == nil {
		scan(content.reader())
		return
	}
	scan(transform.NewReader(content.reader(), enc.NewDecoder()))
	if !plain && p.charset != "" {
		// Whoever opens it in another way reads the bytes as they are.
		x.scanBinary(p.where, content)
	}
}

// chooseEncoding is the encoding of a text, nil for UTF-8. known is false for a
// name that we cannot decode; plain says that ASCII stays what it is.
func chooseEncoding(declared string, head []byte) (enc encoding.Encoding, known, plain bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), true, true
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		return nil, true, true
	}
	known = true
	if declared != "" {
		e, name := charset.Lookup(strings.Trim(declared, `"' `))
		switch {
		case e == nil:
			known = false
		case name == "utf-8", name == "windows-1252":
			// Many programs say so whatever they wrote; the bytes decide.
		default:
			return e, true, !strings.HasPrefix(name, "utf-16") && name != "replacement" && !strings.HasPrefix(name, "iso-2022")
		}
	}
	if isUTF8(head) {
		if le, be := zeroBytes(head); le || be {
			order := unicode.LittleEndian
			if be {
				order = unicode.BigEndian
			}
			return unicode.UTF16(order, unicode.IgnoreBOM), known, true
		}
		return nil, known, true
	}
	return charmap.Windows1254, known, true
}

// isUTF8 says whether a beginning of a text is UTF-8, which may be cut in its
// last character.
func isUTF8(head []byte) bool {
	for i := 0; i < utf8.UTFMax && len(head) > 0; i++ {
		if utf8.Valid(head) {
			return true
		}
		head = head[:len(head)-1]
	}
	return len(head) == 0
}

// zeroBytes says whether most odd (le) or even (be) bytes are zero, as in
// UTF-16.
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

// copyText gives the text of r to write, cut between characters.
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
		// Cut at a space if one is near: combining marks after a letter must stay with it.
		if i := bytes.LastIndexByte(buf[:cut], ' '); i > 0 && cut-i < 256 {
			cut = i
		}
		write(strings.ToValidUTF8(string(buf[:cut]), " "))
		have = copy(buf, buf[cut:have])
	}
}

// flowedReader joins the lines of format=flowed text: a line that ends in a
// space goes on in the next.
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

// looksLikeText says whether a beginning has no bytes that text does not have.
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

// minString is how many printable characters in a row are taken for text.
const minString = 4

// scanBinary scans the texts in content of an unknown kind: runs of printable
// ASCII, and of UTF-16 with Latin letters.
func (x *extractor) scanBinary(where Where, content *spool) {
	for _, wide := range []bool{false, true} {
		x.text.begin(where)
		w := &runWriter{write: x.text.write, wide: wide}
		err := x.copyBytes(content.reader(), w)
		w.endRun()
		w.flush()
		x.text.end()
		x.failRead(where, err)
	}
}

func (x *extractor) copyBytes(r io.Reader, w *runWriter) error {
	buf := make([]byte, 64<<10)
	for {
		if x.ctx.Err() != nil {
			return errTime
		}
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			w.add(c)
		}
		w.flushIfFull()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// runWriter collects runs of printable characters and writes each on a line.
type runWriter struct {
	write   func(string)
	wide    bool
	low     byte
	hasLow  bool
	run     []byte
	letters int
	out     []byte
}

func (w *runWriter) add(c byte) {
	if !w.wide {
		if c >= ' ' && c < 0x7F || c == '\t' {
			w.run = append(w.run, c)
			w.letters++
		} else {
			w.endRun()
		}
		w.splitLong()
		return
	}
	if !w.hasLow {
		w.low, w.hasLow = c, true
		return
	}
	r := rune(w.low) | rune(c)<<8
	if c <= 1 && (r >= ' ' && r < 0x7F || r >= 0xA0) {
		w.run = utf8.AppendRune(w.run, r)
		w.letters++
		w.hasLow = false
		w.splitLong()
		return
	}
	w.endRun()
	w.low = c // the pairs may begin at the other byte
}

// splitLong moves a long run on without ending it.
func (w *runWriter) splitLong() {
	if len(w.run) >= 4096 {
		w.out = append(w.out, w.run...)
		w.run = w.run[:0]
	}
}

func (w *runWriter) endRun() {
	if w.letters >= minString {
		w.out = append(append(w.out, w.run...), '\n')
	}
	w.run, w.letters = w.run[:0], 0
}

func (w *runWriter) flushIfFull() {
	if len(w.out) >= 32<<10 {
		w.flush()
	}
}

func (w *runWriter) flush() {
	if len(w.out) > 0 {
		w.write(string(w.out))
		w.out = w.out[:0]
	}
}
