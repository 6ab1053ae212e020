package webhook

import (
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/webhook/signature"
)

// laneState is where a lane stands between being claimed and being given back.
type laneState int

const (
	loading   laneState = iota // its settings and what is due are being read
	sending                    // attempts begin, are under way or wait to be marked
	idle                       // nothing is left; the lane is kept for a moment
	draining                   // nothing more begins; what is under way is finished and marked
	releasing                  // the lane is being given back
	gone                       // given back, claimed by another node, or deleted
)

// laneChange is what happens to a lane.
type laneChange int

const (
	rowsRead        laneChange = iota // there is something to send, or something is unmarked
	nothingRead                       // there is neither
	runsLow                           // little is left of what was read, and more may wait
	allMarked                         // nothing is left to send or to mark
	notified                          // something was queued
	waitedLong                        // nothing came while the lane was idle
	settingsChanged                   // the endpoint's settings must be read again
	halted                            // a strict or probe attempt failed, the rate is reached, the endpoint is held, reading failed, or the sender stops
	cameBack                          // a disabled endpoint answered
	drained                           // nothing is under way and everything is marked
	dueAgain                          // something is due in a lane that was to be given back
	released                          // the lane was given back
	leaseLost                         // another node has the lane, or it is deleted
)

// laneTable is the state machine of a lane. A change that a state does not have
// means nothing in it.
var laneTable = map[laneState]map[laneChange]laneState{
	loading:   {rowsRead: sending, nothingRead: idle, settingsChanged: loading, cameBack: loading, halted: draining, leaseLost: gone},
	sending:   {runsLow: loading, allMarked: idle, settingsChanged: loading, cameBack: loading, halted: draining, leaseLost: gone},
	idle:      {notified: loading, waitedLong: releasing, settingsChanged: loading, halted: draining, leaseLost: gone},
	draining:  {drained: releasing, cameBack: loading, leaseLost: gone},
	releasing: {dueAgain: loading, released: gone, leaseLost: gone},
	gone:      {},
}

// sendMode is how an endpoint is sent to.
type sendMode int

const (
	normal sendMode = iota // several at a time
	strict                 // one at a time; nothing overtakes a failing one
	probe                  // disabled: one delivery tells whether it is back
)

// lane is a claimed endpoint: what of it is read, under way and unmarked. The
// sender's lock guards it.
type lane struct {
	laneKey
	state laneState
	load  *tenantLoad
	pace  *pace

	// The endpoint's settings, as read last.
	module   string
	address  *url.URL
	sealed   [2]string        // what the signer was made from
	signer   signature.Signer // nil while the settings are read again
	inOrder  bool
	disabled bool
	healthy  bool // a success changes nothing of the endpoint's health
	rate     int
	epoch    int // counts the changes of the settings
	settings func() time.Duration

	// The queue.
	buffer     []job // read and not begun, in order
	cursorTime clock.Time
	cursorID   uuid.UUID
	unread     bool                   // there may be something after the cursor
	busy       map[uuid.UUID]struct{} // begun and not marked yet
	fromHead   func() time.Duration   // since the queue was read from its head
	reads      int                    // counts them; only the newest counts

	// What is under way.
	inflight int
	stale    int  // of those, begun before the settings last changed
	unmarked int  // begun and not marked yet, those under way included
	waiting  bool // in its tenant's line for a slot

	hold      time.Time            // nothing is sent before
	idleFor   func() time.Duration // since it became idle
	renewed   func() time.Duration // since before its lease was last written
	leaseEnds time.Time            // as other nodes see it
}

// Limits of sending.
const (
	perEndpoint = 10
	perTenant   = 32
	// What is under way or not marked yet of an endpoint is what a crash can
	// cause to be sent twice. It may be a few at first and more the more has
	// been marked, so that it stays a small part of what was sent.
	minUnmarked   = 6
	maxUnmarked   = 5 * perEndpoint
	unmarkedShare = 200
	readRows      = 256
	rateSpan      = time.Second
)

