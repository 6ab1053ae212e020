package webhook

import (
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/outbound"
)

// lane is a claimed endpoint: what is fetched, under way and done of it. All
// but the signer is guarded by the sender's lock.
type lane struct {
	laneKey
	load *load
	pace *pace

	module string
	to     *url.URL
	sealed [2]string // what the signer was made from
	sign   sync.Mutex
	signer *signer // nil while the settings are read again
	strict bool
	rate   int
	clean  bool // a success changes nothing of the endpoint's health
	probe  bool // disabled: one delivery tells whether it is back

	buffer     []job // fetched and not begun, in order
	cursorTime clock.Time
	cursorID   uuid.UUID
	more       bool                   // there may be something after the cursor
	busy       map[uuid.UUID]struct{} // begun and not marked yet
	looked     func() time.Duration   // since the queue was read from its head
	inflight   int
	epoch      int      // counts the changes of the endpoint
	stale      int      // under way since before the last change
	results    []result // not marked yet
	marking    int      // being marked

	fetching  bool
	reloading bool // its settings changed: nothing starts before they are read
	queued    bool // waits for a slot
	dirty     bool // waits for the marker
	releasing bool // is being given back
	poked     bool // got something to do meanwhile
	stop      bool // nothing more is sent in this tenure
	lost      bool // another node has it, or it is deleted
	hold      time.Time
	waiting   bool                 // lingers, with a timer
	over      bool                 // has lingered long enough
	dry       func() time.Duration // since it last had something to do
	fresh     func() time.Duration // since its settings were read
	renewed   func() time.Duration // since before its lease was last written
	leaseEnds time.Time            // as other nodes see it
}

// pace is what is remembered of an endpoint between tenures.
type pace struct {
	limit  int  // how many may be under way: grows with success
	slow   bool // it takes long to answer
	marked int  // since this process first sent to it
	window time.Time
	sent   int // in the window
}

// Limits of sending.
const (
	perEndpoint = 10
	perTenant   = 32
	// What is under way or not marked yet of an endpoint is what a crash can
	// cause to be sent twice. It may be a few at first and more the more has
	// been marked, so that it stays a small part of what was sent.
	unmarkedLeast = 6
	unmarkedMost  = 5 * perEndpoint
	unmarkedShare = 200
	// A fast slot is held for a second at most: an attempt that takes longer
	// gives it back, and its endpoint's next ones wait for a slow slot. So
	// those who answer never wait for those who do not.
	slots     = 256
	slowAfter = time.Second
	fetchRows = 256
	rateSpan  = time.Second
)

const (
	fast = iota
	slow
	classes
)

func (l *lane) class() int {
	if l.pace.slow || l.probe {
		return slow
	}
	return fast
}

// startable says whether the lane may begin another attempt.
func (l *lane) startable() bool {
	limit := l.pace.limit
	if l.strict || l.probe {
		limit = 1
	}
	return len(l.buffer) > 0 && l.inflight < limit && !l.full() && !l.stop && !l.lost && !l.reloading && !l.releasing
}

// full says that nothing may begin before something is marked.
func (l *lane) full() bool {
	return l.inflight+len(l.results)+l.marking >= min(unmarkedLeast+l.pace.marked/unmarkedShare, unmarkedMost)
}

// idle says that nothing of the lane is under way and nothing more is to come.
func (l *lane) idle() bool {
	return l.inflight == 0 && len(l.buffer) == 0 && !l.fetching && !l.reloading && (!l.more || l.stop)
}

// rewind makes the next fetch begin at the head of the queue.
func (l *lane) rewind() {
	l.cursorTime, l.cursorID, l.more, l.looked = clock.At(time.UnixMicro(0)), uuid.Nil, true, nil
}

// point is where in a lane's queue a fetch begins.
type point struct {
	time clock.Time
	id   uuid.UUID
	// held is what the lane had at that moment: what is read of it is no news,
	// even if it has been marked meanwhile.
	held map[uuid.UUID]struct{}
	// places is where those begin that are given after the fetch.
	places time.Time
}

// next is where the next fetch begins: behind what was read before, and every
// now and then at the head. A row may be committed behind the cursor (a resend
// that overlaps, another node whose clock is slow), and a lane that never runs
// dry would not see it. The lock is held.
func (l *lane) next() point {
	if l.looked == nil || l.looked() >= look {
		l.rewind()
		l.looked = clock.Stopwatch()
	}
	return point{time: l.cursorTime, id: l.cursorID, held: l.held(map[uuid.UUID]struct{}{})}
}

// held adds what was read and is not marked yet to a set.
func (l *lane) held(to map[uuid.UUID]struct{}) map[uuid.UUID]struct{} {
	for i := range l.buffer {
		to[l.buffer[i].id] = struct{}{}
	}
	maps.Copy(to, l.busy)
	return to
}

