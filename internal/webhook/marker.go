package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var errTooOld = errors.New(bodyTooOld)

const (
	batchMax  = 512 // results in one transaction
	markRetry = 250 * time.Millisecond
)

// entry is a lane's part of a batch, and what came of it.
type entry struct {
	lane    *lane
	results []result
	release bool
	hold    time.Time
	clean   bool
	strict  bool

	lost, kept, back, mail, disabled bool
	statuses                         []string
	until                            time.Time // nothing is sent before
	health                           health
	changed                          bool
}

// markSoon puts a lane into the next batch. The lock is held.
func (s *Sender) markSoon(l *lane) {
	if !l.dirty {
		l.dirty = true
		s.dirty = append(s.dirty, l)
	}
	if !s.marking {
		s.marking = true
		go s.mark()
	}
}

// mark writes batches until nothing waits. What finishes during one batch
// forms the next, so the busier it is the larger they are.
func (s *Sender) mark() {
	for {
		s.rest()
		batch := s.take()
		if len(batch) == 0 {
			return
		}
		err := s.commit(batch)
		s.mu.Lock()
		for _, e := range batch {
			s.finish(e, err)
		}
		s.mu.Unlock()
		if err != nil {
			s.log.Error("webhook results could not be marked", "error", err, "retry_in", markRetry)
			continue
		}
		for _, e := range batch {
			if e.mail {
				s.svc.mailOwners(context.Background(), e.lane.laneKey, s.log)
			}
		}
	}
}

// rest lets results gather while the sender runs by itself.
func (s *Sender) rest() {
	s.mu.Lock()
	run := s.running && !s.stopping
	s.mu.Unlock()
	if run {
		<-time.After(gather)
	}
}

func (s *Sender) take() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch []*entry
	n := 0
	for n < batchMax && len(s.dirty) > 0 {
		l := s.dirty[0]
		s.dirty = s.dirty[1:]
		l.dirty = false
		release := l.idle() && (l.stop || l.over || !s.running || s.stopping)
		l.over = false
		if l.lost || l.releasing || len(l.results) == 0 && !release {
			continue
		}
		e := &entry{lane: l, results: l.results, release: release, hold: l.hold, clean: l.clean, strict: l.strict}
		l.results, l.marking, l.releasing = nil, len(e.results), e.release
		n += len(e.results) + 1
		batch = append(batch, e)
	}
	if len(batch) == 0 {
		s.dirty, s.marking = nil, false
	}
	return batch
}

// commit writes a batch. Leases are renewed on the way, which also tells
// whether the lanes are still ours: of others nothing is marked.
func (s *Sender) commit(batch []*entry) error {
	ids := make([]uuid.UUID, len(batch))
	for i, e := range batch {
		ids[i] = e.lane.id
	}
	return s.svc.db.System("delivery claim").InTx(context.Background(), func(tx *db.Tx) error {
		owned, err := renewLanes(tx, s.claim, ids)
		if err != nil {
			return err
		}
		ours := make(map[uuid.UUID]bool, len(owned))
		for _, id := range owned {
			ours[id] = true
		}
		var marks []mark
		for _, e := range batch {
			e.begin(ours[e.lane.id])
			if e.lost {
				continue
			}
			if err := e.judge(tx); err != nil {
				return err
			}
			first := len(marks)
			marks = e.marks(marks, tx.Now())
			if err := report(tx, e, marks[first:]); err != nil {
				return err
			}
		}
		if err := markDeliveries(tx, marks); err != nil {
			return err
		}
		for _, e := range batch {
			if e.lost || !e.release {
				continue
			}
			if e.back {
				e.kept = true
				continue
			}
			if e.kept, err = releaseLane(tx, e.lane.laneKey, s.claim, e.until); err != nil {
				return err
			}
		}
		return nil
	})
}

// begin clears what an earlier run of the transaction left.
func (e *entry) begin(ours bool) {
	e.lost, e.kept, e.back, e.mail, e.disabled, e.changed = !ours, false, false, false, false, false
	e.until, e.statuses = e.hold, e.statuses[:0]
}

// judge takes the results into the endpoint's health, where they change it.
func (e *entry) judge(tx *db.Tx) error {
	failed := false
	for i := range e.results {
		failed = failed || !e.results[i].ok()
	}
	if !failed && e.clean || len(e.results) == 0 {
		return nil
	}
	t, err := lockTarget(tx, e.lane.laneKey)
	if db.IsNoRow(err) {
		e.lost = true
		return nil
	}
	if err != nil {
		return err
	}
	h := t.health
	for i := range e.results {
		r := &e.results[i]
		if r.ok() {
			e.back = h.succeed() || e.back
			continue
		}
		hold, disabled := h.fail(r.at, r.code(), r.answer.Err.Error(), r.probe)
		e.until, e.disabled = later(e.until, hold), e.disabled || disabled
		if asked := r.answer.RetryAfter; asked > 0 && (r.answer.Status == 429 || r.answer.Status == 503) {
			e.until = later(e.until, r.at.Add(min(asked, laneRetry)))
		}
	}
	e.back = e.back && h.status == Active
	copied := h
	_, e.mail = copied.mail(tx.Now())
	e.changed, e.health = true, h
	return setHealth(tx, e.lane.laneKey, &h)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// marks adds the new states of the entry's deliveries.
func (e *entry) marks(list []mark, now time.Time) []mark {
	if e.lost {
		return list
	}
	for _, r := range e.results {
		m := mark{tenant: e.lane.tenant, result: r, status: Delivered, nextAt: r.at}
		if !r.ok() {
			wait, more := retryIn(r.attempts+1-r.base, r.answer.RetryAfter, rand.Float64()) // spreads, guards nothing
			switch {
			case !more || errors.Is(r.answer.Err, errTooOld):
				m.status = Exhausted
			case e.strict:
				// It keeps its place at the head; the whole lane waits.
				m.status, m.nextAt = Failed, r.nextAt.Time
				e.until = later(e.until, now.Add(wait))
			default:
				m.status, m.nextAt = Failed, now.Add(wait)
			}
		}
		e.statuses = append(e.statuses, m.status)
		list = append(list, m)
	}
	return list
}

// finish puts a batch's outcome back into its lane. The lock is held.
func (s *Sender) finish(e *entry, err error) {
	l := e.lane
	l.releasing, l.marking = false, 0
	if l.lost {
		return
	}
	if err != nil {
		l.results = append(e.results, l.results...)
		if l.renewed() > lease {
			s.lose(l)
			return
		}
		time.AfterFunc(markRetry, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !l.lost {
				s.markSoon(l)
			}
		})
		return
	}
	s.metrics.count(e)
	if e.lost {
		s.lose(l)
		return
	}
	l.renewed = clock.Stopwatch()
	if e.changed {
		l.clean = e.health.clean()
		l.probe = e.health.status == Disabled
	}
	switch {
	case e.release && !e.kept:
		poked := l.poked
		s.lose(l)
		if poked {
			s.signal()
		}
		return
	case e.back:
		l.stop, l.hold, l.more = s.stopping, time.Time{}, true
		if l.idleButMore() {
			l.rewind()
		}
	case e.until.After(s.svc.db.Clock().Now()):
		l.halt(e.until)
	case e.release: // something is due after all
		l.stop, l.hold = s.stopping, time.Time{}
		l.rewind()
	}
	s.advance(l)
}
