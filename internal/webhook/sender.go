package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
	"konak/internal/kit/trace"
)

// Topic is signalled when lanes have something to do.
const Topic = "webhook"

const (
	maxClaimed = 128
	maxLanes   = 4096
	look       = time.Second // without being woken
	// idleTime is how long a lane is kept after it has run dry: under a steady flow this
	// saves most transactions that claim and release.
	idleTime = 50 * time.Millisecond
	drain    = outbound.Timeout + 3*time.Second
)

// Sender sends the waiting deliveries. Any number of senders, in any number of processes,
// share the lanes of a database.
type Sender struct {
	db      *db.DB
	box     *secret.Box
	out     *outbound.Client
	owners  Owners
	log     *slog.Logger
	metrics *metrics
	traces  *trace.Tracer
	claim   uuid.UUID // the id that this sender claims lanes with
	lease   time.Duration

	mu       sync.Mutex
	lanes    map[uuid.UUID]*lane
	tenants  map[uuid.UUID]*tenantLoad
	paces    map[uuid.UUID]*pace
	pools    [pools]slotPool
	results  []result // to be marked
	releases []*lane  // to be given back
	marking  bool     // the marker is at work
	running  bool     // by itself, and not in steps
	stopping bool
	begun    int        // attempts made
	changed  *sync.Cond // a lane is gone, or a stale attempt has ended
	wake     chan struct{}
}

// SenderConfig is what a sender needs.
type SenderConfig struct {
	DB      *db.DB
	Box     *secret.Box      // opens the signing secrets
	Out     *outbound.Client // makes the requests
	Owners  Owners           // notified about endpoints that do not answer
	Log     *slog.Logger
	Metrics prometheus.Registerer
	Traces  *trace.Tracer // gets the attempts; nil for none
	Lease   time.Duration // how long a silent sender keeps its lanes; zero means DefaultLease
}

// NewSender creates the sender of a process and registers its metrics. It returns an error
// if something is missing.
func NewSender(c SenderConfig) (*Sender, error) {
	if c.DB == nil || c.Box == nil || c.Out == nil || c.Owners == nil || c.Log == nil || c.Metrics == nil {
		return nil, errors.New("webhook: the sender needs a database, a box of secrets, a client, owners, a log and metrics")
	}
	s := &Sender{
		db: c.DB, box: c.Box, out: c.Out, owners: c.Owners, log: c.Log, metrics: newMetrics(c.Metrics), traces: c.Traces,
		claim: c.DB.Clock().NewCapability(), lease: cmp.Or(c.Lease, DefaultLease),
		lanes: map[uuid.UUID]*lane{}, tenants: map[uuid.UUID]*tenantLoad{}, paces: map[uuid.UUID]*pace{},
		pools: [pools]slotPool{{free: slotsPerPool}, {free: slotsPerPool}}, wake: make(chan struct{}, 1),
	}
	s.changed = sync.NewCond(&s.mu)
	return s, nil
}

// Step sends what is due now and returns once it is marked. It returns the number of
// attempts made.
func (s *Sender) Step(ctx context.Context) (int, error) {
	s.mu.Lock()
	before := s.begun
	s.mu.Unlock()
	for {
		n, err := s.claimDue(ctx)
		if err != nil {
			return 0, err
		}
		s.mu.Lock()
		for len(s.lanes) > 0 {
			s.changed.Wait()
		}
		made := s.begun - before
		s.mu.Unlock()
		if n < maxClaimed {
			return made, nil
		}
	}
}

// Run sends until ctx ends, then lets attempts under way finish and gives the lanes back.
func (s *Sender) Run(ctx context.Context) {
	s.db.Listen(Topic, s.signal)
	s.mu.Lock()
	s.running, s.stopping = true, false
	s.mu.Unlock()
	var sampled func() time.Duration
	timer, renew := time.NewTimer(0), time.NewTicker(s.lease/4)
	defer timer.Stop()
	defer renew.Stop()
	for {
		due := true
		select {
		case <-ctx.Done():
			s.drain()
			return
		case <-renew.C:
			s.renew(ctx)
			continue
		case <-s.wake:
		case <-timer.C:
			s.refresh()
			due = s.due(ctx)
			if sampled == nil || sampled() >= sampleEvery {
				sampled = clock.Stopwatch()
				s.Measure(ctx)
			}
		}
		n := maxClaimed
		for due && n == maxClaimed && ctx.Err() == nil {
			var err error
			if n, err = s.claimDue(ctx); err != nil {
				s.log.Error("webhook endpoints could not be claimed", "error", err)
				n = 0
			}
		}
		wait := s.nextRun(ctx).Sub(s.db.Clock().Now())
		timer.Reset(min(max(wait, 5*time.Millisecond), look))
	}
}

