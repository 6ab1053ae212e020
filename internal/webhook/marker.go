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
	"konak/internal/kit/each"
	"konak/internal/kit/jobs"
	"konak/internal/webhook/hour"
)

var errTooOld = errors.New(bodyTooOld)

const (
	maxBatch  = 512 // results in one transaction
	markRetry = 250 * time.Millisecond
)

// entry is a lane's part of a batch, with its outcome.
type entry struct {
	lane    *lane
	module  string
	results []result
	release bool
	last    bool // the sender is stopping: nothing more is sent
	hold    time.Time
	healthy bool
	inOrder bool
	outcome
}

// outcome is the transaction's result for an entry.
type outcome struct {
	lost     bool // another node has the lane, or it is deleted
	kept     bool // something is due in a lane that was to be given back
	back     bool // a disabled endpoint answered
	disabled bool
	mail     bool // the owners are to be notified
	renewed  bool // the lease was extended
	changed  bool // the health
	health   health
	marks    []mark
	statuses []string
	until    time.Time // nothing is sent before
}

// markSoon starts marking the waiting results. The caller holds the lock.
func (s *Sender) markSoon() {
	if !s.marking {
		s.marking = true
		go s.markAll()
	}
}

// markAll writes batches until nothing waits. Results that arrive during one batch form the
// next, so batches grow with the load.
func (s *Sender) markAll() {
	for {
		batch := s.takeBatch()
		if batch == nil {
			return
		}
		since, ends := s.newLease()
		err := s.commit(batch)
		if err != nil {
			s.log.Error("webhook results could not be saved", "error", err, "retry_in", markRetry)
		}
		for _, e := range batch { // rarely one; callers that wait for the lanes wait for this too
			if err == nil && e.mail {
				s.mailOwners(context.Background(), e.lane.laneKey)
			}
		}
		s.mu.Lock()
		for _, e := range batch {
			if e.renewed && err == nil {
				e.lane.renewed, e.lane.leaseEnds = since, ends
			}
			s.finish(e, err)
		}
		s.mu.Unlock()
		if err != nil {
			<-time.After(markRetry)
		}
	}
}

// takeBatch takes the results to mark next; nil if none wait.
func (s *Sender) takeBatch() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.results) == 0 && len(s.releases) == 0 {
		s.marking = false
		return nil
	}
	batch, of := []*entry{}, map[*lane]*entry{}
	add := func(l *lane) *entry {
		e, ok := of[l]
		if !ok {
			e = &entry{lane: l, module: l.module, last: s.stopping, hold: l.hold, healthy: l.healthy, inOrder: l.inOrder}
			of[l], batch = e, append(batch, e)
		}
		return e
	}
	n := min(len(s.results), maxBatch)
	for _, r := range s.results[:n] {
		if r.lane.state != gone {
			e := add(r.lane)
			e.results = append(e.results, r)
		}
	}
	s.results = slices.Delete(s.results, 0, n)
	for _, l := range s.releases {
		if l.state == releasing {
			add(l).release = true
		}
	}
	s.releases = nil
	return batch
}

// commit writes a batch. Deliveries of a lane that another node has claimed, and deliveries
// that have moved on, are not marked. If an entry changes an endpoint's health, contains a
// delivery that was tried before or gives its lane back, the lane's row is locked first.
func (s *Sender) commit(batch []*entry) error {
	return s.db.System("delivery claim").InTx(context.Background(), func(tx *db.Tx) error {
		if err := s.lockLanes(tx, batch); err != nil {
			return err
		}
		var marks []mark
		for _, e := range batch {
			if err := e.collectMarks(tx); err != nil {
				return err
			}
			marks = append(marks, e.marks...)
		}
		marked, err := markDeliveries(tx, s.claim, marks)
		if err != nil {
			return err
		}
		if err := hour.Add(tx, marked, len(marks), func(i int) hour.Attempt {
			m := &marks[i]
			return hour.Attempt{Tenant: m.tenant, Endpoint: m.lane.id, Delivery: m.id, At: m.at, Arrived: m.ok()}
		}); err != nil {
			return err
		}
		if len(marked) < len(marks) {
			if err := s.findLost(tx, batch); err != nil {
				return err
			}
		}
		for _, e := range batch {
			if err := report(tx, e, marked); err != nil {
				return err
			}
		}
		return s.giveBack(tx, batch)
	})
}

