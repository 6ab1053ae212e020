package search

import (
	"cmp"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// builder turns documents into a segment in two steps. While documents are added it only
// numbers their words; impacts need the average field lengths and are computed after the
// last one.
type builder struct {
	schema *Schema
	scan   trtext.Scanner

	words map[string]uint32 // written word → number
	stem  []uint32          // per word, its terms
	surf  []uint32
	pref  []uint32

	terms map[string]uint32
	names []string

	text    []uint32 // words of all documents, gap between paragraphs
	fieldAt []uint32 // len(Fields) starts per document, plus the end
	lengths []uint32 // words per field, len(Fields) per document

	ids     []string
	at      map[string]int
	prior   []float32
	attrs   []attrColumn
	attrIDs []map[string]uint32
	numbers [][]int32
}

func newBuilder(schema *Schema) *builder {
	b := &builder{
		schema: schema,
		words:  map[string]uint32{}, terms: map[string]uint32{}, at: map[string]int{},
		attrs: make([]attrColumn, len(schema.Attrs)), numbers: make([][]int32, len(schema.Numbers)),
		attrIDs: make([]map[string]uint32, len(schema.Attrs)),
	}
	for i := range b.attrIDs {
		b.attrIDs[i] = map[string]uint32{}
	}
	return b
}

func (b *builder) term(t string) uint32 {
	n, ok := b.terms[t]
	if !ok {
		n = uint32(len(b.names))
		b.terms[t] = n
		b.names = append(b.names, t)
	}
	return n
}

func (b *builder) word(w []byte) uint32 {
	if n, ok := b.words[string(w)]; ok {
		return n
	}
	l := analyze(w)
	n := uint32(len(b.stem))
	b.words[string(w)] = n
	b.stem = append(b.stem, b.term(l.stem))
	b.surf = append(b.surf, b.term(l.surface))
	b.pref = append(b.pref, b.term(l.prefix))
	return n
}

// add adds one document. It must follow the schema.
func (b *builder) add(d *Document) {
	for _, text := range d.Fields {
		b.fieldAt = append(b.fieldAt, uint32(len(b.text)))
		b.scan.Reset(text)
		last, count := 0, uint32(0)
		for b.scan.Next() {
			if count > 0 && breaks(text[last:b.scan.Start()]) {
				b.text = append(b.text, gap)
			}
			last = b.scan.End()
			b.text = append(b.text, b.word(b.scan.Term()))
			count++
		}
		b.text = append(b.text, gap)
		b.lengths = append(b.lengths, count)
	}
	b.at[d.ID] = len(b.ids)
	b.ids = append(b.ids, d.ID)
	b.prior = append(b.prior, float32(cmp.Or(d.Prior, 1)))
	for i, v := range d.Attrs {
		n, ok := b.attrIDs[i][v]
		if !ok {
			n = uint32(len(b.attrs[i].values))
			b.attrIDs[i][v] = n
			b.attrs[i].values = append(b.attrs[i].values, strings.Clone(v))
		}
		b.attrs[i].of = append(b.attrs[i].of, n)
	}
	for i, v := range d.Numbers {
		b.numbers[i] = append(b.numbers[i], v)
	}
}

// breaks reports whether words with this text between them are not neighbours.
func breaks(between string) bool { return strings.ContainsAny(between, "\n.;:") }

// averages returns the mean lengths of the fields over all documents.
func (b *builder) averages() []float64 {
	n := len(b.schema.Fields)
	avg := make([]float64, n)
	for i, l := range b.lengths {
		avg[i%n] += float64(l)
	}
	for i := range avg {
		avg[i] = max(avg[i]/float64(max(len(b.ids), 1)), 1)
	}
	return avg
}

// build computes the segment with the given field length averages.
func (b *builder) build(avg []float64) *segment {
	rank := b.sortTerms()
	s := &segment{
		ids: b.ids, prior: b.prior, attrs: b.attrs, numbers: b.numbers,
		start:        make([]uint32, len(b.names)+1),
		forwardStart: make([]uint32, 0, len(b.ids)+1),
	}
	slices.Sort(b.names)
	s.vocab = newVocabulary(b.names)

	b.fieldAt = append(b.fieldAt, uint32(len(b.text)))
	tally := newTally(len(b.names))
	for d := range b.ids {
		b.count(d, rank, avg, tally)
		for _, t := range tally.seen {
			s.start[t+1]++
		}
		tally.reset()
	}
	for t := range b.names {
		s.start[t+1] += s.start[t]
	}
	s.docs = make([]uint32, s.start[len(b.names)])
	s.impact = make([]uint8, len(s.docs))
	next := slices.Clone(s.start)
	for d := range b.ids {
		b.count(d, rank, avg, tally)
		for _, t := range tally.seen {
			s.docs[next[t]] = uint32(d)
			s.impact[next[t]] = quantize(tally.tf[t], b.schema.Tuning.K1)
			next[t]++
		}
		tally.reset()
	}
	n := len(b.schema.Fields)
	for d := range b.ids {
		s.forwardStart = append(s.forwardStart, b.fieldAt[d*n])
	}
	s.forwardStart = append(s.forwardStart, uint32(len(b.text)))
	s.forward = make(words, 0, wordBytes*len(b.text))
	for _, w := range b.text {
		if w != gap {
			w = rank[b.stem[w]]
		}
		s.forward = s.forward.add(w)
	}
	s.finish(b.schema)
	return s
}

// sortTerms returns the position of every term in the sorted vocabulary.
func (b *builder) sortTerms() []uint32 {
	order := make([]uint32, len(b.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.names[x], b.names[y]) })
	rank := make([]uint32, len(order))
	for place, t := range order {
		rank[t] = uint32(place)
	}
	return rank
}

// tally sums the weighted frequencies of the terms of one document.
type tally struct {
	tf   []float32
	seen []uint32
}

func newTally(terms int) *tally {
	return &tally{tf: make([]float32, terms)}
}

func (t *tally) reset() {
	for _, n := range t.seen {
		t.tf[n] = 0
	}
	t.seen = t.seen[:0]
}

func (t *tally) add(term uint32, w float32) {
	if t.tf[term] == 0 {
		t.seen = append(t.seen, term)
	}
	t.tf[term] += w
}

func (b *builder) count(d int, rank []uint32, avg []float64, t *tally) {
	n := len(b.schema.Fields)
	for i, f := range b.schema.Fields {
		at := d*n + i
		length := float64(b.lengths[at])
		w := float32(f.Weight / (1 - f.B + f.B*length/avg[i]))
		for _, word := range b.text[b.fieldAt[at]:b.fieldAt[at+1]] {
			if word == gap {
				continue
			}
			t.add(rank[b.stem[word]], w)
			t.add(rank[b.surf[word]], w)
			t.add(rank[b.pref[word]], w)
		}
	}
}

// quantize saturates a weighted frequency and stores it in one byte, never zero.
func quantize(tf float32, k1 float64) uint8 {
	x := float64(tf)
	return uint8(max(1, x/(x+k1)*255+.5))
}
