package links

import (
	"strings"
	"unicode"
)

// joiner joins the parts of one emoji, such as those of a family.
const joiner = '\u200d'

// isHidden reports whether a character is invisible or changes the order of others.
// Characters that scripts and emoji need are not hidden if the one before shows that use.
func isHidden(r, before rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	case r == joiner || r == '\ufe0f':
		return before < 0x2000 && !strings.ContainsRune("#*0123456789©®", before) && !unicode.Is(unicode.Arabic, before)
	case r == '\u200c':
		return !unicode.Is(unicode.Arabic, before)
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// turnsText reports whether a character changes the display order of others.
func turnsText(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == '\u061c'
}

// hiddenOnlyFrom reports whether all hidden characters of a text also occur in the given
// text. Characters that change the order are never allowed.
func hiddenOnlyFrom(text, given string) bool {
	before := rune(0)
	for _, r := range text {
		if turnsText(r) || isHidden(r, before) && !strings.ContainsRune(given, r) {
			return false
		}
		before = r
	}
	return true
}

// withoutHidden returns a text as people see it.
func withoutHidden(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\u2028' && r != '\u2029' && (r == joiner || r == '\u200c' || r == '\ufe0f' || isHidden(r, 0)) && !unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