// move takes the lane into the state that follows from a change. It returns
// false where the change means nothing in the lane's state.
func (l *lane) move(c laneChange) bool {
	next, ok := laneTable[l.state][c]
	if ok {
		l.state = next
	}
	return ok
}

func (l *lane) mode() sendMode {
	switch {
	case l.disabled:
		return probe
	case l.inOrder:
		return strict
	}
	return normal
}

// startable says whether the lane may begin another attempt.
func (l *lane) startable() bool {
	limit := l.pace.limit
	if l.mode() != normal {
		limit = 1
	}
	return (l.state == sending || l.state == loading) && l.signer != nil && len(l.buffer) > 0 && l.inflight < limit && !l.full()
}

// full says that nothing may begin before something is marked.
func (l *lane) full() bool {
	return l.unmarked >= min(minUnmarked+l.pace.marked/unmarkedShare, maxUnmarked)
}

// low says that so little is left of what was read that more is read now.
func (l *lane) low() bool { return len(l.buffer) <= readRows/4 }

// halt ends the tenure: what was not begun stays in the database, and nothing is
// sent before hold.
func (l *lane) halt(hold time.Time) {
	l.hold = later(l.hold, hold)
	if l.move(halted) {
		l.buffer = nil
		l.rewind()
	}
}

// rewind makes the next read begin at the head of the queue.
func (l *lane) rewind() {
	l.cursorTime, l.cursorID, l.unread, l.fromHead = clock.At(time.UnixMicro(0)), uuid.Nil, true, nil
}

// readFrom is where in a lane's queue a read begins.
type readFrom struct {
	time clock.Time
	id   uuid.UUID
	// held is what the lane had at that moment: what is read of it is no news,
	// even if it has been marked meanwhile.
	held map[uuid.UUID]struct{}
	// newest is before every position that is reserved after the read.
	newest time.Time
	// enough says that only the settings are read: the lane has enough to send.
	enough bool
}

// nextRead is where the next read begins: behind what was read before, and every
// now and then at the head. A row may be committed behind the cursor (a resend
// that overlaps, another node whose clock is slow), and a lane that never runs
// dry would not see it.
func (l *lane) nextRead() readFrom {
	if !l.low() {
		return readFrom{enough: true}
	}
	if l.fromHead == nil || l.fromHead() >= look {
		l.rewind()
		l.fromHead = clock.Stopwatch()
	}
	l.unread = false
	return readFrom{time: l.cursorTime, id: l.cursorID, held: l.held(map[uuid.UUID]struct{}{})}
}

// held adds what was read and is not marked yet to a set.
func (l *lane) held(to map[uuid.UUID]struct{}) map[uuid.UUID]struct{} {
	for i := range l.buffer {
		to[l.buffer[i].id] = struct{}{}
	}
	maps.Copy(to, l.busy)
	return to
}

// take puts what was read into the lane.
func (l *lane) take(from readFrom, jobs []job) {
	if from.enough {
		return
	}
	if n := len(jobs); n > 0 && l.mode() != probe {
		l.unread = l.unread || n == readRows
		l.cursorTime, l.cursorID = jobs[n-1].nextAt, jobs[n-1].event
		// A retry has a time and no position, and may be ahead of the positions that
		// are given next.
		if n < readRows && l.cursorTime.After(from.newest) {
			l.cursorTime, l.cursorID = clock.At(from.newest), uuid.Nil
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
	if l.mode() == probe && len(l.buffer) > 1 {
		l.buffer = l.buffer[:1]
	}
}

// beginSecond begins a new second of the endpoint's rate, if the last is over.
func (l *lane) beginSecond(now time.Time) {
	if l.rate > 0 && now.Sub(l.pace.second) >= rateSpan {
		l.pace.second, l.pace.sent = now, 0
	}
}
