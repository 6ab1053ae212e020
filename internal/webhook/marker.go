package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

var errTooOld = errors.New(bodyTooOld)

const (
	batchMax = 512 // results in one transaction
	// writesMost is how many batches are written beside the one that the marker
	// itself writes.
	writesMost = 3
	markRetry  = 250 * time.Millisecond
)

// entry is a lane's part of a batch, and what came of it.
type entry struct {
	lane    *lane
	module  string
	results []result
	release bool
	last    bool // the sender is stopping: nothing more is sent
	hold    time.Time
	clean   bool
	strict  bool

	lost, kept, back, mail, disabled bool
	statuses                         []string
	until                            time.Time // nothing is sent before
	health                           health
	changed                          bool
	renewed                          func() time.Duration // not nil where the batch prolonged the lease
	leaseEnds                        time.Time
}

// markSoon puts a lane into the next batch. The lock is held.
func (s *Sender) markSoon(l *lane) {
	if !l.dirty {
		l.dirty = true
		s.dirty = append(s.dirty, l)
	}
	switch {
	case !s.marking:
		s.marking = true
		go s.mark()
	case s.flying == 0 || l.full() && s.writing == 0:
		s.hasten()
	}
}

// hasten ends the marker's rest.
func (s *Sender) hasten() {
	select {
	case s.haste <- struct{}{}:
	default:
	}
}

// mark writes batches until nothing waits. What finishes during one batch forms
// the next, so the busier it is the larger they are. A few that say only what
// arrived are written at a time: an endpoint goes on with what one of them frees
// while the disk is busy with another.
func (s *Sender) mark() {
	for {
		s.rest()
		batch := s.take()
		if len(batch) == 0 {
			return
		}
		if arrived(batch) && s.mayWrite() {
			go func() {
				s.write(batch)
				s.mu.Lock()
				defer s.mu.Unlock()
				s.writing--
			}()
			continue
		}
		s.write(batch)
	}
}

// mayWrite says whether another batch may be written beside those that are.
func (s *Sender) mayWrite() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing == writesMost {
		return false
	}
	s.writing++
	return true
}

