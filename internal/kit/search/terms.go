package search

import (
	"sort"
	"strings"

	"konak/internal/kit/trtext"
)

// AnalyzerVersion is the version of the conversion of text to terms. It must change with
// every change of trtext or of this file that alters a term; files of other versions are
// then refused.
const AnalyzerVersion = "tr-1"

// The three levels share one vocabulary; the first byte distinguishes them. No term starts
// with these bytes by itself, since terms are letters and digits.
const (
	surfaceMark = '='
	prefixMark  = '~'
	prefixLen   = 4
)

const none = ^uint32(0)

// levels are the terms of one written word.
type levels struct{ stem, surface, prefix string }

func analyze(word []byte) levels {
	surface := string(word)
	stem := string(trtext.Stem([]byte(surface)))
	return levels{stem, string(surfaceMark) + surface, string(prefixMark) + cutPrefix(stem)}
}

func cutPrefix(stem string) string {
	n := 0
	for i := range stem {
		if n == prefixLen {
			return stem[:i]
		}
		n++
	}
	return stem
}

// vocabulary is a sorted list of terms in one string: compact, quick to load,
// and searchable without a hash table.
type vocabulary struct {
	text string
	off  []uint32 // len = terms + 1
}

func newVocabulary(sorted []string) vocabulary {
	n := 0
	for _, t := range sorted {
		n += len(t)
	}
	var b strings.Builder
	b.Grow(n)
	off := make([]uint32, 0, len(sorted)+1)
	for _, t := range sorted {
		off = append(off, uint32(b.Len()))
		b.WriteString(t)
	}
	off = append(off, uint32(b.Len()))
	return vocabulary{b.String(), off}
}

func (v *vocabulary) size() int            { return len(v.off) - 1 }
func (v *vocabulary) term(i uint32) string { return v.text[v.off[i]:v.off[i+1]] }

// begin calls fn for the terms with a prefix, in order, until it returns false.
func (v *vocabulary) begin(prefix string, fn func(term string) bool) {
	n := v.size()
	for i := sort.Search(n, func(i int) bool { return v.term(uint32(i)) >= prefix }); i < n; i++ {
		if t := v.term(uint32(i)); !strings.HasPrefix(t, prefix) || !fn(t) {
			return
		}
	}
}

// find returns the number of a term, or none.
func (v *vocabulary) find(term string) uint32 {
	n := v.size()
	i := sort.Search(n, func(i int) bool { return v.term(uint32(i)) >= term })
	if i < n && v.term(uint32(i)) == term {
		return uint32(i)
	}
	return none
}
