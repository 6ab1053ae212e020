package dlp

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"konak/internal/mail/dlp/pdfstream"
)

// The kinds of tokens in a content stream.
const (
	tokenWord = iota // an operator or a number
	tokenName
	tokenString
	tokenOpen // [
	tokenClose
)

type pdfToken struct {
	kind int
	text []byte
}

// pdfTokens reads the tokens of a content stream.
type pdfTokens struct {
	data []byte
	at   int
	// noImage is true if no further picture ends after this point.
	noImage bool
}

func isPDFSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }

func (p *pdfTokens) next() (pdfToken, bool) {
	for p.at < len(p.data) {
		c := p.data[p.at]
		p.at++
		switch {
		case isPDFSpace(c), c == '{', c == '}', c == '>', c == ')':
		case c == '%':
			for p.at < len(p.data) && p.data[p.at] != '\n' && p.data[p.at] != '\r' {
				p.at++
			}
		case c == '(':
			return pdfToken{tokenString, p.readString()}, true
		case c == '<':
			if p.at < len(p.data) && p.data[p.at] == '<' {
				p.at++
				continue
			}
			end := bytes.IndexByte(p.data[p.at:], '>')
			if end < 0 {
				end = len(p.data) - p.at
			}
			text := pdfstream.Hex(p.data[p.at : p.at+end])
			p.at = min(p.at+end+1, len(p.data))
			return pdfToken{tokenString, text}, true
		case c == '[':
			return pdfToken{kind: tokenOpen}, true
		case c == ']':
			return pdfToken{kind: tokenClose}, true
		case c == '/':
			name, _ := pdfName(p.data[p.at:])
			p.at += len(name)
			return pdfToken{tokenName, []byte(name)}, true
		default:
			start := p.at - 1
			for p.at < len(p.data) && !isPDFSpace(p.data[p.at]) && !bytes.ContainsRune([]byte("()<>[]{}/%"), rune(p.data[p.at])) {
				p.at++
			}
			return pdfToken{tokenWord, p.data[start:p.at]}, true
		}
	}
	return pdfToken{}, false
}

// skipImage skips an inline picture: up to the word EI followed by text.
func (p *pdfTokens) skipImage() {
	for at := p.at; !p.noImage; {
		i := bytes.Index(p.data[at:], []byte("EI"))
		if i < 0 {
			p.noImage = true
			return
		}
		at += i + 2
		if at > 2 && !isPDFSpace(p.data[at-3]) || at < len(p.data) && !isPDFSpace(p.data[at]) {
			continue
		}
		if after := bytes.TrimSpace(p.data[at:min(len(p.data), at+16)]); len(after) == 0 || printableShort(after) {
			p.at = at
			return
		}
	}
}

// readString reads a string in parentheses, which may be nested.
func (p *pdfTokens) readString() []byte {
	var out []byte
	for level := 1; p.at < len(p.data); p.at++ {
		c := p.data[p.at]
		switch c {
		case '(':
			level++
		case ')':
			if level--; level == 0 {
				p.at++
				return out
			}
		case '\\':
			p.at++
			if p.at >= len(p.data) {
				return out
			}
			switch e := p.data[p.at]; {
			case e == 'n':
				out = append(out, '\n')
			case e == 'r':
				out = append(out, '\r')
			case e == 't':
				out = append(out, '\t')
			case e == '\r' || e == '\n':
			case e >= '0' && e <= '7':
				v := 0
				for n := 0; n < 3 && p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '7'; n++ {
					v = v*8 + int(p.data[p.at]-'0')
					p.at++
				}
				p.at--
				out = append(out, byte(v))
			default:
				out = append(out, e)
			}
			continue
		}
		out = append(out, c)
	}
	return out
}

