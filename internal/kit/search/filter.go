package search

import (
	"cmp"
	"slices"
)

// check is a filter compiled for one segment.
type check struct {
	of       []uint32 // attribute column, nil for a range
	keep     []bool   // per value
	number   []int32
	min, max int32
}

func pass(checks []check, d uint32) bool {
	for i := range checks {
		c := &checks[i]
		if c.of != nil {
			if !c.keep[c.of[d]] {
				return false
			}
		} else if n := c.number[d]; n < c.min || n > c.max {
			return false
		}
	}
	return true
}

func (s *Snapshot) compile(q *Query, seg *segment) ([]check, error) {
	var out []check
	for _, f := range q.Filters {
		a := s.schema.attr(f.Attr)
		if a < 0 {
			return nil, ErrFilter
		}
		col := &seg.attrs[a]
		c := check{of: col.of, keep: make([]bool, len(col.values))}
		for _, v := range f.Values {
			if n, ok := col.find(v); ok {
				c.keep[n] = true
			}
		}
		out = append(out, c)
	}
	for _, r := range q.Ranges {
		n := s.schema.number(r.Number)
		if n < 0 {
			return nil, ErrFilter
		}
		out = append(out, check{number: seg.numbers[n], min: r.Min, max: r.Max})
	}
	return out, nil
}

// facetCounter counts hits by the values of one attribute; values are numbered per segment,
// hence the nested slices.
type facetCounter struct {
	name   string
	cols   []*attrColumn
	counts [][]int
}

func newFacets(s *Snapshot, names []string) ([]facetCounter, error) {
	var out []facetCounter
	for _, name := range names {
		a := s.schema.attr(name)
		if a < 0 {
			return nil, ErrFilter
		}
		f := facetCounter{name: name}
		for _, seg := range s.segments {
			f.cols = append(f.cols, &seg.attrs[a])
			f.counts = append(f.counts, make([]int, len(seg.attrs[a].values)))
		}
		out = append(out, f)
	}
	return out, nil
}

func (f *facetCounter) add(seg int, d uint32) { f.counts[seg][f.cols[seg].of[d]]++ }

// list returns the facet's counts, the most frequent value first.
func (f *facetCounter) list() []Count {
	sum := map[string]int{}
	for i, col := range f.cols {
		for v, n := range f.counts[i] {
			if n > 0 {
				sum[col.values[v]] += n
			}
		}
	}
	out := make([]Count, 0, len(sum))
	for v, n := range sum {
		out = append(out, Count{v, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), cmp.Compare(a.Value, b.Value))
	})
	return out
}
