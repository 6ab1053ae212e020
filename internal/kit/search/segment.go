package search

// segment holds an immutable set of documents. Documents that are replaced or deleted later
// are marked in the snapshot, not here.
type segment struct {
	vocab vocabulary

	// Postings of term t are docs[start[t]:start[t+1]], ascending, with the impact of each
	// document in impact.
	start  []uint32
	docs   []uint32
	impact []uint8

	// Forward index: the stems of document d in reading order, field after field, with a
	// gap between words that are not neighbours.
	forwardStart []uint32
	forward      words

	ids     []string
	prior   []float32
	attrs   []attrColumn
	numbers [][]int32

	// Computed by finish, not written to files.
	byID    map[string]uint32
	runs    []run
	context contextTable
}

// run is a sequence of documents of one group. Values that are the same for all of them are
// computed once per search instead of once per document.
type run struct {
	start, end uint32
	group      uint32 // none without groups
	topPrior   float32
}

// longestRun limits a run, so that its greatest prior stays meaningful.
const longestRun = 1024

func (s *segment) buildRuns(group []uint32) {
	s.runs = nil
	for d, p := range s.prior {
		g := none
		if group != nil {
			g = group[d]
		}
		if n := len(s.runs); n > 0 && s.runs[n-1].group == g && s.runs[n-1].end-s.runs[n-1].start < longestRun {
			last := &s.runs[n-1]
			last.end, last.topPrior = uint32(d+1), max(last.topPrior, p)
			continue
		}
		s.runs = append(s.runs, run{uint32(d), uint32(d + 1), g, p})
	}
}

const gap = none

// words are numbers of terms in three bytes each, since they are much of an index's size.
// In a vocabulary of sixteen million terms the last ones would be read as gaps.
type words []byte

const (
	wordBytes = 3
	wordGap   = 1<<24 - 1
)

func (w words) len() int { return len(w) / wordBytes }

func (w words) at(i int) uint32 {
	b := w[wordBytes*i:][:wordBytes]
	t := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	if t == wordGap {
		return gap
	}
	return t
}

// cut returns the words between two positions.
func (w words) cut(from, to uint32) words { return w[wordBytes*int(from) : wordBytes*int(to)] }

func (w words) add(t uint32) words {
	t = min(t, wordGap)
	return append(w, byte(t), byte(t>>8), byte(t>>16))
}

// attrColumn is one attribute: for every document, the number of its value.
type attrColumn struct {
	values []string
	of     []uint32
	number map[string]uint32 // value → its number
}

func (c *attrColumn) find(value string) (uint32, bool) {
	n, ok := c.number[value]
	return n, ok
}

// contextTable is the index of groups: for every stem the groups whose documents contain
// it, so that a document benefits from the other documents of its group.
type contextTable struct {
	attr   int // column of the group attribute, -1 for none
	groups int
	start  []uint32
	group  []uint32
	impact []uint8
}

func (s *segment) size() int { return len(s.ids) }

func (s *segment) index() {
	s.byID = make(map[string]uint32, len(s.ids))
	for i, id := range s.ids {
		s.byID[id] = uint32(i)
	}
	for a := range s.attrs {
		c := &s.attrs[a]
		c.number = make(map[string]uint32, len(c.values))
		for i, v := range c.values {
			c.number[v] = uint32(i)
		}
	}
}

// bytes returns the memory used by the large arrays.
func (s *segment) bytes() int {
	n := len(s.vocab.text) + 4*(len(s.vocab.off)+len(s.start)+len(s.docs)+len(s.forwardStart)+len(s.prior)) + len(s.forward)
	n += len(s.impact) + 4*len(s.context.start) + 4*len(s.context.group) + len(s.context.impact)
	for _, c := range s.attrs {
		n += 4 * len(c.of)
	}
	for _, c := range s.numbers {
		n += 4 * len(c)
	}
	for _, id := range s.ids {
		n += 2*len(id) + 40
	}
	return n
}