// writeText passes the text of a content stream to the scanner. If several fonts share a
// name, the text is passed once for each of them.
func (f *pdfFile) writeText(stream []byte, fonts map[string]int) {
	if !bytes.Contains(stream, []byte("T")) {
		return
	}
	variants := 1
	for i := 0; i < variants; i++ {
		var b strings.Builder
		w := pdfWriter{f: f, fonts: fonts, variant: i, out: &b, use: newFontUse()}
		p := pdfTokens{data: stream}
		for {
			token, ok := p.next()
			if !ok {
				break
			}
			if token.kind == tokenWord && string(token.text) == "ID" {
				p.skipImage()
			}
			w.add(token)
			if !w.flush(64 << 10) {
				return
			}
		}
		if !f.x.reading {
			variants = max(variants, w.variants)
		}
		b.WriteByte('\n')
		w.flush(0)
	}
}

// pdfWriter turns the tokens of a content stream into text.
type pdfWriter struct {
	f        *pdfFile
	fonts    map[string]int // of the page, if known
	variant  int
	variants int // how many fonts share a name
	out      *strings.Builder
	font     *glyphMap
	args     []pdfToken
	place    pdfPlace
	gap      string // before the next text
	use      *fontUse
}

// flush passes the collected text to the scanner once it is longer than most. It returns
// false if the time is over or there was too much text.
func (w *pdfWriter) flush(most int) bool {
	if w.out.Len() <= most {
		return true
	}
	w.f.x.text.write(w.out.String())
	if w.f.shown += w.out.Len(); w.f.shown > maxPDFText {
		w.f.fail(ReasonTooLarge)
	}
	w.out.Reset()
	return w.f.shown <= maxPDFText && w.f.x.ctx.Err() == nil // scanPDF records a timeout
}

func (w *pdfWriter) add(t pdfToken) {
	if t.kind != tokenWord || len(t.text) > 0 && (isDigit(t.text[0]) || t.text[0] == '-' || t.text[0] == '.' || t.text[0] == '+') {
		if len(w.args) == maxArguments {
			w.f.fail(ReasonTooLarge)
			return
		}
		w.args = append(w.args, t)
		return
	}
	switch string(t.text) {
	case "Tf":
		w.setFont()
	case "'", `"`:
		w.breakBy("\n")
		w.place.known = false
		w.show()
	case "Tj", "TJ":
		w.show()
	case "Td", "TD":
		w.place.move(w.args)
		w.move(1)
	case "T*":
		w.place.known = false
		w.breakBy("\n")
	case "BT":
		w.place.begin()
	case "ET":
		w.breakBy("\n")
	case "Tm":
		w.place.set(w.args)
		w.breakBy("\n")
	case "cm":
		w.place.shift(w.args)
	case "q":
		w.place.push()
	case "Q":
		w.place.pop()
	case "BDC", "DP":
		w.f.writeArguments(w.args)
	}
	w.args = w.args[:0]
}

// maxArguments limits the number of arguments of one operator.
const maxArguments = 100_000

// setFont selects the font that pages know by the given name.
func (w *pdfWriter) setFont() {
	w.font, w.use = nil, newFontUse()
	if len(w.args) < 2 || w.args[len(w.args)-2].kind != tokenName {
		return
	}
	if v, err := strconv.ParseFloat(string(w.args[len(w.args)-1].text), 64); err == nil {
		w.place.size = v
	}
	name := w.args[len(w.args)-2].text
	objects := w.f.fonts[string(name)]
	if object, ok := w.fonts[string(name)]; ok {
		objects = []int{object}
	}
	if len(objects) == 1 { // the font is known, so its codes can be counted
		w.use = w.f.useOf(objects[0], w.use)
	}
	var maps []*glyphMap
	for _, object := range objects {
		if g := w.f.fontMap(object); g != nil {
			maps = append(maps, g)
		}
	}
	if len(maps) > 0 {
		w.variants = max(w.variants, len(maps))
		w.font = maps[min(w.variant, len(maps)-1)]
	}
}

