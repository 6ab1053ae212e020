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

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// Config is what the finder needs.
type Config struct {
	DB  *db.DB
	Log *slog.Logger
	// Dir is where indexes are kept between two starts.
	Dir string
	// Budget is how many bytes of indexes a node holds: 512 MiB by default. One
	// workspace that is larger by itself is held alone.
	Budget int
}

// Service is the search over contacts and conversations.
type Service struct {
	Config
	// slots are one for each core, as in the advisor: searching is computing.
	slots    chan struct{}
	building chan struct{}

	mu      sync.Mutex
	shelves map[uuid.UUID]*shelf
	life    context.Context // of builds, which outlive the search that wanted them
	end     context.CancelFunc
	busy    sync.WaitGroup
}

// New makes the finder.
func New(cfg Config) *Service {
	cfg.Budget = cmp.Or(cfg.Budget, 512<<20)
	s := &Service{
		Config: cfg, shelves: map[uuid.UUID]*shelf{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)), building: make(chan struct{}, 2),
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends what is being built; nothing is saved.
func (s *Service) Close() {
	s.end()
	s.busy.Wait()
}

const (
	// wait is how long a search waits for an index that is being made.
	wait = 10 * time.Second
	// hot is how long after a search an index is kept up to date, cold when it
	// is given up although memory is left.
	hot  = 10 * time.Minute
	cold = time.Hour
	// refreshEvery is how often that is done, for one page of events each time:
	// what happens to a record meanwhile is read once. A search waits for none
	// of it, as it reads what is left.
	refreshEvery = 5 * time.Second
	// A small index is made anew in no time, so only larger ones are saved, and
	// not after every event.
	worthSaving = 1000 // records
	saveEvery   = 5000 // events
)

// open gives a workspace's shelf, up to date.
func (s *Service) open(ctx context.Context, tenant uuid.UUID) (*state, error) {
	s.mu.Lock()
	sh, ok := s.shelves[tenant]
	if !ok {
		sh = &shelf{tenant: tenant, ready: make(chan struct{})}
		s.shelves[tenant] = sh
		s.busy.Go(func() { s.fill(sh) })
	}
	s.mu.Unlock()
	sh.used.Store(s.DB.Clock().Now().UnixMicro())
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-sh.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
		f := fault.New(fault.Unavailable).Because("index_is_being_built")
		f.RetryAfter = int(wait / time.Second)
		return nil, f
	}
	if sh.failed != nil {
		return nil, sh.failed
	}
	err := sh.refresh(ctx, s.DB.Tenant(tenant), math.MaxInt)
	return sh.state.Load(), err
}

// fill makes a shelf's first state: from its files, or from the database.
func (s *Service) fill(sh *shelf) {
	defer close(sh.ready)
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-s.life.Done():
		sh.failed = s.life.Err()
		return
	}
	elapsed := clock.Stopwatch()
	st, err := s.load(sh.tenant)
	if err != nil {
		if st, err = build(s.life, s.DB.Tenant(sh.tenant)); err == nil {
			s.Log.Debug("search index built", "tenant", sh.tenant, "records", st.records(), "seconds", elapsed().Seconds())
		}
	} else {
		sh.saved = st.revision
	}
	if err != nil {
		sh.failed = err
		s.drop(sh)
		return
	}
	sh.state.Store(st)
	s.makeRoom(sh)
}

func (st *state) records() (n int) {
	for _, x := range st.index {
		n += x.Snapshot().Len()
	}
	return n
}

func (s *Service) drop(sh *shelf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shelves[sh.tenant] == sh {
		delete(s.shelves, sh.tenant)
	}
}

// makeRoom gives up the indexes that were not used for longest until the rest
// fits; the one that was just made stays.
func (s *Service) makeRoom(stays *shelf) {
	all := s.list()
	total := 0
	for _, sh := range all {
		total += sh.bytes()
	}
	for _, sh := range all {
		if total <= s.Budget {
			return
		}
		if sh == stays || sh.state.Load() == nil {
			continue
		}
		total -= sh.bytes()
		s.drop(sh)
		s.save(sh)
	}
}

// list gives the shelves, the one that was not used for longest first.
func (s *Service) list() []*shelf {
	s.mu.Lock()
	all := make([]*shelf, 0, len(s.shelves))
	for _, sh := range s.shelves {
		all = append(all, sh)
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *shelf) int {
		return cmp.Or(cmp.Compare(a.used.Load(), b.used.Load()), slices.Compare(a.tenant[:], b.tenant[:]))
	})
	return all
}

// Step brings the indexes in use up to date and gives up those that are not.
func (s *Service) Step(ctx context.Context) (int, error) {
	now := s.DB.Clock().Now()
	n := 0
	for _, sh := range s.list() {
		select {
		case <-sh.ready:
		default:
			continue
		}
		st := sh.state.Load()
		if st == nil {
			continue
		}
		switch idle := now.Sub(time.UnixMicro(sh.used.Load())); {
		case idle > cold:
			s.drop(sh)
			s.save(sh)
			n++
		case idle < hot:
			if now.Sub(sh.refreshed) < refreshEvery {
				continue
			}
			sh.refreshed = now
			if err := sh.refresh(ctx, s.DB.Tenant(sh.tenant), 1); err != nil {
				return n, err
			}
			for _, x := range sh.state.Load().index {
				if x.Fragmented() {
					x.Compact()
				}
			}
			if sh.unsaved() > saveEvery {
				s.save(sh)
			}
		}
	}
	return n, nil
}

// Run keeps the indexes until ctx ends, and saves them then.
func (s *Service) Run(ctx context.Context) {
	jobs.Loop{Name: "finder", DB: s.DB, Log: s.Log, Step: s.Step}.Run(ctx)
	for _, sh := range s.list() {
		if sh.state.Load() != nil {
			s.save(sh)
		}
	}
}

// Held says how many indexes the node holds and how many bytes they take.
func (s *Service) Held() (indexes, bytes int) {
	for _, sh := range s.list() {
		indexes, bytes = indexes+1, bytes+sh.bytes()
	}
	return indexes, bytes
}
