package dlp

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// glyphMap maps the codes of a font to characters.
type glyphMap struct {
	chars map[uint32]string
	spans []glyphSpan // long ranges, which are not in chars
	wide  bool        // codes have two bytes
	most  int         // maximum number of chars
	cut   bool        // some were left out or shortened
}

// glyphSpan is a range of codes for consecutive characters.
type glyphSpan struct {
	low, high uint32
	first     []rune
}

const (
	// maxGlyphs limits the character tables of a file together.
	maxGlyphs = 300_000
	maxSpans  = 64  // in one table
	longSpan  = 256 // codes; shorter ranges are stored code by code
	// maxShown limits the text of one code, in bytes: a letter, or a few of them.
	maxShown = 64
	// maxCodes limits the number of arguments in one list.
	maxCodes = 200_000
)

// readGlyphMap reads a character table with at most most characters.
func readGlyphMap(data []byte, most int) *glyphMap {
	g := &glyphMap{chars: map[uint32]string{}, most: most}
	var args []string
	p := pdfTokens{data: data}
	for len(g.chars) < most {
		token, ok := p.next()
		if !ok {
			break
		}
		switch {
		case len(args) >= maxCodes:
			g.cut = true
			return g
		case token.kind == tokenString:
			args = append(args, string(token.text))
		case token.kind == tokenOpen:
			args = append(args, "[")
		case token.kind == tokenWord:
			switch string(token.text) {
			case "beginbfchar", "beginbfrange", "begincodespacerange":
				args = args[:0]
			case "endcodespacerange":
				g.wide = len(args) > 0 && len(args[0]) == 2
			case "endbfchar":
				for i := 0; i+1 < len(args); i += 2 {
					g.wide = g.wide || len(args[i]) == 2
					g.chars[codeOf(args[i])] = g.shown(args[i+1])
				}
			case "endbfrange":
				g.addRanges(args)
			}
		}
	}
	return g
}

// addRanges adds triples of first code, last code and first character, or of first code,
// last code and a list of characters.
func (g *glyphMap) addRanges(args []string) {
	for i := 0; i+2 < len(args); {
		low, high := uint64(codeOf(args[i])), uint64(codeOf(args[i+1]))
		g.wide = g.wide || len(args[i]) == 2
		if args[i+2] == "[" {
			i += 3
			for code := low; i < len(args) && code <= high && len(g.chars) < g.most; i, code = i+1, code+1 {
				g.chars[uint32(code)] = g.shown(args[i])
			}
			continue
		}
		units := []rune(g.shown(args[i+2]))
		if high > low && high-low >= longSpan && len(units) > 0 && len(g.spans) < maxSpans {
			g.spans = append(g.spans, glyphSpan{uint32(low), uint32(high), units})
			i += 3
			continue
		}
		for code := low; code <= high && len(units) > 0 && len(g.chars) < g.most; code++ {
			g.chars[uint32(code)] = string(units)
			units[len(units)-1]++
		}
		i += 3
	}
}

// shown returns the text of a code.
func (g *glyphMap) shown(s string) string {
	if len(s) > maxShown {
		g.cut, s = true, s[:maxShown]
	}
	return utf16Text(s)
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

// char returns the text of a code, and false if it is not known.
func (g *glyphMap) char(code uint32) (string, bool) {
	if t, ok := g.chars[code]; ok {
		return t, true
	}
	for _, s := range g.spans {
		if code >= s.low && code <= s.high {
			last := len(s.first) - 1
			return string(s.first[:last]) + string(s.first[last]+rune(code-s.low)), true
		}
	}
	return "", false
}

// fontUse counts the codes that a font showed, and those without a known character.
type fontUse struct {
	shown, unknown int
	codes          map[uint32]bool
}

func newFontUse() *fontUse { return &fontUse{codes: map[uint32]bool{}} }

func (u *fontUse) add(code uint32, known bool) {
	if u.shown++; !known {
		u.unknown++
		if len(u.codes) < minUnknown {
			u.codes[code] = true
		}
	}
}

// minUnknown is the number of different unknown codes from which a font's text counts as
// unreadable: fewer may be symbols and bullets.
const minUnknown = 4

// isUnreadable reports whether a font shows text that cannot be read.
func (u *fontUse) isUnreadable() bool {
	return len(u.codes) >= minUnknown && u.unknown >= 3*minUnknown && u.unknown*3 >= u.shown
}

// text returns what a string shows in this font; a nil glyphMap is a font without a table.
func (g *glyphMap) text(s []byte, use *fontUse) string {
	var b strings.Builder
	if g == nil {
		for _, c := range s {
			use.add(uint32(c), c >= ' ')
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
		t, ok := g.char(code)
		use.add(code, ok || step == 1 && code >= ' ')
		if ok {
			b.WriteString(t)
		} else if step == 1 {
			b.WriteRune(charmap.Windows1254.DecodeByte(s[i]))
		}
	}
	return b.String()
}
