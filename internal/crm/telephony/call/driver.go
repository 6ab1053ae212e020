package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/command"
	"konak/internal/exchange"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	// batch is the number of rows read at once.
	batch = 100
	// missingFor is how long a leg may be unknown to the exchange before it counts as lost:
	// its command may still be waiting.
	missingFor = 2 * time.Minute
)

// Step carries out waiting commands, applies the events of the exchange, pays for running
// calls, does what is due and deletes old recordings. It returns the number of things done.
// If this node's exchange is not running, Step does nothing: another node may run it.
func (s *Service) Step(ctx context.Context) (n int, err error) {
	if s.Exchange == nil {
		return 0, nil
	}
	if _, err := s.Exchange.Snapshot(ctx); err != nil {
		return 0, ignoreStopped(err)
	}
	runner := command.Runner{Config: command.Config{
		DB: s.DB, Log: s.Log, Exchange: withOutside{s.Exchange, s}, Sounds: s.Greetings, Refused: s.refused,
	}}
	for _, step := range []func(context.Context) (int, error){runner.Step, s.applyEvents, s.extendLegs, s.runDue, s.dropRecordings} {
		did, err := step(ctx)
		if n += did; err != nil {
			return n, err
		}
	}
	return n, nil
}

// ignoreStopped returns nil for the error of an exchange that is not running.
func ignoreStopped(err error) error {
	if errors.Is(err, exchange.ErrUnavailable) {
		return nil
	}
	return err
}

// applyEvents applies the events of the exchange.
func (s *Service) applyEvents(ctx context.Context) (int, error) {
	h := s.DB.System("phone events")
	cursor, err := db.Read(ctx, h, readCursor)
	if err != nil {
		return 0, err
	}
	list, err := s.Exchange.Events(ctx, cursor, batch)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	for _, e := range list {
		err := s.apply(ctx, e)
		if err != nil && (ctx.Err() != nil || db.IsUnavailable(err)) {
			return 0, fmt.Errorf("call: apply %s of leg %s: %w", e.Type, e.Leg, err)
		}
		if err != nil { // trying again would not help, and the other calls go on
			s.Log.ErrorContext(ctx, "an event of the exchange cannot be applied", "type", e.Type, "leg", e.Leg, "error", err)
		}
	}
	last := list[len(list)-1].Cursor
	if err := h.InTx(ctx, func(tx *db.Tx) error { return saveCursor(tx, last) }); err != nil {
		return 0, err
	}
	return len(list), s.Exchange.TrimEvents(ctx, last)
}

// extendLegs pays for the next minute of running legs.
func (s *Service) extendLegs(ctx context.Context) (int, error) {
	return s.each(ctx, func(r *db.Reader) ([]placed, error) {
		return unpaidCalls(r, clock.At(s.DB.Clock().Now().Add(extendBefore)), batch)
	}, func(w *work) error { return w.extend() })
}

// runDue processes the calls that are due.
func (s *Service) runDue(ctx context.Context) (int, error) {
	return s.each(ctx, func(r *db.Reader) ([]placed, error) {
		return dueCalls(r, clock.At(s.DB.Clock().Now()), batch)
	}, func(w *work) error { return w.runDue() })
}

// dropRecordings deletes recordings whose retention time is over.
func (s *Service) dropRecordings(ctx context.Context) (int, error) {
	return s.each(ctx, func(r *db.Reader) ([]placed, error) {
		return oldRecordings(r, clock.At(s.DB.Clock().Now()), batch)
	}, func(w *work) error {
		if w.recording != nil {
			w.do(command.Command{Kind: command.DropRecord, Object: *w.recording})
		}
		err := w.uncountRecording()
		w.recording, w.RecordingMS, w.keepUntil = nil, 0, nil
		return err
	})
}

// each applies fn to the listed calls of all workspaces.
func (s *Service) each(ctx context.Context, list func(*db.Reader) ([]placed, error), fn func(*work) error) (int, error) {
	calls, err := db.Read(ctx, s.DB.System("phone events"), list)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, c := range calls {
		ctx := caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: c.tenant})
		_, err := s.inCall(ctx, c.tenant, c.id, fn)
		if err == nil {
			done++
			continue
		}
		if err := s.pass(ctx, err, "call", c.id); err != nil {
			return done, err
		}
	}
	return done, nil
}

