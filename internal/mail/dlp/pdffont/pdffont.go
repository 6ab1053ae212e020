// Package pdffont maps glyph names to characters.
package pdffont

import (
	"strconv"
	"strings"
)

// names maps the glyph names that are not single letters. Glyphs that occur in no number
// and in no Turkish or English word are left out.
var names = map[string]rune{
	"zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5', "six": '6', "seven": '7', "eight": '8', "nine": '9',
	"space": ' ', "nbspace": ' ', "hyphen": '-', "minus": '-', "endash": '-', "emdash": '-', "underscore": '_', "period": '.', "comma": ',',
	"colon": ':', "semicolon": ';', "slash": '/', "plus": '+', "at": '@', "parenleft": '(', "parenright": ')', "asterisk": '*',
	"numbersign": '#', "ampersand": '&', "percent": '%', "quotesingle": '\'', "quoteright": '\'', "quotedbl": '"', "equal": '=',
	"Ccedilla": 'Ç', "ccedilla": 'ç', "Gbreve": 'Ğ', "gbreve": 'ğ', "Idotaccent": 'İ', "Idot": 'İ', "dotlessi": 'ı', "Odieresis": 'Ö',
	"odieresis": 'ö', "Scedilla": 'Ş', "scedilla": 'ş', "Udieresis": 'Ü', "udieresis": 'ü', "Acircumflex": 'Â', "acircumflex": 'â',
	"ff": 'ﬀ', "fi": 'ﬁ', "fl": 'ﬂ', "ffi": 'ﬃ', "ffl": 'ﬄ',
	"Icircumflex": 'Î', "icircumflex": 'î', "Ucircumflex": 'Û', "ucircumflex": 'û',
}

// Rune returns the character of a glyph, 0 if it is not known.
func Rune(name string) rune {
	name, _, _ = strings.Cut(name, ".") // four.oldstyle
	if len(name) == 1 {
		return rune(name[0])
	}
	if r := names[name]; r != 0 {
		return r
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && len(digits) >= 4 && len(digits) <= 6 {
			if v, err := strconv.ParseUint(digits, 16, 32); err == nil {
				return rune(v)
			}
		}
	}
	return 0
}

// maxCode is the last code of a font with one-byte codes.
const maxCode = 255

// Differences parses the list of an encoding, [65/four/one 97/A], and calls found with each
// code and its character.
func Differences(list string, found func(code uint32, r rune)) {
	code := 0
	for _, word := range strings.Fields(strings.NewReplacer("/", " /", "[", " ", "]", " ").Replace(list)) {
		if name, ok := strings.CutPrefix(word, "/"); ok {
			if r := Rune(name); r != 0 && code <= maxCode {
				found(uint32(code), r)
			}
			code++
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return
		}
		code = n
	}
}