// lockLanes locks the lanes that need it, which extends their leases, and notes which are
// lost.
func (s *Sender) lockLanes(tx *db.Tx, batch []*entry) error {
	var ids []uuid.UUID
	for _, e := range batch {
		e.outcome = outcome{until: e.hold} // of an earlier run of the transaction
		if e.locks() {
			ids = append(ids, e.lane.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	owned, err := renewLanes(tx, s.claim, ids, s.lease)
	for _, e := range batch {
		if e.locks() {
			e.renewed = slices.Contains(owned, e.lane.id)
			e.lost = !e.renewed
		}
	}
	return err
}

// findLost notes which of the batch's unlocked lanes are lost.
func (s *Sender) findLost(tx *db.Tx, batch []*entry) error {
	ids := each.Map(batch, func(e *entry) uuid.UUID { return e.lane.id })
	owned, err := heldLanes(&tx.Reader, s.claim, ids)
	for _, e := range batch {
		e.lost = e.lost || !slices.Contains(owned, e.lane.id)
	}
	return err
}

// giveBack releases the lanes of a batch that have nothing more to do.
func (s *Sender) giveBack(tx *db.Tx, batch []*entry) error {
	var list []release
	for _, e := range batch {
		if e.release && !e.lost {
			list = append(list, release{e.lane.id, e.until, e.last})
		}
	}
	if len(list) == 0 {
		return nil
	}
	kept, err := releaseLanes(tx, s.claim, list)
	for _, e := range batch {
		e.kept = kept[e.lane.id]
	}
	return err
}

// locks reports whether the entry contains more than successful first attempts.
func (e *entry) locks() bool {
	return e.release || !e.healthy || slices.ContainsFunc(e.results, func(r result) bool { return !r.ok() || r.attempts > 0 })
}

// collectMarks determines the new states of the entry's deliveries, if its lane is still
// held, after applying them to its endpoint's health.
func (e *entry) collectMarks(tx *db.Tx) error {
	if e.lost {
		return nil
	}
	if err := e.updateHealth(tx); err != nil || e.lost {
		return err
	}
	for _, r := range e.results {
		m := mark{tenant: e.lane.tenant, result: r, status: Delivered, nextAt: r.at}
		if !r.ok() {
			m.fail(tx.Now())
			if e.inOrder && m.status != Exhausted {
				// It stays at the head of the queue; the whole lane waits.
				if e.health.status != Disabled {
					e.until = laterOf(e.until, m.nextAt)
				}
				m.nextAt = r.nextAt.Time
			}
		}
		if !r.probe || m.status != r.status {
			e.statuses = append(e.statuses, m.status)
		}
		e.marks = append(e.marks, m)
	}
	return nil
}

// updateHealth applies the results to the endpoint's health if they change it.
func (e *entry) updateHealth(tx *db.Tx) error {
	failed := false
	for i := range e.results {
		failed = failed || !e.results[i].ok()
	}
	if !failed && e.healthy || len(e.results) == 0 {
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
		if r.probe && h.status == Disabled {
			before, err := findHeldBefore(tx, e.lane.laneKey)
			if err != nil {
				return err
			}
			if before.After(r.at) { // a person asked for it before its time
				h.explain(r.code(), r.answer.Class, r.answer.Err.Error())
				e.until = laterOf(e.until, before)
				continue
			}
		}
		hold, disabled := h.fail(r.at, r.code(), r.answer.Class, r.answer.Err.Error(), r.probe)
		e.until, e.disabled = laterOf(e.until, hold), e.disabled || disabled
		if asked := r.answer.RetryAfter; asked > 0 && (r.answer.Status == 429 || r.answer.Status == 503) {
			e.until = laterOf(e.until, r.at.Add(min(asked, maxEndpointHold)))
		}
	}
	if e.back = e.back && h.status == Active; e.back {
		if err := retryFailedNow(tx, e.lane.laneKey); err != nil {
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
		if _, err := jobs.EnqueueForTenant(tx, e.lane.tenant, giveUpKind, tx.Now(), e.lane.id); err != nil {
			return err
		}
	}
	// The lane is given back later, but its next probe is known from now on.
	return holdLane(tx, e.lane.laneKey, clock.At(e.until))
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// fail gives a delivery the state that follows a failed attempt. A probe does not advance
// its retry schedule: it waits as long as before, so that the next probe uses another
// delivery if there is one.
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

// finish applies a batch's outcome to its lane. The caller holds the lock.
func (s *Sender) finish(e *entry, err error) {
	l := e.lane
	if l.state == gone {
		return
	}
	if err != nil {
		if !s.leaseHolds(l) {
			s.lose(l)
			return
		}
		s.results = append(e.results, s.results...)
		if e.release {
			s.releases = append(s.releases, l)
		}
		return
	}
	l.unmarked -= len(e.results)
	for i := range e.results {
		delete(l.busy, e.results[i].id)
	}
	s.metrics.count(e)
	if e.lost {
		s.lose(l)
		return
	}
	l.pace.marked += len(e.results)
	if e.changed {
		l.healthy, l.disabled = e.health.clean(), e.health.status == Disabled
	}
	switch {
	case e.release && !e.kept:
		l.move(released)
		s.drop(l)
		if l.unread { // it was notified meanwhile
			s.signal()
		}
		return
	case e.release && l.move(dueAgain), e.back && l.move(cameBack):
		l.hold = time.Time{}
		l.rewind()
		s.startLoad(l)
	case e.until.After(s.db.Clock().Now()):
		l.halt(e.until)
	}
	s.advance(l)
}
