package search

import "strings"

// Snapshot is one state of an index. It never changes and may be searched by
// any number of goroutines.
type Snapshot struct {
	schema     *Schema
	revision   int64
	segments   []*segment
	dead       []bitmap
	live       int
	averages   []float64
	meanLength float64
}

// bitmap marks documents of a segment; nil marks none.
type bitmap []uint64

func (b bitmap) has(d uint32) bool { return b != nil && b[d>>6]&(1<<(d&63)) != 0 }

func (b bitmap) with(n int, d uint32) bitmap {
	if b == nil {
		b = make(bitmap, (n+63)/64)
	}
	b[d>>6] |= 1 << (d & 63)
	return b
}

// Revision returns the number given with the last change.
func (s *Snapshot) Revision() int64 { return s.revision }

// Len returns the number of documents.
func (s *Snapshot) Len() int { return s.live }

// Bytes returns the memory that the snapshot uses, to within a few percent.
func (s *Snapshot) Bytes() int {
	n := 0
	for _, seg := range s.segments {
		n += seg.bytes()
	}
	return n
}

// Has reports whether a document with this id is in the snapshot.
func (s *Snapshot) Has(id string) bool {
	_, _, ok := s.locate(id)
	return ok
}

func (s *Snapshot) locate(id string) (seg int, doc uint32, ok bool) {
	for i := len(s.segments) - 1; i >= 0; i-- {
		if d, found := s.segments[i].byID[id]; found && !s.dead[i].has(d) {
			return i, d, true
		}
	}
	return 0, 0, false
}

func (s *Snapshot) size() int {
	n := 0
	for _, seg := range s.segments {
		n += seg.size()
	}
	return n
}

// Search answers a query.
func (s *Snapshot) Search(q Query) (Answer, error) {
	limit := q.Limit
	if limit == 0 {
		limit = 20
	}
	if limit < 0 || limit > maxLimit {
		return Answer{}, ErrLimit
	}
	var after cursor
	if q.Cursor != "" {
		c, err := decodeCursor(q.Cursor)
		if err != nil {
			return Answer{}, err
		}
		after = c
	} else if q.After != nil {
		after = cursor{shown: maxDepth - limit, score: q.After.Score, id: q.After.ID}
	}
	p := s.parse(&q)
	r := ranking{snap: s, plan: s.plan(p.terms), query: &q}
	r.keep = max(rescoreDepth, min(maxDepth, after.shown+limit))
	if err := r.run(); err != nil {
		return Answer{}, err
	}
	r.rescore(p.sequence)
	a := Answer{Revision: s.revision, Total: r.total, Corrected: p.corrected, Matcher: newMatcher(p)}
	s.page(&a, &r, after, limit)
	if len(r.facets) > 0 {
		a.Facets = make(map[string][]Count, len(r.facets))
		for i := range r.facets {
			a.Facets[r.facets[i].name] = r.facets[i].list()
		}
	}
	return a, nil
}

// page returns the hits after the cursor from the ranked list.
func (s *Snapshot) page(a *Answer, r *ranking, after cursor, limit int) {
	list := r.sorted()
	if after.id != "" {
		n := 0
		for n < len(list) && !isBehind(list[n].score, r.id(list[n]), after) {
			n++
		}
		list = list[n:]
	}
	cut := list[:min(limit, len(list))]
	a.Hits = make([]Hit, 0, len(cut))
	for _, c := range cut {
		a.Hits = append(a.Hits, Hit{r.id(c), c.score})
	}
	a.More = len(list) > len(cut)
	shown := after.shown + len(cut)
	if len(cut) == limit && shown < r.total && shown < maxDepth {
		last := a.Hits[len(a.Hits)-1]
		a.Next = cursor{s.revision, shown, last.Score, last.ID}.encode()
	}
}

func isBehind(score float64, id string, c cursor) bool {
	return score < c.score || score == c.score && strings.Compare(id, c.id) > 0
}
