package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// weightUnit is the fixed-point unit of term weights. Integer sums do not depend on their
// order, so merging segments does not change a score.
const weightUnit = 1024

const impactUnit = 1.0 / (weightUnit * 255)

// candidate is a document with its score.
type candidate struct {
	score float64
	seg   uint32
	doc   uint32
}

// sums is the working memory of one search over one segment.
type sums struct {
	acc   []int32
	found []match
}

// match is a document of the current segment with its score.
type match struct {
	doc   uint32
	score float32
}

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

func takeSums(n int) *sums {
	s := sumsPool.Get().(*sums)
	if cap(s.acc) < n {
		s.acc = make([]int32, n)
	}
	s.acc, s.found = s.acc[:n], s.found[:0]
	clear(s.acc)
	return s
}

// accumulate adds up the impacts of all planned terms in one segment.
func (s *Snapshot) accumulate(i int, plan []plannedTerm, acc []int32) {
	seg := s.segments[i]
	budget := maxPostings
	for _, t := range plan {
		n := t.in[i]
		if n == none {
			continue
		}
		from, to := seg.start[n], seg.start[n+1]
		if budget -= int(to - from); budget < 0 {
			return
		}
		w := int32(t.weight*weightUnit + .5)
		docs, impact := seg.docs[from:to], seg.impact[from:to]
		impact = impact[:len(docs)]
		for k, d := range docs {
			acc[d] += w * int32(impact[k])
		}
	}
}

// ranking runs the first pass over all segments and keeps the best documents.
type ranking struct {
	snap   *Snapshot
	plan   []plannedTerm
	query  *Query
	checks [][]check // per segment
	sums   []*sums
	best   float64
	keep   int
	top    []candidate // heap, worst first
	total  int
	facets []facetCounter
}

func (r *ranking) run() error {
	s := r.snap
	r.checks = make([][]check, len(s.segments))
	r.sums = make([]*sums, len(s.segments))
	defer func() {
		for _, x := range r.sums {
			if x != nil {
				sumsPool.Put(x)
			}
		}
	}()
	context := s.contextScores(r.plan)
	for i, seg := range s.segments {
		checks, err := s.compile(r.query, seg)
		if err != nil {
			return err
		}
		r.checks[i] = checks
		x := takeSums(seg.size())
		r.sums[i] = x
		s.accumulate(i, r.plan, x.acc)
		r.score(i, x, context)
	}
	facets, err := newFacets(s, r.query.Facets)
	if err != nil {
		return err
	}
	r.facets = facets
	r.best = cmp.Or(r.best, 1)
	for i := range s.segments {
		if err := r.boost(i); err != nil {
			return err
		}
		r.collect(i)
	}
	slices.SortFunc(r.top, r.compare)
	return nil
}

// score lists the documents of one segment that may be hits. Most documents share only a
// common word with the query; they are skipped by a single comparison with the least sum
// that could reach the floor within their run.
func (r *ranking) score(i int, x *sums, context []float32) {
	seg, dead, checks := r.snap.segments[i], r.snap.dead[i], r.checks[i]
	bonus := r.snap.groupBonus(i, context)
	lifted, all := r.lifted(seg)
	best := r.lowerBest(i, x.acc)
	for _, run := range seg.runs {
		add, share := float32(0), float32(floorShare)
		if run.group != none {
			if bonus != nil {
				add = bonus[run.group]
			}
			if slices.Contains(lifted, run.group) {
				share = 0
			}
		}
		if all {
			share = 0
		}
		floor := best * share
		reach := func() int32 { return max(1, int32((floor*.999-add)/(impactUnit*run.topPrior))) }
		low := reach()
		for k, a := range x.acc[run.start:run.end] {
			if a < low {
				continue
			}
			d := run.start + uint32(k)
			v := float32(a)*impactUnit*seg.prior[d] + add
			if v < floor || dead.has(d) || !pass(checks, d) {
				continue
			}
			x.found = append(x.found, match{d, v})
			if v > best {
				best = v
				floor = best * share
				low = reach()
			}
		}
	}
	r.best = float64(best)
}

// lifted returns the groups that the query boosts: their documents may be hits even from
// below the floor. all reports that this holds for any document.
func (r *ranking) lifted(seg *segment) (groups []uint32, all bool) {
	for _, b := range r.query.Boosts {
		if b.Attr != r.snap.schema.Group {
			return nil, true
		}
		if g, ok := seg.attrs[r.snap.schema.attr(b.Attr)].find(b.Value); ok {
			groups = append(groups, g)
		}
	}
	return groups, false
}

