package search

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Errors that a caller can distinguish and show to the user.
var (
	ErrCursor = errors.New("search: cursor is not valid")
	ErrFilter = errors.New("search: unknown attribute")
	ErrLimit  = errors.New("search: limit out of range")
)

// Query is one query to a snapshot.
type Query struct {
	Text     string
	Synonyms *Synonyms // vocabulary to widen the query with; nil for none
	Filters  []Filter  // all must hold
	Ranges   []Range   // all must hold
	Boosts   []Boost
	Pins     []Pin
	Facets   []string // attributes to count the hits by
	Limit    int      // hits wanted, 20 if zero
	Cursor   string   // Next of the previous answer; "" for the first page
	After    *Place   // instead of Cursor: where the previous page ended
	Exact    bool     // take the words as typed: no spelling correction
	Typing   bool     // the last word may be the beginning of one
}

// Place is the position where a page ended, for callers with their own form of cursor.
type Place struct {
	Score float64
	ID    string
}

// Filter keeps documents whose attribute has one of the values.
type Filter struct {
	Attr   string
	Values []string
}

// Range keeps documents whose number is between Min and Max, inclusive.
type Range struct {
	Number   string
	Min, Max int32
}

// Boost raises documents whose attribute has the value, by a share of the best score. It
// affects only documents that match anyway.
type Boost struct {
	Attr, Value string
	Share       float64
}

// Pin raises one document by a share of the best score, whether it matches or not; filters
// still apply.
type Pin struct {
	ID    string
	Share float64
}

// Hit is one document found.
type Hit struct {
	ID    string
	Score float64
}

// Count is one value of a facet.
type Count struct {
	Value string
	Hits  int
}

// Answer is the result of a search. All of it comes from one revision.
type Answer struct {
	Revision  int64
	Hits      []Hit
	Total     int // documents that score at least a fifth of the best
	Facets    map[string][]Count
	Next      string            // cursor of the next page, "" at the end
	More      bool              // whether there is a next page, for callers that use After
	Corrected map[string]string // misspelt word → the word searched instead
	Matcher   *Matcher          // marks what matched in the source text
}

// queryTerm is a term with its weight before any frequency is known.
type queryTerm struct {
	name   string
	weight float64
}

// parsed is a query after analysis. Only its spelling depends on the segments.
type parsed struct {
	terms     []queryTerm
	sequence  []string // stems in order, stop words left out
	corrected map[string]string
	synonyms  []string // stems that came from synonyms
	begin     string   // the last word if it may be only the beginning of one
}

// parse reads the words of a query. Stop words are left out unless there are no others.
func (s *Snapshot) parse(q *Query) parsed {
	words := queryWords(q.Text)
	content := slices.DeleteFunc(slices.Clone(words), trtext.IsStop)
	if len(content) == 0 {
		content = words
	}
	var p parsed
	weights := newWeights(s.schema.Tuning.Repeat)
	for i, w := range content {
		l := analyze([]byte(w))
		whole := s.addUnfinished(q, i == len(content)-1, w, weights)
		if whole {
			p.begin = w
		}
		if !whole && s.unknown(l) {
			l = s.resolve(q, w, l, &p)
		}
		weights.add(l.stem, 1)
		weights.add(l.surface, s.schema.Tuning.Surface)
		weights.add(l.prefix, s.schema.Tuning.Prefix)
		p.sequence = append(p.sequence, l.stem)
	}
	if q.Synonyms != nil && s.schema.Tuning.Synonym > 0 {
		q.Synonyms.expand(p.sequence, func(stem string) {
			weights.add(stem, s.schema.Tuning.Synonym)
			p.synonyms = append(p.synonyms, stem)
		})
	}
	p.terms = weights.list
	return p
}

// addUnfinished adds the words that begin with the last one, if it may be unfinished, and
// reports whether there are any. A completely typed word counts more, since its stem is
// added too.
func (s *Snapshot) addUnfinished(q *Query, last bool, w string, to *weights) bool {
	if !q.Typing || !last || len(w) < minBegin {
		return false
	}
	found := 0
	for _, seg := range s.segments {
		seg.vocab.begin(string(surfaceMark)+w, func(term string) bool {
			if _, again := to.at[term]; !again { // found in an earlier segment
				to.add(term, begunWeight)
				found++
			}
			return found < maxBegun
		})
	}
	return found > 0
}

// resolve finds a replacement for an unknown word: first the word without endings of spoken
// language ("markamı", "verirsem"), then a corrected spelling.
func (s *Snapshot) resolve(q *Query, w string, l levels, p *parsed) levels {
	if s.schema.Tuning.Personal {
		if bare := analyze(trtext.StripPerson([]byte(w))); bare.stem != l.stem && s.frequency(bare.stem, nil) > rareWord {
			return bare
		}
	}
	if q.Exact || len(p.corrected) >= maxFixes {
		return l
	}
	fixed, ok := s.correct(w, l)
	if !ok {
		return l
	}
	if p.corrected == nil {
		p.corrected = map[string]string{}
	}
	p.corrected[w] = fixed
	return analyze([]byte(fixed))
}

func queryWords(text string) []string {
	var scan trtext.Scanner
	scan.Reset(text)
	var words []string
	for len(words) < maxWords && scan.Next() {
		words = append(words, string(scan.Term()))
	}
	return words
}

// weights collects terms in order of appearance.
type weights struct {
	at     map[string]int
	list   []queryTerm
	repeat float64
}

func newWeights(repeat float64) *weights {
	return &weights{at: map[string]int{}, repeat: repeat}
}

func (w *weights) add(name string, weight float64) {
	if weight == 0 {
		return
	}
	if i, ok := w.at[name]; ok {
		w.list[i].weight += weight * w.repeat
		return
	}
	if len(w.list) < maxTerms {
		w.at[name] = len(w.list)
		w.list = append(w.list, queryTerm{name, weight})
	}
}

// plannedTerm is a term that occurs in the snapshot.
type plannedTerm struct {
	name   string
	weight float64  // with frequency
	query  float64  // as in the query
	in     []uint32 // its number in every segment, or none
}

// plan looks up the terms and weighs them by their frequency in the snapshot, heaviest
// first, so that a cut at the posting limit loses least.
func (s *Snapshot) plan(terms []queryTerm) []plannedTerm {
	out := make([]plannedTerm, 0, len(terms))
	numbers := make([]uint32, len(terms)*len(s.segments))
	for _, t := range terms {
		in := numbers[:len(s.segments):len(s.segments)]
		numbers = numbers[len(s.segments):]
		df := s.frequency(t.name, in)
		if df == 0 {
			continue
		}
		w := t.weight * math.Pow(idf(s.size(), df), s.schema.Tuning.IDFPower)
		out = append(out, plannedTerm{t.name, w, t.weight, in})
	}
	slices.SortStableFunc(out, func(a, b plannedTerm) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.name, b.name))
	})
	return out
}

// frequency counts the documents with a term, including dead ones until they are merged
// away, and sets the term's number in every segment.
func (s *Snapshot) frequency(name string, in []uint32) (df int) {
	for i, seg := range s.segments {
		n := seg.vocab.find(name)
		if in != nil {
			in[i] = n
		}
		if n != none {
			df += int(seg.start[n+1] - seg.start[n])
		}
	}
	return df
}

func idf(docs, df int) float64 {
	return math.Log(1 + (float64(max(docs, df))-float64(df)+.5)/(float64(df)+.5))
}
