package main

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"konak/internal/advisor"
)

// longest is the length of the longest question that the API accepts, in characters.
const longest = 512

// hostile returns questions that nobody asks in good faith: as long as allowed, made of the
// commonest words, of noise, of half-destroyed words that trigger the speller, of
// everything that looks like a citation.
func hostile(list []*advisor.Provision, questions []question, n int) []question {
	r := rand.New(rand.NewPCG(1, 2))
	words := commonest(list, 200)
	fill := func(next func() string) string {
		var b strings.Builder
		for utf8.RuneCountInString(b.String()) < longest {
			b.WriteString(next() + " ")
		}
		return string([]rune(b.String())[:longest])
	}
	pick := func() string { return words[r.IntN(len(words))] }
	broken := func() string {
		w := []rune(pick())
		for range 1 + r.IntN(2) {
			w[r.IntN(len(w))] = rune('a' + r.IntN(26))
		}
		return string(w)
	}
	kinds := []func() string{
		func() string { return fill(pick) },
		func() string { return fill(broken) },
		func() string { return fill(func() string { return string(rune(1 + r.IntN(0x2fff))) }) },
		func() string {
			return fill(func() string { return string(rune('a'+r.IntN(26))) + "*?\"'-+()"[:1+r.IntN(8)] })
		},
		func() string {
			return fill(func() string {
				return strings.Repeat("9", 1+r.IntN(6)) + " sayılı kanun m. " + strings.Repeat("1", 1+r.IntN(5))
			})
		},
		func() string {
			b := []byte(questions[r.IntN(len(questions))].Text)
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			return strings.ToValidUTF8(string(b), "\uFFFD")
		},
	}
	out := make([]question, n)
	for i := range out {
		out[i] = question{Text: kinds[i%len(kinds)]()}
	}
	return out
}

// commonest returns the n words that occur in the most provisions.
func commonest(list []*advisor.Provision, n int) []string {
	count := map[string]int{}
	for _, p := range list {
		for w := range strings.FieldsSeq(p.Text) {
			count[w]++
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	return words[:min(n, len(words))]
}