// lowerBest returns a lower bound of the best score: the score of the greatest sum. With it
// the floor is high from the start.
func (r *ranking) lowerBest(i int, acc []int32) float32 {
	seg, top, at := r.snap.segments[i], int32(0), -1
	for d, a := range acc {
		if a > top && !r.snap.dead[i].has(uint32(d)) && pass(r.checks[i], uint32(d)) {
			top, at = a, d
		}
	}
	best := float32(r.best)
	if at >= 0 {
		best = max(best, float32(top)*impactUnit*seg.prior[at])
	}
	return best
}

// boost applies the boosts and pins of the query to one segment.
func (r *ranking) boost(i int) error {
	seg, x := r.snap.segments[i], r.sums[i]
	for _, b := range r.query.Boosts {
		col := r.snap.schema.attr(b.Attr)
		if col < 0 {
			return ErrFilter
		}
		value, ok := seg.attrs[col].find(b.Value)
		if !ok {
			continue
		}
		lift := float32(b.Share * r.best)
		of := seg.attrs[col].of
		for k := range x.found {
			if of[x.found[k].doc] == value {
				x.found[k].score += lift
			}
		}
	}
	for _, p := range r.query.Pins {
		d, ok := seg.byID[p.ID]
		if !ok || r.snap.dead[i].has(d) || !pass(r.checks[i], d) {
			continue
		}
		at, found := slices.BinarySearchFunc(x.found, d, func(m match, d uint32) int { return cmp.Compare(m.doc, d) })
		if !found {
			x.found = slices.Insert(x.found, at, match{doc: d})
		}
		x.found[at].score += float32(p.Share * r.best)
	}
	return nil
}

// collect counts the hits of one segment and keeps the best of them.
func (r *ranking) collect(i int) {
	floor := float32(r.best * floorShare)
	for _, m := range r.sums[i].found {
		if m.score < floor {
			continue
		}
		r.total++
		for f := range r.facets {
			r.facets[f].add(i, m.doc)
		}
		r.push(candidate{float64(m.score), uint32(i), m.doc})
	}
}

// compare puts the better candidate first.
func (r *ranking) compare(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return strings.Compare(r.id(a), r.id(b))
}

func (r *ranking) id(c candidate) string { return r.snap.segments[c.seg].ids[c.doc] }

// push keeps the best r.keep candidates in a heap whose root is the worst.
func (r *ranking) push(c candidate) {
	h := r.top
	if len(h) < r.keep {
		h = append(h, c)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if r.compare(h[i], h[up]) <= 0 {
				break
			}
			h[i], h[up] = h[up], h[i]
			i = up
		}
		r.top = h
		return
	}
	if c.score < h[0].score || r.compare(c, h[0]) >= 0 {
		return
	}
	h[0] = c
	for i := 0; ; {
		worst := i
		for k := 2*i + 1; k <= 2*i+2 && k < len(h); k++ {
			if r.compare(h[k], h[worst]) > 0 {
				worst = k
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// contextScores weighs every group of the first segment by how well its documents match the
// query. Groups that exist only in later segments get a weight after the next merge.
func (s *Snapshot) contextScores(plan []plannedTerm) []float32 {
	if s.schema.Tuning.Context == 0 || s.schema.Group == "" || len(s.segments) == 0 {
		return nil
	}
	table := &s.segments[0].context
	sum := make([]float32, table.groups)
	for _, t := range plan {
		n := t.in[0]
		if n == none || t.name[0] == surfaceMark || t.name[0] == prefixMark {
			continue
		}
		from, to := table.start[n], table.start[n+1]
		w := float32(t.query * idf(table.groups, int(to-from)) * s.schema.Tuning.Context / 255)
		impact := table.impact[from:to]
		for k, g := range table.group[from:to] {
			sum[g] += w * float32(impact[k])
		}
	}
	return sum
}

// groupBonus returns the context scores for the groups of segment i.
func (s *Snapshot) groupBonus(i int, context []float32) []float32 {
	if i == 0 || context == nil {
		return context
	}
	attr := s.schema.attr(s.schema.Group)
	values := s.segments[i].attrs[attr].values
	bonus := make([]float32, len(values))
	for g, value := range values {
		if base, ok := s.segments[0].attrs[attr].find(value); ok {
			bonus[g] = context[base]
		}
	}
	return bonus
}

// sorted returns the candidates, best first.
func (r *ranking) sorted() []candidate {
	slices.SortFunc(r.top, r.compare)
	return r.top
}
