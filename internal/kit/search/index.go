package search

import (
	"slices"
	"sync"
	"sync/atomic"
)

// maxSmall is the number of small segments at which Apply merges them, and compactShare is
// the share of small and dead documents at which a full merge is worthwhile.
const (
	maxSmall     = 8
	compactShare = .1
)

// Index holds the current snapshot of a set of documents. A search takes the snapshot and
// is not affected by later changes; writers take turns.
type Index struct {
	schema *Schema
	now    atomic.Pointer[Snapshot]

	write      sync.Mutex
	compacting bool // guarded by write: segments of now must keep their positions
}

// Change replaces or removes documents.
type Change struct {
	Put    []Document
	Delete []string
}

// Build creates an index of the documents that next yields until it returns false. Of
// documents with the same id the last one is used.
func Build(schema Schema, revision int64, next func() (Document, bool)) (*Index, error) {
	if err := schema.check(); err != nil {
		return nil, err
	}
	x := &Index{schema: &schema}
	b := newBuilder(x.schema)
	var dead bitmap
	var replaced []int
	for d, ok := next(); ok; d, ok = next() {
		if err := schema.checkDocument(&d); err != nil {
			return nil, err
		}
		if old, twice := b.at[d.ID]; twice {
			replaced = append(replaced, old)
		}
		b.add(&d)
	}
	averages := b.averages()
	seg := b.build(averages)
	for _, d := range replaced {
		dead = dead.with(seg.size(), uint32(d))
	}
	x.now.Store(newSnapshot(x.schema, revision, averages, []*segment{seg}, []bitmap{dead}))
	return x, nil
}

func newSnapshot(schema *Schema, revision int64, averages []float64, segments []*segment, dead []bitmap) *Snapshot {
	s := &Snapshot{schema: schema, revision: revision, segments: segments, dead: dead, averages: averages}
	for _, a := range averages {
		s.meanLength += a
	}
	for i, seg := range segments {
		s.live += seg.size() - dead[i].count()
	}
	return s
}

// Snapshot returns the current state.
func (x *Index) Snapshot() *Snapshot { return x.now.Load() }

// Search answers a query from the current state.
func (x *Index) Search(q Query) (Answer, error) { return x.now.Load().Search(q) }

// Rev returns the revision of the current state.
func (x *Index) Rev() int64 { return x.now.Load().revision }

// Apply creates a new state with the changes. Searches that have begun finish on the old
// one. Its cost depends on the size of the change, not of the index.
func (x *Index) Apply(revision int64, c Change) error {
	for i := range c.Put {
		if err := x.schema.checkDocument(&c.Put[i]); err != nil {
			return err
		}
	}
	x.write.Lock()
	defer x.write.Unlock()
	old := x.now.Load()
	segments, dead := slices.Clone(old.segments), slices.Clone(old.dead)
	copied := make([]bool, len(dead))
	bury := func(id string) {
		i, d, ok := old.locate(id)
		if !ok {
			return
		}
		if !copied[i] {
			dead[i], copied[i] = slices.Clone(dead[i]), true
		}
		dead[i] = dead[i].with(segments[i].size(), d)
	}
	for _, id := range c.Delete {
		bury(id)
	}
	if len(c.Put) > 0 {
		b := newBuilder(x.schema)
		var twice bitmap
		for i := range c.Put {
			bury(c.Put[i].ID)
			if at, ok := b.at[c.Put[i].ID]; ok {
				twice = twice.with(len(c.Put), uint32(at))
			}
			b.add(&c.Put[i])
		}
		segments = append(segments, b.build(old.averages))
		dead = append(dead, twice)
	}
	if len(segments) > maxSmall+1 && !x.compacting {
		small := merge(x.schema, segments[1:], dead[1:])
		segments, dead = []*segment{segments[0], small}, []bitmap{dead[0], nil}
	}
	x.now.Store(newSnapshot(x.schema, revision, old.averages, segments, dead))
	return nil
}

// Fragmented reports whether Compact is worth calling.
func (x *Index) Fragmented() bool {
	s := x.now.Load()
	loose := 0
	for i, seg := range s.segments {
		if i > 0 {
			loose += seg.size()
		}
		loose += s.dead[i].count()
	}
	return float64(loose) > compactShare*float64(max(s.size(), 1))
}

// Compact merges all segments into one and drops dead documents. Run it in the background:
// neither searches nor Apply wait for it. A second Compact at the same time does nothing.
func (x *Index) Compact() {
	x.write.Lock()
	if x.compacting {
		x.write.Unlock()
		return
	}
	x.compacting = true
	from := x.now.Load()
	x.write.Unlock()

	merged := merge(x.schema, from.segments, from.dead)

	x.write.Lock()
	defer x.write.Unlock()
	x.compacting = false
	now := x.now.Load()
	var dead bitmap
	for i, seg := range from.segments {
		for d, id := range seg.ids {
			// Alive when the merge began and dead since.
			if now.dead[i].has(uint32(d)) && !from.dead[i].has(uint32(d)) {
				dead = dead.with(merged.size(), merged.byID[id])
			}
		}
	}
	n := len(from.segments)
	segments := append([]*segment{merged}, now.segments[n:]...)
	deads := append([]bitmap{dead}, now.dead[n:]...)
	x.now.Store(newSnapshot(x.schema, now.revision, now.averages, segments, deads))
}
