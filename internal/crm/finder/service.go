package finder

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Config is what the finder needs.
type Config struct {
	DB  *db.DB
	Log *slog.Logger
	// Dir is the directory in which indexes are kept between restarts.
	Dir string
	// Budget is the size of the indexes that a node holds, in bytes: 512 MiB by default. A
	// single workspace larger than that is held by itself.
	Budget int
}

// Service is the search over contacts and conversations.
type Service struct {
	Config
	// slots has one slot per core, as in the advisor, because searching is CPU-bound.
	slots    chan struct{}
	building chan struct{}

	mu         sync.Mutex
	workspaces map[uuid.UUID]*workspaceIndexes
	life       context.Context // of builds, which outlive the search that started them
	end        context.CancelFunc
	busy       sync.WaitGroup
}

// New returns the finder.
func New(cfg Config) *Service {
	cfg.Budget = cmp.Or(cfg.Budget, 512<<20)
	s := &Service{
		Config: cfg, workspaces: map[uuid.UUID]*workspaceIndexes{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), building: make(chan struct{}, 2),
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close stops running builds; nothing is saved.
func (s *Service) Close() {
	s.end()
	s.busy.Wait()
}

const (
	// wait is how long a search waits for an index that is being built.
	wait = 10 * time.Second
	// hot is how long after a search an index is kept up to date, cold after how long it is
	// dropped even if memory is left.
	hot  = 10 * time.Minute
	cold = time.Hour
	// refreshEvery is the interval of these updates, each for one page of events: several
	// changes of a record in between are read once. A search need not wait for them, as it
	// reads the remaining events itself.
	refreshEvery = 5 * time.Second
	// A small index is rebuilt quickly, so only larger ones are saved, and not after every
	// event.
	worthSaving = 1000 // records
	saveEvery   = 5000 // events
)

// open returns a workspace's indexes, up to date.
func (s *Service) open(ctx context.Context, tenant uuid.UUID) (*state, error) {
	s.mu.Lock()
	w, ok := s.workspaces[tenant]
	if !ok {
		w = &workspaceIndexes{tenant: tenant, ready: make(chan struct{})}
		s.workspaces[tenant] = w
		s.busy.Go(func() { s.fill(w) })
	}
	s.mu.Unlock()
	w.used.Store(s.DB.Clock().Now().UnixMicro())
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-w.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
		f := fault.New(fault.Unavailable).Because("index_is_being_built")
		f.RetryAfter = int(wait / time.Second)
		return nil, f
	}
	if w.failed != nil {
		return nil, w.failed
	}
	// The index is shared by all callers, whatever its first searcher may see.
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	err := w.refresh(ctx, s.DB.Tenant(tenant), math.MaxInt)
	return w.state.Load(), err
}

// fill creates the first state of a workspace's indexes from their files, or from the
// database.
func (s *Service) fill(w *workspaceIndexes) {
	defer close(w.ready)
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-s.life.Done():
		w.failed = s.life.Err()
		return
	}
	elapsed := clock.Stopwatch()
	st, err := s.load(w.tenant)
	if err != nil {
		if st, err = build(s.life, s.DB.Tenant(w.tenant)); err == nil {
			s.Log.Debug("search index built", "tenant", w.tenant, "records", st.records(), "seconds", elapsed().Seconds())
		}
	} else {
		w.saved = st.revision
	}
	if err != nil {
		w.failed = err
		s.drop(w)
		return
	}
	w.state.Store(st)
	s.freeMemory(w)
}

func (st *state) records() (n int) {
	for _, x := range st.index {
		n += x.Snapshot().Len()
	}
	return n
}

func (s *Service) drop(w *workspaceIndexes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workspaces[w.tenant] == w {
		delete(s.workspaces, w.tenant)
	}
}

// freeMemory drops the longest unused indexes until the rest fits; stays is kept.
func (s *Service) freeMemory(stays *workspaceIndexes) {
	all := s.list()
	total := 0
	for _, w := range all {
		total += w.bytes()
	}
	for _, w := range all {
		if total <= s.Budget {
			return
		}
		if w == stays || w.state.Load() == nil {
			continue
		}
		total -= w.bytes()
		s.drop(w)
		s.save(w)
	}
}

// list returns the indexes of all workspaces, the least recently used first.
func (s *Service) list() []*workspaceIndexes {
	s.mu.Lock()
	all := make([]*workspaceIndexes, 0, len(s.workspaces))
	for _, w := range s.workspaces {
		all = append(all, w)
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *workspaceIndexes) int {
		return cmp.Or(cmp.Compare(a.used.Load(), b.used.Load()), slices.Compare(a.tenant[:], b.tenant[:]))
	})
	return all
}

// Step brings the indexes in use up to date and drops those that are not in use.
func (s *Service) Step(ctx context.Context) (int, error) {
	now := s.DB.Clock().Now()
	n := 0
	for _, w := range s.list() {
		select {
		case <-w.ready:
		default:
			continue
		}
		st := w.state.Load()
		if st == nil {
			continue
		}
		switch idle := now.Sub(time.UnixMicro(w.used.Load())); {
		case idle > cold:
			s.drop(w)
			s.save(w)
			n++
		case idle < hot:
			if now.Sub(w.refreshed) < refreshEvery {
				continue
			}
			w.refreshed = now
			if err := w.refresh(ctx, s.DB.Tenant(w.tenant), 1); err != nil {
				return n, err
			}
			for _, x := range w.state.Load().index {
				if x.Fragmented() {
					x.Compact()
				}
			}
			if w.unsaved() > saveEvery {
				s.save(w)
			}
		}
	}
	return n, nil
}

// Run maintains the indexes until ctx ends, and then saves them.
func (s *Service) Run(ctx context.Context) {
	jobs.Loop{Name: "finder", DB: s.DB, Log: s.Log, Step: s.Step}.Run(ctx)
	for _, w := range s.list() {
		if w.state.Load() != nil {
			s.save(w)
		}
	}
}

// Held returns the number of indexes the node holds and their size in bytes.
func (s *Service) Held() (indexes, bytes int) {
	for _, w := range s.list() {
		indexes, bytes = indexes+1, bytes+w.bytes()
	}
	return indexes, bytes
}
