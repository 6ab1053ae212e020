package webhook

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
)

// Topic is woken when lanes have something to do.
const Topic = "webhook"

const (
	perClaim = 128
	lanesMax = 4096
	look     = time.Second // without being woken
	// gather is how long results wait for others before they are marked, and
	// linger how long a lane is kept when it has run dry: under a steady flow
	// most transactions are shared or saved. Neither holds up a delivery.
	gather = time.Millisecond
	linger = 50 * time.Millisecond
	drain  = outbound.Timeout + 3*time.Second
)

// Sender posts the waiting deliveries. Any number of them, in any number of
// processes, share the lanes of a database.
type Sender struct {
	svc     *Service
	log     *slog.Logger
	metrics *metrics
	claim   uuid.UUID // what this sender's lanes are claimed with
	lease   time.Duration

	mu       sync.Mutex
	lanes    map[uuid.UUID]*lane
	tenants  map[uuid.UUID]*load
	paces    map[uuid.UUID]*pace
	pools    [classes]slotPool
	dirty    []*lane
	marking  bool // the marker is at work
	writing  int  // batches are being written beside it
	running  bool // by itself, and not in steps
	stopping bool
	begun    int
	flying   int        // attempts under way
	empty    *sync.Cond // no lane is held
	wake     chan struct{}
	haste    chan struct{} // the marker is waited for
}

// NewSender makes the sender of a process. The lease is how long its lanes stay
// its own once it is silent; Lease where it is zero.
func NewSender(s *Service, log *slog.Logger, m *Metrics, lease time.Duration) *Sender {
	out := &Sender{
		svc: s, log: log, metrics: m.in, claim: s.db.Clock().NewCapability(), lease: cmp.Or(lease, Lease),
		lanes: map[uuid.UUID]*lane{}, tenants: map[uuid.UUID]*load{}, paces: map[uuid.UUID]*pace{},
		pools: [classes]slotPool{{free: slots}, {free: slots}}, wake: make(chan struct{}, 1), haste: make(chan struct{}, 1),
	}
	out.empty = sync.NewCond(&out.mu)
	s.queued, s.changed, s.settled, s.counted = out.poke, out.reread, out.settled, m.in.came
	return out
}

// Step takes one round of what is due now and returns once it is marked. It
// says how many attempts it made.
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
			s.empty.Wait()
		}
		made := s.begun - before
		s.mu.Unlock()
		if n < perClaim {
			return made, nil
		}
	}
}

// Run sends until ctx ends, then lets what is under way finish and gives the
// lanes back.
func (s *Sender) Run(ctx context.Context) {
	s.svc.db.Listen(Topic, s.signal)
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
		n := perClaim
		for due && n == perClaim && ctx.Err() == nil {
			var err error
			if n, err = s.claimDue(ctx); err != nil {
				s.log.Error("webhook lanes could not be claimed", "error", err)
				n = 0
			}
		}
		timer.Reset(s.wait(ctx))
	}
}

