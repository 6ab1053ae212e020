package dlp

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// glyphMap says which characters the codes of a font stand for.
type glyphMap struct {
	chars map[uint32]string
	wide  bool // codes have two bytes
}

// maxGlyphs bounds a font's table of characters.
const maxGlyphs = 70_000

// readGlyphMap reads a table of characters.
func readGlyphMap(data []byte) *glyphMap {
	g := &glyphMap{chars: map[uint32]string{}}
	var args []string
	p := pdfTokens{data: data}
	for len(g.chars) < maxGlyphs {
		token, ok := p.next()
		if !ok {
			break
		}
		switch {
		case token.kind == tokenString:
			args = append(args, string(token.text))
			if len(token.text) == 2 {
				g.wide = true
			}
		case token.kind == tokenOpen:
			args = append(args, "[")
		case token.kind == tokenWord:
			switch string(token.text) {
			case "beginbfchar", "beginbfrange", "begincodespacerange":
				args = args[:0]
			case "endbfchar":
				for i := 0; i+1 < len(args); i += 2 {
					g.chars[codeOf(args[i])] = utf16Text(args[i+1])
				}
			case "endbfrange":
				g.addRanges(args)
			}
		}
	}
	return g
}

// addRanges adds triples of first code, last code and first character, or of
// first, last and a list of characters.
func (g *glyphMap) addRanges(args []string) {
	for i := 0; i+2 < len(args); {
		low, high := codeOf(args[i]), codeOf(args[i+1])
		if args[i+2] == "[" {
			i += 3
			for code := low; i < len(args) && code <= high; i, code = i+1, code+1 {
				g.chars[code] = utf16Text(args[i])
			}
			continue
		}
		units := []rune(utf16Text(args[i+2]))
		for code := low; code <= high && len(units) > 0 && len(g.chars) < maxGlyphs; code++ {
			g.chars[code] = string(units)
			units[len(units)-1]++
		}
		i += 3
	}
}

func codeOf(s string) (v uint32) {
	for _, c := range []byte(s[:min(len(s), 4)]) {
		v = v<<8 | uint32(c)
	}
	return v
}

func utf16Text(s string) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
	}
	return string(utf16.Decode(units))
}

// text is what a string shows in this font; nil is a font without a table.
func (g *glyphMap) text(s []byte) string {
	var b strings.Builder
	if g == nil {
		for _, c := range s {
			b.WriteRune(charmap.Windows1254.DecodeByte(c))
		}
		return b.String()
	}
	step := 1
	if g.wide {
		step = 2
	}
	for i := 0; i+step <= len(s); i += step {
		code := codeOf(string(s[i : i+step]))
		if t, ok := g.chars[code]; ok {
			b.WriteString(t)
		} else if step == 1 {
			b.WriteRune(charmap.Windows1254.DecodeByte(s[i]))
		}
	}
	return b.String()
}

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
			text := decodeHex(p.data[p.at : p.at+end])
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

// readString reads a string in parentheses, which may nest.
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

// writeText gives the text of a content stream to the scanner. Where several
// fonts share a name, the text is given once for each of them.
func (f *pdfFile) writeText(stream []byte) {
	if !bytes.Contains(stream, []byte("T")) {
		return
	}
	variants := 1
	for i := 0; i < variants; i++ {
		var b strings.Builder
		w := pdfWriter{f: f, variant: i, out: &b}
		p := pdfTokens{data: stream}
		for {
			token, ok := p.next()
			if !ok {
				break
			}
			w.add(token)
			if b.Len() > 64<<10 {
				f.x.text.write(b.String())
				b.Reset()
			}
		}
		if !f.x.reading {
			variants = max(variants, w.variants)
		}
		f.x.text.write(b.String() + "\n")
	}
}

// pdfWriter turns the tokens of a content stream into text.
type pdfWriter struct {
	f        *pdfFile
	variant  int
	variants int // how many fonts share a name
	out      *strings.Builder
	font     *glyphMap
	args     []pdfToken
}

func (w *pdfWriter) add(t pdfToken) {
	if t.kind != tokenWord || len(t.text) > 0 && (isDigit(t.text[0]) || t.text[0] == '-' || t.text[0] == '.' || t.text[0] == '+') {
		if len(w.args) < 100_000 {
			w.args = append(w.args, t)
		}
		return
	}
	switch string(t.text) {
	case "Tf":
		w.setFont()
	case "Tj":
		w.show()
	case "'", `"`:
		w.out.WriteByte('\n')
		w.show()
	case "TJ":
		w.show()
	case "Td", "TD":
		w.move(1)
	case "T*", "ET":
		w.out.WriteByte('\n')
	case "Tm":
		w.out.WriteByte('\n')
	}
	w.args = w.args[:0]
}

// setFont takes the font that pages know by the name.
func (w *pdfWriter) setFont() {
	w.font = nil
	if len(w.args) < 2 || w.args[len(w.args)-2].kind != tokenName {
		return
	}
	var maps []*glyphMap
	for _, object := range w.f.fonts[string(w.args[len(w.args)-2].text)] {
		if g := w.f.maps[w.f.uses[object]]; g != nil {
			maps = append(maps, g)
		}
	}
	if len(maps) > 0 {
		w.variants = max(w.variants, len(maps))
		w.font = maps[min(w.variant, len(maps)-1)]
	}
}

// show writes the strings of the arguments. A wide gap between two is a space.
func (w *pdfWriter) show() {
	for _, a := range w.args {
		switch a.kind {
		case tokenString:
			w.out.WriteString(w.font.text(a.text))
		case tokenWord:
			if v, err := strconv.ParseFloat(string(a.text), 64); err == nil && v < -200 {
				w.out.WriteByte(' ')
			}
		}
	}
}

// move goes to another place: on another line, or further on this one.
func (w *pdfWriter) move(argument int) {
	if n := len(w.args); n >= 2 {
		if v, err := strconv.ParseFloat(string(w.args[n-2+argument].text), 64); err == nil && v == 0 {
			w.out.WriteByte(' ')
			return
		}
	}
	w.out.WriteByte('\n')
}

// writeStrings gives the strings of a dictionary to the scanner: titles, notes,
// forms. They stand in parentheses or, as hexadecimal digits, in angle brackets.
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
		f.writeString(decodeHex(raw[at : at+end]))
		at += end
	}
}

// writeString gives a string in one of its charsets to the scanner.
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
		f.x.hidden.write((*glyphMap)(nil).text(text) + "\n")
	}
}

// printable says whether a string can be a text: what stands by chance between
// two parentheses of packed bytes is not.
func printable(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return len(text) >= minString
}
