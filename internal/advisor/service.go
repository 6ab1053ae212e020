package advisor

import (
	"context"
	"iter"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Service is the regulation search: the corpus in the database and the engine
// that searches it.
type Service struct {
	db     *db.DB
	log    *slog.Logger
	folder string

	now   atomic.Pointer[loaded] // nil until a corpus exists and is loaded
	build sync.Mutex             // held while an engine is built
	past  pastEngines
}

// loaded is an engine and its revision.
type loaded struct {
	engine *Engine
	rev    Revision
}

// Config holds what the module needs.
type Config struct {
	DB     *db.DB
	Log    *slog.Logger
	Folder string // of the index file
}

// New creates the service.
func New(c Config) *Service { return &Service{db: c.DB, log: c.Log, folder: c.Folder} }

// corpus returns the handle for the tables that belong to no workspace.
func (s *Service) corpus() db.Handle { return s.db.System("regulation corpus") }

// Run keeps the engine at the newest revision until ctx ends.
func (s *Service) Run(ctx context.Context) {
	jobs.Loop{Name: "advisor", DB: s.db, Topics: []string{topic}, Log: s.log, Step: s.Step, Every: time.Second}.Run(ctx)
}

// Ready reports whether searches can be answered: the engine is loaded, or no corpus
// exists.
func (s *Service) Ready(ctx context.Context) bool {
	if s.now.Load() != nil {
		return true
	}
	v, err := s.latest(ctx)
	return err == nil && v.Rev == 0
}

func (s *Service) latest(ctx context.Context) (Revision, error) {
	return db.Read(ctx, s.corpus(), func(r *db.Reader) (Revision, error) {
		return latestRevision(r)
	})
}

// Step brings the engine to the newest revision and returns 1 if it changed. Searches
// continue on the old one meanwhile.
func (s *Service) Step(ctx context.Context) (int, error) {
	s.build.Lock()
	defer s.build.Unlock()
	v, err := s.latest(ctx)
	if err != nil {
		return 0, err
	}
	at := s.now.Load()
	switch {
	case v.Rev == 0:
		s.now.Store(nil)
		return 0, nil
	case at != nil && at.rev.ID == v.ID:
		return 0, nil
	}
	moved, err := s.advance(ctx, at, v)
	if err != nil {
		return 0, err
	}
	if !moved {
		if err := s.load(ctx, v); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// rebuildShare limits how much of the corpus may change (1/5) before building a new engine
// is cheaper than changing the current one.
const rebuildShare = 5

// advance applies the changes since the engine's revision. It returns false if a new engine
// is needed instead.
func (s *Service) advance(ctx context.Context, at *loaded, to Revision) (bool, error) {
	if at == nil || at.rev.Rev >= to.Rev {
		return false, nil
	}
	put, remove, ok, err := s.difference(ctx, at.engine, at.rev, to.Rev)
	if err != nil || !ok {
		return false, err
	}
	if err := at.engine.Apply(to.Rev, put, remove); err != nil {
		return false, err
	}
	s.now.Store(&loaded{at.engine, to})
	s.log.Info("regulations updated", "rev", to.Rev, "put", len(put), "removed", len(remove))
	if at.engine.Fragmented() {
		at.engine.Compact()
	}
	s.save(at.engine, to)
	return true, nil
}

// difference returns the changes from one revision to another, forwards or backwards. ok is
// false if the database does not know the first one, too much changed, or a law was
// renamed.
func (s *Service) difference(ctx context.Context, e *Engine, from Revision, to int64) (put []*Provision, remove []string, ok bool, err error) {
	err = s.corpus().Read(ctx, func(r *db.Reader) error {
		if same, err := revision(r, from.Rev); err != nil || same.ID != from.ID {
			return err
		}
		ids, err := changedProvisions(r, min(from.Rev, to), max(from.Rev, to))
		if err != nil || len(ids)*rebuildShare > e.Stats().Provisions+1000 {
			return err
		}
		there := map[string]bool{}
		for part := range slices.Chunk(ids, 256) {
			rows, err := versionsOf(r, to, part)
			if err != nil {
				return err
			}
			for _, v := range rows {
				if !e.describes(&v.Provision) {
					return nil
				}
				there[v.ID] = true
				put = append(put, &v.Provision)
			}
		}
		for _, id := range ids {
			if !there[id] {
				remove = append(remove, id)
			}
		}
		ok = true
		return nil
	})
	return put, remove, ok, err
}

// load reads the engine from its file, or builds it from the database if the file is
// missing, damaged or of another revision.
func (s *Service) load(ctx context.Context, v Revision) error {
	// Reading and building leave as much garbage as the engine's own size.
	defer debug.FreeOSMemory()
	if e := s.open(v); e != nil {
		s.now.Store(&loaded{e, v})
		s.log.Info("regulations loaded from file", "rev", v.Rev, "provisions", e.Stats().Provisions)
		return nil
	}
	e, err := Build(DefaultRules(), v.Rev, s.provisions(ctx, v.Rev))
	if err != nil {
		return err
	}
	s.now.Store(&loaded{e, v})
	s.log.Info("regulations indexed", "rev", v.Rev, "provisions", e.Stats().Provisions)
	s.save(e, v)
	return nil
}

// provisions reads the corpus of a revision page by page.
func (s *Service) provisions(ctx context.Context, rev int64) iter.Seq2[*Provision, error] {
	const page = 500
	return func(yield func(*Provision, error) bool) {
		for after := (place3{order: -1}); ; {
			rows, err := db.Read(ctx, s.corpus(), func(r *db.Reader) ([]*stored, error) { return corpusPage(r, rev, after, page) })
			if err != nil {
				yield(nil, err)
				return
			}
			for _, v := range rows {
				if !yield(&v.Provision, nil) {
					return
				}
			}
			if len(rows) < page {
				return
			}
			last := rows[len(rows)-1]
			after = place3{last.LawID, last.Order, last.ID}
		}
	}
}
