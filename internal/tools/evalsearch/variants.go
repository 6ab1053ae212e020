package main

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"konak/internal/kit/trtext"
)

// typo changes one letter of one word of the question: it is left out, preceded by an extra
// one, replaced, or swapped with its neighbour. The same question always gets the same
// typo.
func typo(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	rng := rand.New(rand.NewPCG(h.Sum64(), 7))
	var scan trtext.Scanner
	scan.Reset(text)
	type span struct{ start, end int }
	var words []span
	for scan.Next() {
		w := string(scan.Term())
		if len(w) >= 5 && w[0] > '9' && !trtext.IsStop(w) {
			words = append(words, span{scan.Start(), scan.End()})
		}
	}
	if len(words) == 0 {
		return text
	}
	w := words[rng.IntN(len(words))]
	letters := []rune(text[w.start:w.end])
	at := rng.IntN(min(len(letters)-1, 8))
	other := rune('a' + rng.IntN(26))
	switch rng.IntN(4) {
	case 0:
		letters = append(letters[:at:at], letters[at+1:]...)
	case 1:
		letters = append(letters[:at:at], append([]rune{other}, letters[at:]...)...)
	case 2:
		letters[at] = other
	case 3:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	}
	return text[:w.start] + string(letters) + text[w.end:]
}

// undiacritic writes a question as people do on a foreign keyboard.
func undiacritic(text string) string {
	return strings.Map(func(r rune) rune {
		const from, to = "ıİşŞğĞçÇöÖüÜâÂîÎûÛ", "iIsSgGcCoOuUaAiIuU"
		if i := strings.IndexRune(from, r); i >= 0 {
			return rune(to[len([]rune(from[:i]))])
		}
		return r
	}, text)
}
