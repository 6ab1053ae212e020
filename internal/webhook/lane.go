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

// laneState is the state of a lane between being claimed and being given back.
type laneState int

const (
	loading   laneState = iota // its settings and what is due are being read
	sending                    // attempts begin, are under way or wait to be marked
	idle                       // nothing is left; the lane is kept for a moment
	draining                   // nothing more begins; what is under way is finished and marked
	releasing                  // the lane is being given back
	gone                       // given back, claimed by another node, or deleted
)

// laneChange is an event in the life of a lane.
type laneChange int

const (
	rowsRead        laneChange = iota // there is something to send, or something is unmarked
	nothingRead                       // neither is the case
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

// laneTable is the state machine of a lane. A change that is not listed for a state has no
// effect in it.
var laneTable = map[laneState]map[laneChange]laneState{
	loading:   {rowsRead: sending, nothingRead: idle, settingsChanged: loading, cameBack: loading, halted: draining, leaseLost: gone},
	sending:   {runsLow: loading, allMarked: idle, settingsChanged: loading, cameBack: loading, halted: draining, leaseLost: gone},
	idle:      {notified: loading, waitedLong: releasing, settingsChanged: loading, halted: draining, leaseLost: gone},
	draining:  {drained: releasing, cameBack: loading, leaseLost: gone},
	releasing: {dueAgain: loading, released: gone, leaseLost: gone},
	gone:      {},
}

// sendMode is how deliveries are sent to an endpoint.
type sendMode int

const (
	normal sendMode = iota // several at a time
	strict                 // one at a time; nothing overtakes a failing one
	probe                  // disabled: one delivery tells whether it is back
)

// lane is a claimed endpoint: its deliveries that are read, under way or unmarked. The
// sender's lock guards it.
type lane struct {
	laneKey
	state laneState
	load  *tenantLoad
	pace  *pace

	// The endpoint's settings, as last read.
	module   string
	address  *url.URL
	sealed   [2]string        // what the signer was made from
	signer   signature.Signer // nil while the settings are read again
	inOrder  bool
	disabled bool
	healthy  bool // a success does not change the endpoint's health
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
	// The deliveries of an endpoint that are under way or not marked yet are those that a
	// crash can cause to be sent twice. Their limit is low at first and grows with the
	// number marked, so that they stay a small part of what was sent.
	minUnmarked   = 6
	maxUnmarked   = 5 * perEndpoint
	unmarkedShare = 200
	readRows      = 256
	rateSpan      = time.Second
)

// move takes the lane into the state that follows from a change. It returns false if the
// change has no effect in the lane's state.
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

// startable reports whether the lane may begin another attempt.
func (l *lane) startable() bool {
	limit := l.pace.limit
	if l.mode() != normal {
		limit = 1
	}
	return (l.state == sending || l.state == loading) && l.signer != nil && len(l.buffer) > 0 && l.inflight < limit && !l.full()
}

// full reports whether something must be marked before anything else may begin.
func (l *lane) full() bool {
	return l.unmarked >= min(minUnmarked+l.pace.marked/unmarkedShare, maxUnmarked)
}

// low reports whether so little of what was read is left that more must be read now.
func (l *lane) low() bool { return len(l.buffer) <= readRows/4 }

// halt ends the tenure: deliveries that were not begun stay in the database, and nothing is
// sent before hold.
func (l *lane) halt(hold time.Time) {
	l.hold = laterOf(l.hold, hold)
	if l.move(halted) {
		l.buffer = nil
		l.rewind()
	}
}

// rewind makes the next read begin at the head of the queue.
func (l *lane) rewind() {
	l.cursorTime, l.cursorID, l.unread, l.fromHead = clock.At(time.UnixMicro(0)), uuid.Nil, true, nil
}

// readFrom is the point in a lane's queue where a read begins.
type readFrom struct {
	time clock.Time
	id   uuid.UUID
	// held is what the lane had when the read began: the read skips it, even if it has been
	// marked meanwhile.
	held map[uuid.UUID]struct{}
	// newest is earlier than every position that is reserved after the read.
	newest time.Time
	// enough reports that only the settings are read because the lane has enough to send.
	enough bool
}

// nextRead returns where the next read begins: after what was read before, and from time to
// time at the head. A row may be committed behind the cursor (by an overlapping resend, or
// by another node whose clock is slow), and a lane that never runs dry would not see it.
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

// held adds the deliveries that were read and are not marked yet to a set.
func (l *lane) held(to map[uuid.UUID]struct{}) map[uuid.UUID]struct{} {
	for i := range l.buffer {
		to[l.buffer[i].id] = struct{}{}
	}
	maps.Copy(to, l.busy)
	return to
}

// take puts a read's result into the lane.
func (l *lane) take(from readFrom, jobs []job) {
	if from.enough {
		return
	}
	if n := len(jobs); n > 0 && l.mode() != probe {
		l.unread = l.unread || n == readRows
		l.cursorTime, l.cursorID = jobs[n-1].nextAt, jobs[n-1].event
		// A retry has a time and no position, so it may be later than the positions that
		// are reserved next.
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

// beginSecond begins a new second of the endpoint's rate limit if the last one is over.
func (l *lane) beginSecond(now time.Time) {
	if l.rate > 0 && now.Sub(l.pace.second) >= rateSpan {
		l.pace.second, l.pace.sent = now, 0
	}
}
