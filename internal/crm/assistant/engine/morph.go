package engine

import (
	"slices"
	"strings"
)

// Turkish words are compared without a dictionary: two words are forms of one if they begin
// with the same letters and the rest of each is a chain of endings. So yıkanır, yıkamalıyım
// and yıkama are one word, and ödeme and ödeyebilir.

// endings are the links of a chain, folded.
var endings = wordSet(`lar ler i u a e yi yu ya ye si su ni nu na ne in un nin nun im um m n niz nuz iniz unuz miz muz imiz umuz
	da de ta te dan den tan ten nda nde ndan nden la le yla yle ile ca ce ki daki deki taki teki ndaki ndeki
	li lu siz suz lik luk lig lug ci cu
	di du ti tu dim dum tim tum din dun tin tun dik duk tik tuk dig dug tig tug dir dur tir tur mis mus
	iyor uyor yor ir ur ar er r az ez maz mez ma me mak mek mam mem may mey mi mu ecek acak eceg acag yecek yacak yeceg yacag
	abil ebil yabil yebil ama eme yama yeme il ul in un n t s sa se sam sem san sen sak sek mali meli
	ip up yip yup arak erek yarak yerek ken ince unca an en yan yen is us yis yus
	k iz uz yiz yuz yim yum sin sun siniz sunuz yin yun yiniz yunuz ayim eyim alim elim`)

// longestEnding is the length of the longest ending.
const longestEnding = 5

// roots are the three-letter roots that are recognised; others begin too many unrelated
// words.
var roots = strings.Fields(`gel ver yap yat yaz sat bul ara sor gec git kes ode kod gun yun tul pay iki don bak cek kur yol dik sev koy sur`)

// isChain reports whether the rest of a word after its root consists of endings.
func isChain(rest string) bool {
	if rest == "" {
		return true
	}
	for n := min(len(rest), longestEnding); n > 0; n-- {
		if endings[rest[:n]] && isChain(rest[n:]) {
			return true
		}
	}
	return false
}

// maxChain is the maximum length of a chain.
const maxChain = 14

// formsOfOne returns how certain it is that two folded Turkish words are forms of one: 0 if
// they are not.
func formsOfOne(a, b string) float64 {
	if a == b {
		return 1
	}
	n := 0
	for n < len(a) && n < len(b) && (a[n] == b[n] || n >= 3 && hard(a[n]) == hard(b[n])) {
		n++
	}
	if wholeWords[a] || wholeWords[b] {
		if n < min(len(a), len(b)) {
			return 0
		}
	}
	for ; n >= 3; n-- {
		if n == 3 && !isRoot(a[:3]) {
			return 0
		}
		if len(a)-n <= maxChain && len(b)-n <= maxChain && isChain(a[n:]) && isChain(b[n:]) {
			if n >= 5 {
				return 1
			}
			return 0.95
		}
	}
	return 0
}

func isRoot(s string) bool { return slices.Contains(roots, s) }

// hard returns the consonant that replaces c where no vowel follows: kitabı, kitap.
func hard(c byte) byte {
	switch c {
	case 'b':
		return 'p'
	case 'd':
		return 't'
	case 'g':
		return 'k'
	}
	return c
}
