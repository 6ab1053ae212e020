package advisor

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// maxPast is the maximum number of engines of older revisions. They share most of their
// memory with the current one.
const maxPast = 4

// pastEngines holds the most recently used engines of older revisions. A revision never
// changes, so neither do they.
type pastEngines struct {
	mu   sync.Mutex
	list []pastEngine
}

type pastEngine struct {
	id     uuid.UUID
	engine *Engine
}

// get returns the engine of a revision, and builds it if necessary. Other callers wait
// meanwhile.
func (p *pastEngines) get(id uuid.UUID, build func() (*Engine, error)) (*Engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.list {
		if e.id == id {
			p.list = append(append(p.list[:i:i], p.list[i+1:]...), e)
			return e.engine, nil
		}
	}
	e, err := build()
	if err != nil {
		return nil, err
	}
	if len(p.list) == maxPast {
		p.list = p.list[1:]
	}
	p.list = append(p.list, pastEngine{id, e})
	return e, nil
}

// pastEngine returns the engine of an older revision: the current one with the later
// changes undone.
func (s *Service) pastEngine(ctx context.Context, v Revision) (*Engine, error) {
	return s.past.get(v.ID, func() (*Engine, error) {
		s.build.Lock()
		at := s.now.Load()
		e := at.engine.Fork()
		s.build.Unlock()
		put, remove, ok, err := s.difference(ctx, e, at.rev, v.Rev)
		if err != nil {
			return nil, err
		}
		if !ok {
			return Build(DefaultRules(), v.Rev, s.provisions(ctx, v.Rev))
		}
		return e, e.Apply(v.Rev, put, remove)
	})
}
