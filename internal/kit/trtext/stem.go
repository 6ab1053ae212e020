package trtext

// Stemming works on folded terms, where ı/i, u/ü and o/ö are one letter each, so a suffix
// such as -(y)I is two strings (i, u) rather than four.

const (
	minStem    = 4 // shorter stems would join unrelated words
	stemRounds = 3
)

// nominal lists the endings of nouns, longest first within a length class: plural,
// possessive, case, and their usual chains, which a single round would otherwise cut at the
// wrong place.
var nominal = suffixTable(
	"larimiz", "lerimiz", "lariniz", "leriniz",
	"larinin", "lerinin", "larinda", "lerinde", "larindan", "lerinden",
	"larina", "lerine", "larini", "lerini", "lariyla", "leriyle",
	"larin", "lerin", "lara", "lere", "larda", "lerde", "lardan", "lerden",
	"lari", "leri", "larim", "lerim", "lar", "ler",
	"sinin", "sunun", "sinda", "sinde", "sunda", "sindan", "sinden", "sundan",
	"sini", "sunu", "sina", "sine", "suna", "siyla", "siyle", "suyla",
	"imiz", "umuz", "iniz", "unuz", "miz", "muz", "niz", "nuz",
	"inin", "unun", "inda", "inde", "unda", "indan", "inden", "undan",
	"ini", "unu", "ina", "ine", "una", "iyla", "iyle", "uyla",
	"nin", "nun", "nda", "nde", "ndan", "nden", "yla", "yle",
	"dan", "den", "tan", "ten", "daki", "deki", "taki", "teki",
	"ndaki", "ndeki", "indaki", "indeki", "undaki",
	"da", "de", "ta", "te", "in", "un", "im", "um", "si", "su",
	"yi", "yu", "ya", "ye", "ni", "nu", "na", "ne", "ca", "ce", "la", "le",
	"i", "u", "a", "e",
)

// suffixTable sorts suffixes by last letter and, within it, longest first, so
// that a lookup tests only those that can match.
func suffixTable(list ...string) *[26][]string {
	var t [26][]string
	for _, s := range list {
		k := s[len(s)-1] - 'a'
		at := 0
		for at < len(t[k]) && len(t[k][at]) >= len(s) {
			at++
		}
		t[k] = append(t[k], "")
		copy(t[k][at+1:], t[k][at:])
		t[k][at] = s
	}
	return &t
}

// Stem strips the inflection of a noun from a folded term: at most three
// endings, never below four letters. A final b, d or g becomes p, t or k, the
// letter that Turkish writes when no vowel follows (kitabı → kitap). Without a
// dictionary a word that ends in n itself is cut one letter too far in some of
// its forms (kanunun → kanu); an index should know words by more than their
// stem. The result
// shares memory with term unless its last letter changed.
func Stem(term []byte) []byte {
	return harden(strip(term, nominal))
}

func strip(term []byte, table *[26][]string) []byte {
	for range stemRounds {
		cut := ending(term, table)
		if cut == 0 {
			break
		}
		term = term[:len(term)-cut]
	}
	return term
}

// ending returns the length of the longest suffix of table in which term ends and that
// leaves a stem with a vowel.
func ending(term []byte, table *[26][]string) int {
	if len(term) <= minStem {
		return 0
	}
	k := term[len(term)-1] - 'a'
	if k >= 26 {
		return 0
	}
	for _, s := range table[k] {
		rest := len(term) - len(s)
		if rest >= minStem && string(term[rest:]) == s && joins(term[rest-1], s) && hasVowel(term[:rest]) {
			return len(s)
		}
	}
	return 0
}

// joins reports whether a suffix may follow a stem that ends in letter last. Two vowels
// never meet: a suffix that begins with one needs a consonant before it, and one that
// begins with a linking letter (n, s, y) needs a vowel.
func joins(last byte, suffix string) bool {
	switch {
	case isVowel(suffix[0]):
		return !isVowel(last)
	case suffix[0] == 'n' || suffix[0] == 'y' || suffix[0] == 's' && (len(suffix) < 2 || suffix[1] == 'i' || suffix[1] == 'u'):
		return isVowel(last)
	}
	return true
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

func hasVowel(term []byte) bool {
	for _, c := range term {
		if isVowel(c) {
			return true
		}
	}
	return false
}

func harden(term []byte) []byte {
	if len(term) < minStem {
		return term
	}
	var hard byte
	switch term[len(term)-1] {
	case 'b':
		hard = 'p'
	case 'd':
		hard = 't'
	case 'g':
		hard = 'k'
	default:
		return term
	}
	return append(append(make([]byte, 0, len(term)), term[:len(term)-1]...), hard)
}

// personal lists the endings of the first and second person, with and without a case after
// them. Statutes do not use them; people who ask do.
var personal = suffixTable(
	"m", "im", "um", "mi", "imi", "umu", "ma", "me", "ima", "ime", "uma", "ume",
	"min", "imin", "umun", "mda", "mde", "imda", "imde", "umda", "umde",
	"mdan", "mden", "imdan", "imden", "umdan", "mla", "mle", "imla", "imle", "umla", "umle",
	"yim", "yum", "sin", "sun", "yiz", "yuz", "iz", "uz", "siniz", "sunuz",
	"sam", "sem", "san", "sen", "sak", "sek", "saniz", "seniz",
	"dim", "dum", "tim", "tum", "din", "dun", "tin", "tun", "dik", "duk", "tik", "tuk",
	"yorum", "yorsun", "yoruz", "iyor", "uyor", "iyorum", "uyorum", "iyoruz", "uyoruz", "iyorlar", "uyorlar",
	"irim", "urum", "arim", "erim", "abilirim", "ebilirim", "acagim", "ecegim", "mistim", "mustum",
)

// StripPerson cuts one ending of the first or second person off a folded term.
func StripPerson(term []byte) []byte { return term[:len(term)-ending(term, personal)] }
