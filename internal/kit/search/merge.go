package search

import (
	"math/bits"
	"slices"
)

func (b bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// merge merges several segments into one without their dead documents. Impacts are copied
// unchanged: all segments were built with the same averages.
func merge(schema *Schema, segments []*segment, dead []bitmap) *segment {
	out := &segment{attrs: make([]attrColumn, len(schema.Attrs)), numbers: make([][]int32, len(schema.Numbers))}
	moved := make([][]uint32, len(segments)) // old number → new, none if dead
	for i, seg := range segments {
		moved[i] = out.takeDocuments(seg, dead[i])
	}
	out.mergeAttrs(segments, moved)
	terms := out.mergePostings(segments, moved)
	out.mergeForward(segments, moved, terms)
	out.finish(schema)
	return out
}

func (out *segment) takeDocuments(seg *segment, dead bitmap) []uint32 {
	moved := make([]uint32, seg.size())
	for d, id := range seg.ids {
		if dead.has(uint32(d)) {
			moved[d] = none
			continue
		}
		moved[d] = uint32(len(out.ids))
		out.ids = append(out.ids, id)
		out.prior = append(out.prior, seg.prior[d])
		for n := range out.numbers {
			out.numbers[n] = append(out.numbers[n], seg.numbers[n][d])
		}
	}
	return moved
}

func (out *segment) mergeAttrs(segments []*segment, moved [][]uint32) {
	for a := range out.attrs {
		col := &out.attrs[a]
		number := map[string]uint32{}
		for i, seg := range segments {
			for d, v := range seg.attrs[a].of {
				if moved[i][d] == none {
					continue
				}
				value := seg.attrs[a].values[v]
				n, ok := number[value]
				if !ok {
					n = uint32(len(col.values))
					number[value] = n
					col.values = append(col.values, value)
				}
				col.of = append(col.of, n)
			}
		}
	}
}

// mergePostings merges the vocabularies and joins the lists of equal terms. It returns the
// new number of every old term, none for terms without documents.
func (out *segment) mergePostings(segments []*segment, moved [][]uint32) [][]uint32 {
	terms := make([][]uint32, len(segments))
	at := make([]uint32, len(segments))
	for i, seg := range segments {
		terms[i] = make([]uint32, seg.vocab.size())
	}
	var names []string
	out.start = append(out.start, 0)
	for {
		name, ok := smallest(segments, at)
		if !ok {
			break
		}
		before := len(out.docs)
		for i, seg := range segments {
			if int(at[i]) >= seg.vocab.size() || seg.vocab.term(at[i]) != name {
				continue
			}
			t := at[i]
			for k := seg.start[t]; k < seg.start[t+1]; k++ {
				if d := moved[i][seg.docs[k]]; d != none {
					out.docs = append(out.docs, d)
					out.impact = append(out.impact, seg.impact[k])
				}
			}
			terms[i][t] = uint32(len(names))
			at[i]++
		}
		if len(out.docs) == before {
			for i := range segments {
				if at[i] > 0 && segments[i].vocab.term(at[i]-1) == name {
					terms[i][at[i]-1] = none
				}
			}
			continue
		}
		names = append(names, name)
		out.start = append(out.start, uint32(len(out.docs)))
	}
	out.vocab = newVocabulary(names)
	out.docs, out.impact = slices.Clip(out.docs), slices.Clip(out.impact)
	return terms
}

func smallest(segments []*segment, at []uint32) (string, bool) {
	name, found := "", false
	for i, seg := range segments {
		if int(at[i]) < seg.vocab.size() {
			if t := seg.vocab.term(at[i]); !found || t < name {
				name, found = t, true
			}
		}
	}
	return name, found
}

func (out *segment) mergeForward(segments []*segment, moved, terms [][]uint32) {
	for i, seg := range segments {
		for d := range seg.ids {
			if moved[i][d] == none {
				continue
			}
			out.forwardStart = append(out.forwardStart, uint32(out.forward.len()))
			for w := range seg.forwardStart[d+1] - seg.forwardStart[d] {
				t := seg.forward.at(int(seg.forwardStart[d] + w))
				if t != gap {
					t = terms[i][t]
				}
				out.forward = out.forward.add(t)
			}
		}
	}
	out.forwardStart = append(out.forwardStart, uint32(out.forward.len()))
	out.forward = slices.Clone(out.forward) // without spare capacity
}
