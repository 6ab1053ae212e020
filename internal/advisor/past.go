package advisor

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// maxPast bounds the engines of the past. They share most of their memory with
// the one of today.
const maxPast = 4

// pastEngines are the engines of older revisions that were asked for last. A
// revision never changes, so neither do they.
type pastEngines struct {
	mu   sync.Mutex
	list []pastEngine
}

type pastEngine struct {
	id     uuid.UUID
	engine *Engine
}

// get gives the engine of a revision, made if it is not there. Others who ask
// for the past wait meanwhile.
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

// pastEngine is the engine of an older revision: today's with the changes
// since then taken back.
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
