package search

import "konak/internal/kit/each"

// nearTokens is how far into a document neighbouring words are searched.
const nearTokens = 4096

// rescore adds to the best candidates what a sum over single words ignores: words that are
// next to each other both in the query and in the document. The addition is never negative,
// so no document outside the window would belong above one inside it, and paging stays in
// order.
func (r *ranking) rescore(sequence []string) {
	if r.snap.schema.Tuning.Near == 0 || len(sequence) < 2 {
		return
	}
	weight := map[string]float64{}
	for _, t := range r.plan {
		weight[t.name] = t.weight
	}
	pairs := each.Map(r.snap.segments, func(seg *segment) pairTable { return newPairTable(seg, sequence, weight) })
	window := r.top[:min(len(r.top), rescoreDepth)]
	var counts []float64
	for i := range window {
		c := &window[i]
		p := &pairs[c.seg]
		if len(p.list) == 0 {
			continue
		}
		counts = append(counts[:0], make([]float64, len(p.list))...)
		c.score += r.snap.schema.Tuning.Near * p.bonus(r.snap, c, counts)
	}
}

type pair struct {
	a, b   uint32
	weight float64
}

// pairTable finds the pairs of a query among the words of one segment. first is a coarse
// filter by the low bits of the first word: nearly all words of a document fail it, and
// most documents contain no pair at all.
type pairTable struct {
	list  []pair
	first [256]bool
}

func newPairTable(seg *segment, sequence []string, weight map[string]float64) pairTable {
	var t pairTable
	for i := 1; i < len(sequence); i++ {
		x, y := sequence[i-1], sequence[i]
		a, b := seg.vocab.find(x), seg.vocab.find(y)
		if a == none || b == none || a == b || t.has(a, b) {
			continue
		}
		t.list = append(t.list, pair{a, b, min(weight[x], weight[y])})
		t.first[a&255] = true
	}
	return t
}

func (t *pairTable) has(a, b uint32) bool {
	for _, p := range t.list {
		if p.a == a && p.b == b {
			return true
		}
	}
	return false
}

func (t *pairTable) bonus(s *Snapshot, c *candidate, counts []float64) float64 {
	seg := s.segments[c.seg]
	text := seg.forward.cut(seg.forwardStart[c.doc], seg.forwardStart[c.doc+1])
	length := float64(text.len())
	found := false
	for i := 1; i < min(text.len(), nearTokens); i++ {
		if !t.first[text[wordBytes*(i-1)]] {
			continue
		}
		a, b := text.at(i-1), text.at(i)
		for k, p := range t.list {
			if p.a == a && p.b == b {
				counts[k]++
				found = true
			}
		}
	}
	if !found {
		return 0
	}
	sum, norm := 0.0, .5+.5*length/s.meanLength
	for k, n := range counts {
		if n > 0 {
			n /= norm
			sum += t.list[k].weight * n / (n + s.schema.Tuning.K1)
		}
	}
	return sum
}
