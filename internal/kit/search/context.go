package search

// contextHalf is the summed impact at which a group counts half for a term, contextB is how
// strongly large groups are penalized.
const (
	contextHalf = 2.0
	contextB    = .5
)

// finish computes the fields that are derived from the other arrays.
func (s *segment) finish(schema *Schema) {
	s.index()
	s.context = contextTable{attr: -1}
	if schema.Group == "" {
		s.buildRuns(nil)
		return
	}
	group := schema.attr(schema.Group)
	s.buildRuns(s.attrs[group].of)
	s.buildContext(group)
}

// buildContext sums the impacts of every stem over the documents of a group. It reads
// postings rather than text, so that it also works for merged segments.
func (s *segment) buildContext(attr int) {
	col := &s.attrs[attr]
	groups := len(col.values)
	c := contextTable{attr: attr, groups: groups, start: make([]uint32, s.vocab.size()+1)}
	docs := make([]float64, groups)
	for _, g := range col.of {
		docs[g]++
	}
	mean := float64(s.size()) / float64(max(groups, 1))
	sum := make([]float64, groups)
	var seen []uint32
	for t := range s.vocab.size() {
		c.start[t] = uint32(len(c.group))
		if name := s.vocab.term(uint32(t)); name[0] == surfaceMark || name[0] == prefixMark {
			continue
		}
		for i := s.start[t]; i < s.start[t+1]; i++ {
			g := col.of[s.docs[i]]
			if sum[g] == 0 {
				seen = append(seen, g)
			}
			sum[g] += float64(s.impact[i]) / 255
		}
		for _, g := range seen {
			x := sum[g] / (1 - contextB + contextB*docs[g]/mean)
			c.group = append(c.group, g)
			c.impact = append(c.impact, uint8(max(1, x/(x+contextHalf)*255)))
			sum[g] = 0
		}
		seen = seen[:0]
	}
	c.start[s.vocab.size()] = uint32(len(c.group))
	s.context = c
}