func (s *Sender) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Sender) nextRun(ctx context.Context) time.Time {
	next := never
	err := s.svc.db.System("delivery claim").Read(ctx, func(r *db.Reader) (err error) {
		next, err = nextRun(r)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.Error("webhook lanes could not be read", "error", err)
	}
	return next
}

func (s *Sender) due(ctx context.Context) bool {
	next := s.nextRun(ctx)
	now := s.svc.db.Clock().Now()
	s.metrics.lag.Set(max(now.Sub(next), 0).Seconds())
	return !next.After(now)
}

// wait is how long to sleep: until the next lane is due, and not for long.
func (s *Sender) wait(ctx context.Context) time.Duration {
	return min(max(s.nextRun(ctx).Sub(s.svc.db.Clock().Now()), 5*time.Millisecond), look)
}

// claimDue takes lanes that are due and begins to work them off.
func (s *Sender) claimDue(ctx context.Context) (int, error) {
	s.mu.Lock()
	limit := min(perClaim, lanesMax-len(s.lanes))
	if s.stopping {
		limit = 0
	}
	s.mu.Unlock()
	if limit <= 0 {
		return 0, nil
	}
	var keys []laneKey
	since, ends := s.newLease()
	err := s.svc.db.System("delivery claim").InTx(ctx, func(tx *db.Tx) (err error) {
		keys, err = claimLanes(tx, s.claim, limit, s.lease)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("webhook: claim lanes: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		if old, ok := s.lanes[k.id]; ok {
			s.lose(old) // its lease ended without our noticing
		}
		l := &lane{laneKey: k, busy: map[uuid.UUID]struct{}{}, load: s.loadOf(k.tenant), pace: s.paceOf(k.id), renewed: since, leaseEnds: ends, fresh: clock.Stopwatch()}
		l.load.lanes++
		l.rewind()
		s.lanes[k.id] = l
		s.advance(l)
	}
	s.metrics.lanes.Set(float64(len(s.lanes)))
	return len(keys), nil
}

// advance takes a lane's next step, whatever that is. The lock is held.
func (s *Sender) advance(l *lane) {
	if l.lost || l.releasing {
		return
	}
	if s.stopping {
		l.halt(time.Time{})
	}
	if l.more && !l.stop && !l.fetching && len(l.buffer) <= fetchRows/4 {
		l.fetching = true
		go s.fetch(l)
	}
	s.ready(l)
	s.pump()
	if len(l.results) > 0 || l.idle() && (l.stop || !s.lingers(l)) {
		s.markSoon(l)
	}
}

// lingers says whether a lane that has run dry is kept for a moment, and has
// it looked at again after that. The lock is held.
func (s *Sender) lingers(l *lane) bool {
	if !s.running || s.stopping {
		return false
	}
	if !l.waiting {
		l.waiting = true
		l.dry = clock.Stopwatch()
		time.AfterFunc(linger, func() { s.again(l) })
	}
	return true
}

// again looks at a lane that lingered.
func (s *Sender) again(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.waiting = false
	if l.lost || l.releasing {
		return
	}
	if l.idle() && l.dry() >= linger {
		l.over = true
		s.markSoon(l)
		return
	}
	s.advance(l)
}

// start begins an attempt in a slot of a class. The lock is held.
func (s *Sender) start(l *lane, class int) {
	now := s.svc.db.Clock().Now()
	if l.rate > 0 {
		if l.pace.sent >= l.rate {
			l.halt(l.pace.window.Add(rateSpan))
			s.advance(l)
			return
		}
		l.pace.sent++
	}
	j := l.buffer[0]
	l.buffer = l.buffer[1:]
	l.dry = clock.Stopwatch()
	l.busy[j.id] = struct{}{}
	l.inflight++
	l.load.inflight++
	s.flying++
	s.pools[class].free--
	s.begun++
	go s.attempt(l, l.to, result{job: j, probe: l.probe, at: now, epoch: l.epoch}, class)
	if len(l.buffer) <= fetchRows/4 && l.more && !l.fetching {
		l.fetching = true
		go s.fetch(l)
	}
}

func (s *Sender) attempt(l *lane, to *url.URL, r result, class int) {
	r.answer = outbound.Answer{Class: outbound.ClassBody, Err: errTooOld}
	free := false // the slot was given back
	if r.body != nil {
		timer := time.AfterFunc(slowAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if free {
				return
			}
			free = true
			s.pools[class].free++
			l.pace.slow = true
			s.pump()
		})
		header, ok := s.sign(l, &r)
		if !ok {
			timer.Stop()
			s.putBack(l, r, class, &free)
			return
		}
		s.metrics.inflight.Inc()
		r.answer = s.svc.out.Post(context.Background(), to, header, r.body, r.at)
		s.metrics.inflight.Dec()
		timer.Stop()
		r.at = s.svc.db.Clock().Now()
	}
	r.body = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if !free {
		free = true
		s.pools[class].free++
	}
	s.landed(l, r.epoch)
	l.pace.learn(&r.answer)
	for c := range s.pools {
		s.line(l.load, c)
	}
	if l.lost {
		s.forget(l)
		s.pump()
		return
	}
	l.results = append(l.results, r)
	if !r.ok() && (l.strict || l.probe) {
		l.halt(time.Time{}) // the marker says for how long
	}
	s.advance(l)
}

// sign returns what is sent with an attempt's body. It refuses where the secret
// or the address has changed since the attempt began, and where the lease has
// ended: this process was frozen, and another node may be sending by now.
func (s *Sender) sign(l *lane, r *result) (outbound.Header, bool) {
	s.mu.Lock()
	held := s.leaseHolds(l)
	if !held {
		l.halt(time.Time{})
	}
	s.mu.Unlock()
	l.sign.Lock()
	defer l.sign.Unlock()
	if !held || l.signer == nil {
		return nil, false
	}
	return l.signer.header(&r.job, r.at), true
}

// putBack takes an attempt back that was not sent.
func (s *Sender) putBack(l *lane, r result, class int, free *bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !*free {
		*free = true
		s.pools[class].free++
	}
	s.begun--
	delete(l.busy, r.id)
	s.landed(l, r.epoch)
	for c := range s.pools {
		s.line(l.load, c)
	}
	if l.lost {
		s.forget(l)
		s.pump()
		return
	}
	if !l.stop {
		l.buffer = append([]job{r.job}, l.buffer...)
	}
	s.advance(l)
}

// settled waits until no attempt is under way that began before an endpoint's
// last change, for as long as one can take.
func (s *Sender) settled(ctx context.Context, endpoint uuid.UUID) {
	ctx, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.empty.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lanes[endpoint]
	if !ok {
		return
	}
	for l.stale > 0 && !l.lost && ctx.Err() == nil {
		s.empty.Wait()
	}
}

// landed notes that an attempt is no longer under way. The lock is held.
func (s *Sender) landed(l *lane, epoch int) {
	l.inflight--
	l.load.inflight--
	s.flying--
	if epoch == l.epoch {
		return
	}
	if l.stale--; l.stale == 0 {
		s.empty.Broadcast()
	}
}

// poke says that endpoints have something to do, and perhaps what.
func (s *Sender) poke(endpoints []uuid.UUID, fresh map[uuid.UUID][]offer) {
	s.mu.Lock()
	others := false
	for _, id := range endpoints {
		l, ok := s.lanes[id]
		if !ok || l.stop {
			others = true
			continue
		}
		if !l.accept(fresh[id]) {
			l.poked, l.more = true, true
		}
		s.advance(l)
	}
	s.mu.Unlock()
	if others {
		s.signal()
	}
}

// reread says that endpoints are not what they were: nothing more starts
// before their settings are read again.
func (s *Sender) reread(endpoints []uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range endpoints {
		l, ok := s.lanes[id]
		if !ok || l.lost {
			continue
		}
		l.epoch++
		l.stale = l.inflight
		l.sign.Lock()
		l.signer = nil
		l.sign.Unlock()
		if !l.reloading {
			l.reloading = true
			go s.reload(l)
		}
	}
}

// refresh looks after lanes that have been held for a while: another node may
// have changed their endpoint or added to their queue.
func (s *Sender) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		if l.fresh() < look || l.reloading || l.fetching || l.lost || l.releasing {
			continue
		}
		l.reloading = true
		l.poked, l.more = true, true
		go s.reload(l)
	}
}

// drain ends sending: what is under way finishes, and the lanes are given back.
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
		s.empty.Broadcast()
	})
	defer giveUp.Stop()
	for len(s.lanes) > 0 {
		s.empty.Wait()
	}
}
