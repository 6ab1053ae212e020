package advisor

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"konak/internal/kit/search"
)

// Engine searches the provisions of a corpus.
type Engine struct {
	rules    Rules
	synonyms *search.Synonyms
	index    *search.Index
	state    atomic.Pointer[state]
	write    sync.Mutex
	// slots has one slot per core. A search is pure computation: running more of them at
	// once finishes none sooner, but interrupts them all, and some would wait for many
	// turns. In a queue, each waits only for the few before it.
	slots chan struct{}
}

func newSlots() chan struct{} { return make(chan struct{}, runtime.GOMAXPROCS(0)) }

// state is what a search must use as a unit.
type state struct {
	snap  *search.Snapshot
	laws  *Laws
	cited map[string]int // law number → laws that cite it
}

// Request is a question to the advisor.
type Request struct {
	Text     string
	LawKinds []string // none: all
	LawIDs   []string
	Status   []string
	From, To string // gazette days, "" for open
	Facets   bool
	Limit    int
	Cursor   string
	Exact    bool
}

// Result is the answer: hits by provision id, and what was understood.
type Result struct {
	search.Answer
	Reading Reading
	Laws    *Laws // of the same revision as the hits
}

// Build creates an engine. It iterates over provisions twice: citations between laws must
// be counted before any provision can be weighted.
func Build(rules Rules, revision int64, provisions iter.Seq2[*Provision, error]) (*Engine, error) {
	e, err := newEngine(rules)
	if err != nil {
		return nil, err
	}
	st, err := survey(provisions)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(provisions)
	defer stop()
	var failed error
	e.index, err = search.Build(rules.schema(), revision, func() (search.Document, bool) {
		p, err, ok := next()
		if err != nil {
			failed = err
		}
		if !ok || err != nil {
			return search.Document{}, false
		}
		return rules.document(p, st.citedBy(p)), true
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	st.snap = e.index.Snapshot()
	e.state.Store(st)
	return e, nil
}

func newEngine(rules Rules) (*Engine, error) {
	e := &Engine{rules: rules, slots: newSlots()}
	if !rules.Synonyms {
		return e, nil
	}
	file, err := data.Open("data/synonyms.txt")
	if err != nil {
		return nil, fmt.Errorf("advisor: %w", err)
	}
	defer func() { _ = file.Close() }()
	e.synonyms, err = search.ParseSynonyms(file)
	return e, err
}

// Apply creates a new state with provisions added or removed. Running searches finish on
// the old one. Citation counts stay as they were at the last Build: a few changes hardly
// affect them.
func (e *Engine) Apply(revision int64, put []*Provision, remove []string) error {
	e.write.Lock()
	defer e.write.Unlock()
	old := e.state.Load()
	laws, err := old.laws.with(put, remove)
	if err != nil {
		return err
	}
	next := &state{laws: laws, cited: old.cited}
	change := search.Change{Delete: remove}
	for _, p := range put {
		change.Put = append(change.Put, e.rules.document(p, next.citedBy(p)))
	}
	if err := e.index.Apply(revision, change); err != nil {
		return err
	}
	next.snap = e.index.Snapshot()
	e.state.Store(next)
	return nil
}

// Fragmented reports whether Compact is worth calling.
func (e *Engine) Fragmented() bool { return e.index.Fragmented() }

// Compact merges the index in the background; answers stay the same.
func (e *Engine) Compact() {
	e.index.Compact()
	e.write.Lock()
	defer e.write.Unlock()
	st := *e.state.Load()
	st.snap = e.index.Snapshot()
	e.state.Store(&st)
}

// Laws returns the laws of the current state.
func (e *Engine) Laws() *Laws { return e.state.Load().laws }

// Stats are the figures about an engine for an operator.
type Stats struct {
	Revision   int64
	Provisions int
	Laws       int
	Bytes      int
}

// Stats returns the figures of the current state.
func (e *Engine) Stats() Stats {
	st := e.state.Load()
	return Stats{st.snap.Revision(), st.snap.Len(), len(st.laws.byID), st.snap.Bytes()}
}

// survey collects the laws and counts the citations between them.
func survey(provisions iter.Seq2[*Provision, error]) (*state, error) {
	laws := newLawsBuilder()
	type edge struct{ no, by string }
	seen := map[edge]bool{}
	st := &state{cited: map[string]int{}}
	for p, err := range provisions {
		if err != nil {
			return nil, err
		}
		laws.add(p)
		if p.Status != StatusInForce {
			continue
		}
		countCited(p, func(no string) {
			if k := (edge{no, p.LawID}); !seen[k] {
				seen[k] = true
				st.cited[no]++
			}
		})
	}
	var err error
	st.laws, err = laws.build()
	return st, err
}

// citedBy returns the number of laws that cite the law of p. Texts cite statutes by number;
// decrees and regulations have the same numbers, so they count as not cited.
func (s *state) citedBy(p *Provision) int {
	if p.LawKind != "kanun" && p.LawKind != "anayasa" {
		return 0
	}
	return s.cited[p.LawNo]
}

// Rev returns the revision that the next search will use.
func (e *Engine) Rev() int64 { return e.state.Load().snap.Revision() }

// Search answers a question.
func (e *Engine) Search(req Request) (Result, error) {
	e.slots <- struct{}{}
	defer func() { <-e.slots }()
	st := e.state.Load()
	q := search.Query{Text: req.Text, Synonyms: e.synonyms, Limit: req.Limit, Cursor: req.Cursor, Exact: req.Exact}
	for attr, values := range map[string][]string{AttrLawKind: req.LawKinds, AttrLaw: req.LawIDs, AttrStatus: req.Status} {
		if len(values) > 0 {
			q.Filters = append(q.Filters, search.Filter{Attr: attr, Values: values})
		}
	}
	if req.From != "" || req.To != "" {
		r := search.Range{Number: NumberIssued, Min: 1, Max: 99999999}
		if req.From != "" {
			r.Min = day(req.From)
		}
		if req.To != "" {
			r.Max = day(req.To)
		}
		q.Ranges = append(q.Ranges, r)
	}
	if req.Facets {
		q.Facets = []string{AttrLawKind, AttrLaw}
	}
	var reading Reading
	if e.rules.Citations {
		reading = st.laws.Read(req.Text)
		e.rules.lift(&q, reading)
	}
	a, err := st.snap.Search(q)
	return Result{a, reading, st.laws}, err
}

// lift turns the laws and provisions that the question names into boosts and pins.
func (r Rules) lift(q *search.Query, reading Reading) {
	for _, id := range reading.Laws {
		q.Boosts = append(q.Boosts, search.Boost{Attr: AttrLaw, Value: id, Share: r.NamedLaw})
	}
	share := r.Cite
	if reading.Rest <= fewWords {
		share = pinShare
	}
	for i, c := range reading.Citations {
		if c.Provision != "" {
			q.Pins = append(q.Pins, search.Pin{ID: c.Provision, Share: share * (1 - .01*float64(min(i, 50)))})
		}
	}
}
