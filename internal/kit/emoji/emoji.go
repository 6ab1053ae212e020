// Package emoji recognises emoji.
package emoji

import (
	"unicode/utf8"
)

const (
	maxEmoji = 40 // bytes; families with skin tones are long

	joiner    = '\u200d'
	asPicture = '\ufe0f'
	keycap    = '\u20e3'
)

// Is reports whether text is one emoji: a picture with its skin tone or other modifiers,
// several joined pictures, a flag, or a key.
func Is(text string) bool {
	if text == "" || len(text) > maxEmoji || !utf8.ValidString(text) {
		return false
	}
	signs := []rune(text)
	switch {
	case regional(signs[0]):
		return len(signs) == 2 && regional(signs[1])
	case signs[0] >= '0' && signs[0] <= '9' || signs[0] == '#' || signs[0] == '*':
		return len(signs) == 2 && signs[1] == keycap || len(signs) == 3 && signs[1] == asPicture && signs[2] == keycap
	}
	picture := true // the next character must be a picture
	for _, r := range signs {
		switch {
		case picture:
			if !isPictographic(r) {
				return false
			}
			picture = false
		case r == joiner:
			picture = true
		case !modifies(r):
			return false
		}
	}
	return !picture
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// modifies reports whether a character changes the picture before it.
func modifies(r rune) bool {
	return r == asPicture || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

// isPictographic reports whether a character is in one of Unicode's blocks of pictures.
func isPictographic(r rune) bool {
	for _, block := range [][2]rune{
		{0x1f000, 0x1faff}, {0x2600, 0x27bf}, {0x2190, 0x21ff}, {0x2300, 0x23ff}, {0x25a0, 0x25ff}, {0x2900, 0x297f}, {0x2b00, 0x2bff},
	} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	switch r {
	case 0xa9, 0xae, 0x203c, 0x2049, 0x2122, 0x2139, 0x24c2, 0x3030, 0x303d, 0x3297, 0x3299:
		return true
	}
	return false
}