// take puts what was read into the lane. The lock is held.
func (l *lane) take(from point, jobs []job, probe bool) {
	if l.stop || l.probe != probe { // what is dropped here is read again
		l.rewind()
		l.poked = false
		return
	}
	l.more = !probe && len(jobs) == fetchRows || l.poked
	l.poked = false
	if n := len(jobs); n > 0 && !probe {
		l.cursorTime, l.cursorID = jobs[n-1].nextAt, jobs[n-1].event
		// A retry has a time and no place, and may be ahead of the places that
		// are given next.
		if n < fetchRows && l.cursorTime.After(from.places) {
			l.cursorTime, l.cursorID = clock.At(from.places), uuid.Nil
		}
	}
	l.held(from.held)
	for i := range jobs {
		if _, ok := from.held[jobs[i].id]; !ok {
			l.buffer = append(l.buffer, jobs[i])
		}
	}
	if !slices.IsSortedFunc(l.buffer, job.compare) {
		slices.SortFunc(l.buffer, job.compare)
	}
	if probe && len(l.buffer) > 1 {
		l.buffer = l.buffer[:1]
	}
}

// offer is a delivery that was queued a moment ago, with its event.
type offer struct {
	newDelivery
	body func() []byte
}

// accept takes offers into the lane as if they had been read. It refuses where
// the lane has not read all that was before them, or may have read them by
// now. What another node has queued in between is read later, so that a lane
// in strict order takes none. The lock is held.
func (l *lane) accept(offers []offer) bool {
	if len(offers) == 0 || l.strict || l.more || l.fetching || l.probe || l.lost || l.releasing || l.looked == nil ||
		l.looked() >= look || l.fresh() >= look || len(l.buffer)+len(offers) > fetchRows {
		return false
	}
	cursor := job{nextAt: l.cursorTime, event: l.cursorID}
	first := job{nextAt: offers[0].nextAt, event: offers[0].event}
	if first.compare(cursor) <= 0 {
		return false
	}
	for _, o := range offers {
		l.buffer = append(l.buffer, job{
			id: o.id, event: o.event, eventType: o.eventType, status: Pending,
			nextAt: o.nextAt, createdAt: o.createdAt, body: o.body(),
		})
	}
	last := &l.buffer[len(l.buffer)-1]
	l.cursorTime, l.cursorID = last.nextAt, last.event
	if !slices.IsSortedFunc(l.buffer, job.compare) {
		slices.SortFunc(l.buffer, job.compare)
	}
	return true
}

// halt ends the tenure: what was not begun stays in the database.
func (l *lane) halt(hold time.Time) {
	l.stop, l.buffer = true, nil
	l.rewind()
	if hold.After(l.hold) {
		l.hold = hold
	}
}

// span begins a new second of the endpoint's rate, if the last is over.
func (l *lane) span(now time.Time) {
	if l.rate > 0 && now.Sub(l.pace.window) >= rateSpan {
		l.pace.window, l.pace.sent = now, 0
	}
}

// learn takes in how an attempt went.
func (p *pace) learn(a *outbound.Answer) {
	p.slow = a.Duration > slowAfter
	if a.Class == "" {
		p.limit = min(2*p.limit, perEndpoint)
	} else {
		p.limit = max(p.limit/2, 1)
	}
}

// load is what a tenant has under way, and its lanes that wait for a slot.
type load struct {
	lanes    int
	inflight int
	ready    [classes][]*lane
	queued   [classes]bool
}

// slotPool shares slots among tenants, one attempt each in turn.
type slotPool struct {
	free  int
	queue []*load
}

func (s *Sender) loadOf(tenant uuid.UUID) *load {
	l, ok := s.tenants[tenant]
	if !ok {
		l = &load{}
		s.tenants[tenant] = l
	}
	return l
}

func (s *Sender) paceOf(endpoint uuid.UUID) *pace {
	p, ok := s.paces[endpoint]
	if !ok {
		if len(s.paces) >= pacesMax {
			clear(s.paces) // it is only a memory of how fast they were
		}
		p = &pace{limit: 1}
		s.paces[endpoint] = p
	}
	return p
}

const pacesMax = 20_000

// ready puts a lane into its tenant's queue for a slot.
func (s *Sender) ready(l *lane) {
	if l.queued || !l.startable() {
		return
	}
	c := l.class()
	l.queued = true
	l.load.ready[c] = append(l.load.ready[c], l)
	s.line(l.load, c)
}

// line puts a tenant into the queue for slots if it may have one.
func (s *Sender) line(t *load, c int) {
	if t.queued[c] || len(t.ready[c]) == 0 || t.inflight >= perTenant {
		return
	}
	t.queued[c] = true
	s.pools[c].queue = append(s.pools[c].queue, t)
}

// pump begins attempts while there are slots, one of each tenant in turn.
func (s *Sender) pump() {
	for c := range s.pools {
		p := &s.pools[c]
		for p.free > 0 && len(p.queue) > 0 {
			t := p.queue[0]
			p.queue = slices.Delete(p.queue, 0, 1)
			t.queued[c] = false
			if t.inflight >= perTenant || len(t.ready[c]) == 0 {
				continue
			}
			l := t.ready[c][0]
			t.ready[c] = slices.Delete(t.ready[c], 0, 1)
			l.queued = false
			if l.startable() {
				s.start(l, c)
			}
			s.ready(l)
			s.line(t, c)
		}
	}
}