func (s *Sender) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Sender) nextRun(ctx context.Context) time.Time {
	next, err := db.Read(ctx, s.db.System("delivery claim"), nextRun)
	if err != nil && ctx.Err() == nil {
		s.log.Error("webhook endpoints could not be read", "error", err)
	}
	return next
}

func (s *Sender) due(ctx context.Context) bool {
	next := s.nextRun(ctx)
	now := s.db.Clock().Now()
	s.metrics.lag.Set(max(now.Sub(next), 0).Seconds())
	return !next.After(now)
}

// claimDue claims lanes that are due and begins to work on them.
func (s *Sender) claimDue(ctx context.Context) (int, error) {
	s.mu.Lock()
	limit := min(maxClaimed, maxLanes-len(s.lanes))
	if s.stopping {
		limit = 0
	}
	s.mu.Unlock()
	if limit <= 0 {
		return 0, nil
	}
	since, ends := s.newLease()
	keys, err := db.Write(ctx, s.db.System("delivery claim"), func(tx *db.Tx) ([]laneKey, error) { return claimLanes(tx, s.claim, limit, s.lease) })
	if err != nil {
		return 0, fmt.Errorf("webhook: claim lanes: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		if old, ok := s.lanes[k.id]; ok {
			s.lose(old) // its lease ended without our noticing
		}
		l := &lane{
			laneKey: k, busy: map[uuid.UUID]struct{}{}, load: s.tenantLoadOf(k.tenant), pace: s.paceOf(k.id),
			renewed: since, leaseEnds: ends, settings: clock.Stopwatch(),
		}
		l.load.lanes++
		l.rewind()
		s.lanes[k.id] = l
		s.startLoad(l)
	}
	s.metrics.lanes.Set(float64(len(s.lanes)))
	return len(keys), nil
}

// advance takes a lane's next step, whatever that is. The caller holds the lock.
func (s *Sender) advance(l *lane) {
	if s.stopping {
		l.halt(time.Time{})
	}
	switch {
	case l.state == sending && l.unread && l.low() && l.move(runsLow), l.state == idle && l.unread && l.move(notified):
		s.startLoad(l)
	case l.state == sending && len(l.buffer) == 0 && l.unmarked == 0:
		l.move(allMarked)
		s.startIdling(l)
	case l.state == draining && l.unmarked == 0:
		l.move(drained)
		s.release(l)
	}
	s.waitForSlot(l)
	s.fillSlots()
}

// startIdling keeps a lane that became idle for a moment and then has it given back. With
// Step, nothing more comes. The caller holds the lock.
func (s *Sender) startIdling(l *lane) {
	if !s.running || s.stopping {
		l.move(waitedLong)
		s.release(l)
		return
	}
	l.idleFor = clock.Stopwatch()
	time.AfterFunc(idleTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if l.state == idle && l.idleFor() >= idleTime {
			l.move(waitedLong)
			s.release(l)
		}
	})
}

// release has a lane given back. The caller holds the lock.
func (s *Sender) release(l *lane) {
	s.releases = append(s.releases, l)
	s.markSoon()
}

// start begins an attempt in a slot of a pool. The caller holds the lock.
func (s *Sender) start(l *lane, p *slotPool) {
	now := s.db.Clock().Now()
	if l.rate > 0 {
		if l.pace.sent >= l.rate {
			l.halt(l.pace.second.Add(rateSpan))
			s.advance(l)
			return
		}
		l.pace.sent++
	}
	j := l.buffer[0]
	l.buffer = l.buffer[1:]
	l.busy[j.id] = struct{}{}
	l.inflight++
	l.unmarked++
	l.load.inflight++
	s.begun++
	p.free--
	go s.attempt(result{job: j, lane: l, probe: l.mode() == probe, at: now, epoch: l.epoch}, &slot{pool: p})
	if l.unread && l.low() && l.move(runsLow) {
		s.startLoad(l)
	}
}