func (s *Sender) write(batch []*entry) {
	err := s.commit(batch)
	if err != nil {
		s.log.Error("webhook results could not be marked", "error", err, "retry_in", markRetry)
	}
	for _, e := range batch { // rarely one; whoever waits for the lanes waits for this too
		if err == nil && e.mail {
			s.svc.mailOwners(context.Background(), e.lane.laneKey, s.log)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range batch {
		s.finish(e, err)
	}
}

// rest lets results gather while the sender runs by itself, unless a lane waits
// for its marks and none are being written, or nothing is under way that could
// join them: what is answered and not marked is what a crash repeats.
func (s *Sender) rest() {
	s.mu.Lock()
	run := s.running && !s.stopping && s.flying > 0 && (s.writing > 0 || !slices.ContainsFunc(s.dirty, (*lane).full))
	select {
	case <-s.haste: // of an earlier batch
	default:
	}
	s.mu.Unlock()
	if !run {
		return
	}
	select {
	case <-s.haste:
	case <-time.After(gather):
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
		release := l.idle() && l.marking == 0 && (l.stop || l.over || !s.running || s.stopping)
		l.over = l.over && l.marking > 0
		if l.lost || l.releasing || len(l.results) == 0 && !release {
			continue
		}
		e := &entry{lane: l, module: l.module, results: l.results, release: release, last: s.stopping, hold: l.hold, clean: l.clean, strict: l.strict}
		l.results, l.marking, l.releasing = nil, l.marking+len(e.results), e.release
		n += len(e.results) + 1
		batch = append(batch, e)
	}
	if len(batch) == 0 {
		s.dirty, s.marking = nil, false
	}
	return batch
}

// commit writes a batch. What simply arrived takes one statement, which marks
// nothing of a lane that another has claimed; a batch of nothing else asks
// nothing. What changes an endpoint's health, was tried before or gives its lane
// back locks the lane's row first.
func (s *Sender) commit(batch []*entry) error {
	if arrived(batch) {
		err := s.svc.db.System("delivery claim").InTx(context.Background(), func(tx *db.Tx) error {
			var marks []mark
			for _, e := range batch {
				var err error
				if marks, err = e.weigh(tx, true, marks); err != nil {
					return err
				}
			}
			tx.Promptly() // the lanes wait
			return markArrived(tx, s.claim, marks)
		})
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	return s.settleBatch(batch)
}

// settleBatch writes a batch in which anything may have happened.
func (s *Sender) settleBatch(batch []*entry) error {
	var locked, open []uuid.UUID
	since, ends := s.newLease()
	for _, e := range batch {
		if e.plain() {
			open = append(open, e.lane.id)
		} else {
			locked = append(locked, e.lane.id)
		}
	}
	return s.svc.db.System("delivery claim").InTx(context.Background(), func(tx *db.Tx) error {
		var owned []uuid.UUID
		if len(locked) > 0 {
			var err error
			if owned, err = renewLanes(tx, s.claim, locked, s.lease); err != nil {
				return err
			}
		}
		var marks []mark
		for _, e := range batch {
			var err error
			if e.renewed = nil; slices.Contains(owned, e.lane.id) {
				e.renewed, e.leaseEnds = since, ends
			}
			if marks, err = e.weigh(tx, e.plain() || slices.Contains(owned, e.lane.id), marks); err != nil {
				return err
			}
		}
		all, err := markDeliveries(tx, s.claim, marks)
		if err != nil {
			return err
		}
		if !all && len(open) > 0 {
			if owned, err = heldLanes(&tx.Reader, s.claim, open); err != nil {
				return err
			}
			for _, e := range batch {
				e.lost = e.lost || e.plain() && !slices.Contains(owned, e.lane.id)
			}
		}
		return s.giveBack(tx, batch)
	})
}

// giveBack releases the lanes of a batch that have nothing more to do.
func (s *Sender) giveBack(tx *db.Tx, batch []*entry) error {
	var list []release
	for _, e := range batch {
		switch {
		case e.lost || !e.release:
		case e.back:
			e.kept = true
		default:
			list = append(list, release{e.lane.id, e.until, e.last})
		}
	}
	if len(list) == 0 {
		return nil
	}
	kept, err := releaseLanes(tx, s.claim, list)
	for _, e := range batch {
		e.kept = e.kept || kept[e.lane.id]
	}
	return err
}

// arrived says that a batch is plain.
func arrived(batch []*entry) bool {
	return !slices.ContainsFunc(batch, func(e *entry) bool { return !e.plain() })
}

// plain says that everything arrived at the first attempt and nothing else
// changes.
func (e *entry) plain() bool {
	return !e.release && e.clean && !slices.ContainsFunc(e.results, func(r result) bool { return !r.ok() || r.attempts > 0 })
}

// weigh adds the new states of the entry's deliveries, if its lane is still
// ours, after taking them into its endpoint's health. Who waits for the outcome
// of one is told.
func (e *entry) weigh(tx *db.Tx, ours bool, marks []mark) ([]mark, error) {
	e.begin(ours)
	if e.lost {
		return marks, nil
	}
	if err := e.judge(tx); err != nil {
		return nil, err
	}
	first := len(marks)
	marks = e.marks(marks, tx.Now())
	return marks, report(tx, e, marks[first:])
}

// begin clears what an earlier run of the transaction left.
func (e *entry) begin(ours bool) {
	e.lost, e.kept, e.back, e.mail, e.disabled, e.changed, e.health = !ours, false, false, false, false, false, health{}
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
		hold, disabled := h.fail(r.at, r.code(), r.answer.Class, r.answer.Err.Error(), r.probe)
		e.until, e.disabled = later(e.until, hold), e.disabled || disabled
		if asked := r.answer.RetryAfter; asked > 0 && (r.answer.Status == 429 || r.answer.Status == 503) {
			e.until = later(e.until, r.at.Add(min(asked, laneRetry)))
		}
	}
	if e.back = e.back && h.status == Active; e.back {
		if err := hurry(tx, e.lane.laneKey); err != nil {
			return err
		}
	}
	copied := h
	_, e.mail = copied.mail(tx.Now())
	e.changed, e.health = true, h
	if err := setHealth(tx, e.lane.laneKey, &h); err != nil || h.status != Disabled || e.until.IsZero() {
		return err
	}
	if e.until.Equal(never) {
		if _, err := jobs.EnqueueFor(tx, e.lane.tenant, giveUpKind, tx.Now(), e.lane.id); err != nil {
			return err
		}
	}
	// The lane is given back later; when it is probed is known from now on.
	return holdLane(tx, e.lane.laneKey, clock.At(e.until))
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
			m.fail(now)
			if e.strict && m.status != Exhausted {
				// It keeps its place at the head; the whole lane waits.
				if e.health.status != Disabled {
					e.until = later(e.until, m.nextAt)
				}
				m.nextAt = r.nextAt.Time
			}
		}
		if !r.probe || m.status != r.status {
			e.statuses = append(e.statuses, m.status)
		}
		list = append(list, m)
	}
	return list
}

// fail gives a delivery the state that a failed attempt leaves it in. A probe
// uses up nothing of its schedule: it waits as long again, so that the next
// probe is another's turn where there is one.
func (m *mark) fail(now time.Time) {
	tried := m.attempts + 1 - m.base
	if m.probe {
		m.base++
		tried = max(tried-1, 1)
	}
	wait, more := retryIn(tried, m.answer.RetryAfter, rand.Float64()) // spreads, guards nothing
	switch {
	case !more || errors.Is(m.answer.Err, errTooOld):
		m.status = Exhausted
	case m.probe:
		m.status, m.nextAt = m.result.status, now.Add(wait)
	default:
		m.status, m.nextAt = Failed, now.Add(wait)
	}
}

// finish puts a batch's outcome back into its lane. The lock is held.
func (s *Sender) finish(e *entry, err error) {
	l := e.lane
	l.releasing, l.marking = false, l.marking-len(e.results)
	if l.lost {
		return
	}
	if err != nil {
		l.results = append(e.results, l.results...)
		if l.renewed() > s.lease {
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
	for i := range e.results {
		delete(l.busy, e.results[i].id)
	}
	s.metrics.count(e)
	if e.lost {
		s.lose(l)
		return
	}
	l.pace.marked += len(e.results)
	if e.renewed != nil {
		l.renewed, l.leaseEnds = e.renewed, e.leaseEnds
	}
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
		l.stop, l.hold = s.stopping, time.Time{}
		l.rewind()
	case e.until.After(s.svc.db.Clock().Now()):
		l.halt(e.until)
	case e.release: // something is due after all
		l.stop, l.hold = s.stopping, time.Time{}
		l.rewind()
	}
	s.advance(l)
}