// pass logs an error of one call, so that the others go on. It returns an error that
// concerns all of them.
func (s *Service) pass(ctx context.Context, err error, kind string, id uuid.UUID) error {
	if err == nil || ctx.Err() != nil || db.IsUnavailable(err) {
		return err
	}
	s.Log.ErrorContext(ctx, "a call cannot continue", kind, id, "error", err)
	return nil
}

// runDue does what was put off, if it is due.
func (w *work) runDue() error {
	if w.dueAt == nil || w.dueAt.After(w.tx.Now()) {
		return nil
	}
	w.dueAt = nil
	switch {
	case w.State == Detached:
		return w.seekAgent()
	case w.State == Ringing && w.plan.Then == duePhone:
		return w.ringNext()
	case w.plan.Then == dueKey:
		return w.chooseFromMenu("")
	case w.plan.Then == dueRecording:
		w.Message.V = &Message{}
		return w.end(LeftMail, bySystem, exchange.CauseMaxDuration)
	}
	return nil
}

// Reconcile ends the legs that the exchange does not know, for example because its store
// was lost. It returns their number. While the exchange is not running, no leg is ended.
func (s *Service) Reconcile(ctx context.Context) (int, error) {
	if s.Exchange == nil {
		return 0, nil
	}
	known, err := s.Exchange.Snapshot(ctx)
	if err != nil {
		return 0, ignoreStopped(err)
	}
	alive := make(map[uuid.UUID]bool, len(known))
	for _, l := range known {
		alive[l.ID] = true
	}
	list, err := db.Read(ctx, s.DB.System("phone events"), func(r *db.Reader) ([]placed, error) {
		return openLegs(r, clock.At(s.DB.Clock().Now().Add(-missingFor)), 10*batch)
	})
	if err != nil {
		return 0, err
	}
	lost := 0
	for _, l := range list {
		if alive[l.id] {
			continue
		}
		if err := s.pass(ctx, s.loseLeg(ctx, l.tenant, l.id, exchange.CauseLost), "leg", l.id); err != nil {
			return lost, err
		}
		lost++
	}
	return lost, nil
}

// Run drives the exchange of this node until the context ends; it does nothing if this node
// has none.
func (s *Service) Run(ctx context.Context) {
	if s.Exchange == nil {
		return
	}
	var one sync.Mutex // only one goroutine may run a step
	step := func(ctx context.Context) (int, error) {
		one.Lock()
		defer one.Unlock()
		return s.Step(ctx)
	}
	var loops sync.WaitGroup
	loops.Go(func() {
		jobs.Loop{Name: "calls", DB: s.DB, Topics: []string{command.Topic}, Log: s.Log, Step: step, Full: 1}.Run(ctx)
	})
	loops.Go(func() {
		jobs.Loop{Name: "lost legs", DB: s.DB, Log: s.Log, Step: s.Reconcile, Every: time.Minute}.Run(ctx)
	})
	loops.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Exchange.Wake():
				if _, err := step(ctx); err != nil && ctx.Err() == nil {
					s.Log.ErrorContext(ctx, "calls cannot continue, trying again", "error", err)
				}
			}
		}
	})
	loops.Wait()
}

// withOutside registers the operator's line with the exchange when a workspace first uses
// it after a start, as its settings may have changed, and again if the exchange no longer
// knows it.
type withOutside struct {
	exchange.Exchange
	s *Service
}

// Originate implements exchange.Legs.
func (x withOutside) Originate(ctx context.Context, o exchange.Originate) error {
	if x.s.Outside == nil || o.Trunk != x.s.outsideTrunk(o.Tenant) {
		return x.Exchange.Originate(ctx, o)
	}
	if _, given := x.s.given.Load(o.Tenant); given {
		if err := x.Exchange.Originate(ctx, o); !errors.Is(err, exchange.ErrUnknown) {
			return err
		}
	}
	trunk := *x.s.Outside
	trunk.Tenant, trunk.ID = o.Tenant, o.Trunk
	if err := x.PutTrunk(ctx, trunk); err != nil {
		return err
	}
	x.s.given.Store(o.Tenant, true)
	return x.Exchange.Originate(ctx, o)
}