// attempt makes a request and passes its result to the marker.
func (s *Sender) attempt(r result, x *slot) {
	l := r.lane
	r.answer = outbound.Answer{Class: outbound.ClassBody, Err: errTooOld}
	if r.body != nil {
		to, header, ok := s.sign(&r)
		if !ok {
			s.putBack(&r, x)
			return
		}
		timer := time.AfterFunc(slowAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !x.freed {
				x.free()
				l.pace.slow = true
				s.fillSlots()
			}
		})
		s.metrics.inflight.Inc()
		r.answer = s.out.Post(context.Background(), to, header, r.body, r.at)
		s.metrics.inflight.Dec()
		timer.Stop()
		if r.trace != "" {
			s.traces.Record(r.trace, "deliver "+r.eventType, trace.Client, r.answer.Duration, r.answer.Class, append(outbound.Attributes("POST", to, r.answer.Status),
				trace.Text(trace.Event, r.eventType), trace.Text(trace.Tenant, l.tenant.String()), trace.Number(trace.Attempt, r.attempts+1))...)
		}
		r.at = s.db.Clock().Now()
	}
	r.body = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	l.pace.recordAttempt(&r.answer)
	if s.endAttempt(&r, x); l.state == gone {
		return
	}
	s.results = append(s.results, r)
	s.markSoon()
	if !r.ok() && l.mode() != normal {
		l.halt(time.Time{}) // the marker says for how long
	}
	s.advance(l)
}

// sign returns the address of an attempt and the header to send with its body. It refuses
// if the settings have changed since the attempt began, and if the lane is lost or its
// lease has ended: this process was frozen, and another node may already be sending.
func (s *Sender) sign(r *result) (*url.URL, outbound.Header, bool) {
	s.mu.Lock()
	l := r.lane
	holds := s.leaseHolds(l)
	if !holds {
		l.halt(time.Time{})
	}
	to, signer, ok := l.address, l.signer, holds && l.state != gone && l.epoch == r.epoch
	s.mu.Unlock()
	if !ok {
		return nil, nil, false
	}
	return to, signer.Header(r.eventType, r.id.String(), r.body, r.at), true
}

// putBack undoes an attempt that was not sent.
func (s *Sender) putBack(r *result, x *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := r.lane
	s.begun--
	l.unmarked--
	delete(l.busy, r.id)
	if l.state == sending || l.state == loading {
		l.buffer = append([]job{r.job}, l.buffer...)
	}
	if s.endAttempt(r, x); l.state != gone {
		s.advance(l)
	}
}

// endAttempt records that an attempt is no longer under way and frees its slot. The caller
// holds the lock.
func (s *Sender) endAttempt(r *result, x *slot) {
	l := r.lane
	x.free()
	l.inflight--
	l.load.inflight--
	if r.epoch != l.epoch {
		if l.stale--; l.stale == 0 {
			s.changed.Broadcast()
		}
	}
	s.queueTenant(l.load)
	if l.state == gone {
		s.forget(l)
		s.fillSlots()
	}
}

// waitForOldAttempts waits until no attempt is under way that began before an endpoint's
// last change, at most as long as one attempt can take.
func (s *Sender) waitForOldAttempts(ctx context.Context, endpoint uuid.UUID) {
	ctx, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lanes[endpoint]
	if !ok {
		return
	}
	for l.stale > 0 && l.state != gone && ctx.Err() == nil {
		s.changed.Wait()
	}
}

// notify tells the sender that deliveries were queued for endpoints. Lanes that are being
// given back are claimed again.
func (s *Sender) notify(endpoints ...uuid.UUID) {
	s.mu.Lock()
	others := false
	for _, id := range endpoints {
		l, ok := s.lanes[id]
		if !ok {
			others = true
			continue
		}
		l.unread = true
		s.advance(l)
	}
	s.mu.Unlock()
	if others {
		s.signal()
	}
}

// rereadSettings tells the sender that an endpoint has changed: nothing more starts before
// its settings are read again.
func (s *Sender) rereadSettings(endpoint uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lanes[endpoint]
	if !ok {
		return
	}
	l.epoch++
	l.stale = l.inflight
	if l.signer = nil; l.move(settingsChanged) {
		s.startLoad(l)
	}
}

// refresh rereads the settings of lanes that have been held for a while: another node may
// have changed their endpoint or added to their queue.
func (s *Sender) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		if l.state != loading && l.settings() >= look && l.move(settingsChanged) {
			l.unread = true
			s.startLoad(l)
		}
	}
}

// drain ends sending: attempts under way finish, and the lanes are given back.
func (s *Sender) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for _, l := range s.lanes {
		s.advance(l)
	}
	giveUp := time.AfterFunc(drain, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, l := range s.lanes {
			s.lose(l)
		}
		s.changed.Broadcast()
	})
	defer giveUp.Stop()
	for len(s.lanes) > 0 {
		s.changed.Wait()
	}
}
