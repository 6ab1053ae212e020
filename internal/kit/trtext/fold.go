package trtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const dotAbove = '\u0307' // left over from İ by a careless lowercase

// Lower returns the Turkish lowercase of one rune.
func Lower(r rune) rune {
	switch {
	case r == 'I':
		return 'ı'
	case r == 'İ':
		return 'i'
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// LowerString returns the Turkish lowercase of s.
func LowerString(s string) string {
	out := make([]byte, 0, len(s)+4)
	for _, r := range s {
		if r != dotAbove {
			out = utf8.AppendRune(out, Lower(r))
		}
	}
	return string(out)
}

// foldRune lowercases r and folds the letters that Turkish writes with a mark
// to the letter without it. Other letters stay as they are.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	switch r = unicode.ToLower(r); r {
	case 'ı', 'î', 'í', 'ì', 'ï':
		return 'i'
	case 'ş', 'ș':
		return 's'
	case 'ğ', 'ǧ':
		return 'g'
	case 'ç':
		return 'c'
	case 'ö', 'ô', 'ó', 'ò':
		return 'o'
	case 'ü', 'û', 'ù', 'ú':
		return 'u'
	case 'â', 'á', 'à', 'ä':
		return 'a'
	case 'ê', 'é', 'è', 'ë':
		return 'e'
	}
	return r
}

// isMark reports whether r is a combining mark: a decomposed ş is s followed by a cedilla,
// and folding simply leaves the mark out.
func isMark(r rune) bool { return 0x0300 <= r && r <= 0x036F }

// AppendFold appends the folded lowercase of s to dst.
func AppendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if !isMark(r) {
			dst = utf8.AppendRune(dst, foldRune(r))
		}
	}
	return dst
}

// Fold returns the folded lowercase of s.
func Fold(s string) string { return string(AppendFold(make([]byte, 0, len(s)), s)) }

// IsDirectionMark reports whether a character changes the direction of writing: marks,
// embeddings, overrides and isolates.
func IsDirectionMark(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// Plain returns s without invisible characters that change how the text around them is
// shown: control characters become spaces, and marks that change the direction of writing
// are removed.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0:
			return ' '
		case IsDirectionMark(r):
			return -1
		}
		return r
	}, s)
}

// OneLine returns s as one line of plain text: Plain, with one space between words and
// none around them.
func OneLine(s string) string { return strings.Join(strings.Fields(Plain(s)), " ") }

// Cut shortens s to at most n bytes without splitting a character: a split character is not
// valid text, and a database refuses it.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten shortens s to at most n bytes as Cut does, and marks that with an ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(Cut(s, n-len("…")), " ") + "…"
}
