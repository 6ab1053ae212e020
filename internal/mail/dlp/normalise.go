package dlp

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalText is a text normalised for comparison. clean is NFKC without invisible
// characters and with ASCII digits and hyphens; folded is clean in lower case with İ, I, ı
// and i as one letter. The positions, if kept, give for each byte the offset of its
// character in the original.
type normalText struct {
	clean, folded       []byte
	cleanPos, foldedPos []int32
	wantClean, wantPos  bool
}

func (n *normalText) reset() {
	n.clean, n.folded = n.clean[:0], n.folded[:0]
	n.cleanPos, n.foldedPos = n.cleanPos[:0], n.foldedPos[:0]
}

// drop removes the first i bytes of folded and the first j bytes of clean.
func (n *normalText) drop(i, j int) {
	n.folded = n.folded[:copy(n.folded, n.folded[i:])]
	n.clean = n.clean[:copy(n.clean, n.clean[j:])]
}

// plainLatin marks the letters between U+00C0 and U+017F that NFKC leaves unchanged, so
// that Turkish text rarely takes the slow path.
var plainLatin = func() (out [0x180]bool) {
	for r := rune(0xC0); r < 0x180; r++ {
		out[r] = norm.NFKC.IsNormalString(string(r))
	}
	return out
}()

// append adds a text. Combining characters must be in the same call as their letter.
func (n *normalText) append(text string) {
	for i := 0; i < len(text); {
		c := text[i]
		// Combining marks start with byte 0xCC or higher in UTF-8.
		if c < utf8.RuneSelf {
			if i+1 == len(text) || text[i+1] < 0xCC {
				n.addRune(rune(c), i)
				i++
				continue
			}
		} else if r, size := utf8.DecodeRuneInString(text[i:]); r < 0x180 && plainLatin[r] && (i+size == len(text) || text[i+size] < 0xCC) {
			n.addRune(r, i)
			i += size
			continue
		}
		end := i + 1
		for end < len(text) && (text[end] >= utf8.RuneSelf || end+1 < len(text) && text[end+1] >= 0xCC) {
			end++
		}
		n.appendSlow(text[i:end], i)
		i = end
	}
}

func (n *normalText) appendSlow(text string, offset int) {
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	for !it.Done() {
		at := offset + it.Pos()
		for segment := it.Next(); len(segment) > 0; {
			r, size := utf8.DecodeRune(segment)
			n.addRune(r, at)
			segment = segment[size:]
		}
	}
}

// addRune adds one character of NFKC text.
func (n *normalText) addRune(r rune, at int) {
	if r >= utf8.RuneSelf {
		if isInvisible(r) {
			return
		}
		switch {
		case r >= 0x2010 && r <= 0x2015 || r == 0x2212 || r == 0x2043:
			r = '-'
		case r > 0x2FF && unicode.IsSpace(r):
			r = ' '
		case r > 0x2FF && unicode.Is(unicode.Nd, r):
			r = digitValue(r)
		}
	}
	if r < ' ' && (r < '\t' || r > '\r') || r == 0x7F {
		return
	}
	if n.wantClean {
		n.clean = utf8.AppendRune(n.clean, r)
		for n.wantPos && len(n.cleanPos) < len(n.clean) {
			n.cleanPos = append(n.cleanPos, int32(at))
		}
	}
	switch {
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	case r < utf8.RuneSelf:
	case r == 'ı' || r == 'İ':
		r = 'i'
	case r == 0x0307: // left over when İ is lowered without care
		return
	default:
		r = unicode.ToLower(r)
	}
	if r < utf8.RuneSelf {
		n.folded = append(n.folded, byte(r))
	} else {
		n.folded = utf8.AppendRune(n.folded, r)
	}
	for n.wantPos && len(n.foldedPos) < len(n.folded) {
		n.foldedPos = append(n.foldedPos, int32(at))
	}
}

// isInvisible reports whether a character is not visible: zero-width characters, soft
// hyphens, direction marks, variation selectors, fillers.
func isInvisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r >= 0x180B && r <= 0x180F,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF, r >= 0x80 && r <= 0x9F && r != 0x85:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// digitValue returns the ASCII digit for a decimal digit of any script. Unicode lists these
// in tens, each starting with zero.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// foldString returns the folded form of a short text.
func foldString(s string) string {
	var n normalText
	n.append(s)
	return string(n.folded)
}