// show writes the strings in the arguments. A wide gap between two becomes a space or a
// tab.
func (w *pdfWriter) show() {
	var text strings.Builder
	for _, a := range w.args {
		switch a.kind {
		case tokenString:
			for piece := range slices.Chunk(a.text, maxPiece) {
				text.WriteString(w.font.text(piece, w.use))
				if text.Len() > 64<<10 && !w.showText(&text) {
					return
				}
			}
		case tokenWord:
			switch v, err := strconv.ParseFloat(string(a.text), 64); {
			case err != nil || v >= -200:
			case v < -900:
				text.WriteByte('\t') // another cell
			default:
				text.WriteByte(' ')
			}
		}
	}
	w.showText(&text)
}

// maxPiece limits the bytes converted to text at once. It is even because codes may have
// two bytes.
const maxPiece = 1 << 10

// showText writes a text after its separator from the previous one. It returns false if
// reading must stop.
func (w *pdfWriter) showText(text *strings.Builder) bool {
	if text.Len() == 0 {
		return true
	}
	shown := text.String()
	text.Reset()
	w.out.WriteString(w.place.next(w.gap, utf8.RuneCountInString(shown)))
	w.gap = ""
	w.out.WriteString(shown)
	return w.flush(64 << 10)
}

// breakBy sets the line end or space to put before the next text.
func (w *pdfWriter) breakBy(gap string) {
	if w.gap != "\n" {
		w.gap = gap
	}
}

// move handles a change of position: to another line, or along the current one.
func (w *pdfWriter) move(argument int) {
	if n := len(w.args); n >= 2 {
		if v, err := strconv.ParseFloat(string(w.args[n-2+argument].text), 64); err == nil && v == 0 {
			w.breakBy(" ")
			return
		}
	}
	w.breakBy("\n")
}

// writeStrings passes the strings of a dictionary to the scanner: titles, notes, forms.
// They are in parentheses or, as hexadecimal digits, in angle brackets.
func (f *pdfFile) writeStrings(raw []byte) {
	last := bytes.LastIndexByte(raw, '>')
	for at := 0; at < len(raw) && f.x.ctx.Err() == nil; {
		i := bytes.IndexAny(raw[at:], "(<")
		if i < 0 {
			return
		}
		at += i + 1
		p := pdfTokens{data: raw[at:min(len(raw), at+64<<10)]}
		if raw[at-1] == '(' {
			f.writeString(p.readString())
			at += max(p.at, 1)
			continue
		}
		if at > last || raw[at] == '<' {
			at++ // a dictionary
			continue
		}
		end := bytes.IndexByte(raw[at:], '>')
		f.writeString(pdfstream.Hex(raw[at : at+end]))
		at += end
	}
}

// writeArguments passes strings that are not part of the page's text to the scanner, as
// hidden text.
func (f *pdfFile) writeArguments(args []pdfToken) {
	for _, a := range args {
		if a.kind == tokenString {
			f.writeString(a.text)
		}
	}
}

// writeString passes a string in any of its charsets to the scanner.
func (f *pdfFile) writeString(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte{0xFE, 0xFF}):
		f.x.hidden.write(utf16Text(string(text[2:])) + "\n")
	case bytes.HasPrefix(text, []byte{0xFF, 0xFE}):
		swapped := bytes.Clone(text[2:])
		for i := 1; i < len(swapped); i += 2 {
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
		}
		f.x.hidden.write(utf16Text(string(swapped)) + "\n")
	case bytes.HasPrefix(text, []byte{0xEF, 0xBB, 0xBF}):
		f.x.hidden.write(strings.ToValidUTF8(string(text[3:]), " ") + "\n")
	case printable(text):
		f.x.hidden.write((*glyphMap)(nil).text(text, newFontUse()) + "\n")
	}
}

// printable reports whether a string can be text, and not packed bytes that happen to be
// between parentheses.
func printable(text []byte) bool { return len(text) >= minString && printableShort(text) }

func printableShort(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}
