package sipexchange

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/recording"
	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sdp"
	"konak/internal/kit/clock"
)

const (
	// maxEventsOfLeg ends a leg whose peer presses keys or holds endlessly.
	maxEventsOfLeg = 2000
	// byeTime is how long to wait for the answer to a BYE.
	byeTime = 4 * time.Second
	ourKeys = 101
)

// leg is one telephone or line in a call.
type leg struct {
	x          *Exchange
	id, tenant uuid.UUID
	device     string
	trunk      uuid.UUID
	media      *rtp.Session
	startedAt  time.Time
	done       chan struct{} // closed when the leg has ended

	// speaks and hears are set if sound passes to and from the bridge.
	speaks, hears atomic.Bool
	peer          atomic.Pointer[leg]
	pressing      sync.Mutex // held while keys are sent

	mu         sync.Mutex
	state      exchange.LegState
	ended      bool
	closed     bool // leg.ended is written
	n          int
	answeredAt time.Time
	dialog     *dialog
	invite     *invite            // of an incoming leg
	stopDial   context.CancelFunc // of an outgoing leg before its answer
	sdpVersion uint64
	remote     sdp.Description
	hasRemote  bool
	crypto     *sdp.Crypto         // the key of our sound, once offered or answered
	encryption exchange.Encryption // of a line
	heldByUs   bool
	heldByPeer bool
	muted      bool
	negotiates bool          // an offer of ours is under way
	awaitsACK  chan struct{} // closed by the ACK of our 200
	limit      *time.Timer
	maxTime    time.Duration
	refresh    refresh
	bridge     *bridge
	player     *player
	recorder   *recording.Recorder
	recordID   uuid.UUID
}

// newLeg creates a leg with a port, within the tenant's limit. It returns exchange.ErrBusy
// if a limit is reached.
func (x *Exchange) newLeg(tenant, id uuid.UUID, state exchange.LegState) (*leg, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	count := 0
	for _, l := range x.legs {
		if l.tenant == tenant {
			count++
		}
	}
	if x.closing || count >= x.cfg.Limits.LegsOfTenant || x.events.isFull() {
		return nil, exchange.ErrBusy
	}
	socket, err := x.ports.Open()
	if err != nil {
		return nil, exchange.ErrBusy
	}
	l := &leg{x: x, id: id, tenant: tenant, state: state, startedAt: x.cfg.Clock.Now(), done: make(chan struct{})}
	l.media = rtp.NewSession(socket, x.cfg.Clock, l)
	x.legs[id] = l
	x.spawn(l.media.Run)
	return l, nil
}

// drop removes a leg that never began.
func (l *leg) drop() {
	l.x.mu.Lock()
	delete(l.x.legs, l.id)
	l.x.mu.Unlock()
	l.media.Close()
}

// emit queues an event of the leg. The caller holds the lock.
func (l *leg) emit(e exchange.Event) {
	if l.closed {
		return
	}
	l.n++
	e.Tenant, e.Leg, e.N = l.tenant, l.id, l.n
	l.x.events.add(e)
	if l.n == maxEventsOfLeg {
		l.x.spawn(func() { l.end(exchange.CauseFailed, exchange.EndedByExchange) })
	}
}

// endByPeer ends a leg that its peer has ended; nothing is sent.
func (l *leg) endByPeer(cause exchange.Cause) { l.finish(cause, exchange.EndedByPeer, false) }

// end ends a leg and tells its peer.
func (l *leg) end(cause exchange.Cause, by exchange.EndedBy) { l.finish(cause, by, true) }

func (l *leg) finish(cause exchange.Cause, by exchange.EndedBy, tell bool) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.ended = true
	if l.limit != nil {
		l.limit.Stop()
	}
	if l.stopDial != nil {
		l.stopDial()
	}
	d, tellPeer := l.dialog, func() {}
	if tell {
		tellPeer = l.goodbye(cause)
	}
	l.stopPlayer()
	l.stopRecorder()
	l.mu.Unlock()

	l.media.Close()
	stats := l.media.Stats()
	l.x.mu.Lock()
	l.x.received += stats.PacketsReceived
	l.x.lost += stats.PacketsLost
	l.unbridge()
	delete(l.x.legs, l.id)
	if d != nil {
		delete(l.x.dialogs, d.key())
	}
	l.x.mu.Unlock()

	l.mu.Lock()
	e := exchange.Event{Type: exchange.LegEndedEvent, Cause: cause, EndedBy: by}
	if !l.answeredAt.IsZero() {
		e.Media = &stats
	}
	l.emit(e)
	l.closed = true
	l.mu.Unlock()
	tellPeer()
	close(l.done)
}

// goodbye returns the function that tells the peer that the leg has ended: by refusing its
// INVITE, or by a BYE. The caller holds the lock.
func (l *leg) goodbye(cause exchange.Cause) func() {
	switch {
	case l.invite != nil && !l.invite.accepted:
		return func() { l.invite.refuse(cause) }
	case l.dialog != nil && !l.answeredAt.IsZero():
		d := *l.dialog
		return func() { l.x.sendBye(&d) }
	}
	return func() {} // a stopped dial cancels by itself
}

// sendBye sends a BYE, and repeats it for a moment until it is answered.
func (x *Exchange) sendBye(d *dialog) {
	bye := x.newRequest(d, sip.BYE)
	bye.SetBody(nil)
	x.goodbyes.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), byeTime)
		defer cancel()
		_, _, _ = x.request(ctx, bye) // the leg has ended for us in any case
	})
}

// check ends a leg whose time is over, and refreshes its session.
func (l *leg) check(now time.Time) {
	l.mu.Lock()
	answered := !l.answeredAt.IsZero()
	undecided := !answered && l.invite != nil
	expectsSound := answered && !l.heldByUs && l.hasRemote && l.remote.Direction.Sends()
	expired, due := l.refresh.stateAt(now)
	l.mu.Unlock()
	limits := l.x.cfg.Limits
	switch {
	case undecided && now.Sub(l.startedAt) >= limits.NoDecision:
		l.end(exchange.CauseNoAnswer, exchange.EndedByExchange)
	case expectsSound && now.Sub(l.media.LastReceived()) >= limits.NoMedia:
		l.end(exchange.CauseNoMedia, exchange.EndedByExchange)
	case expired:
		l.end(exchange.CauseFailed, exchange.EndedByExchange)
	case due:
		l.x.spawn(func() { l.reinvite() })
	}
}

// markAnswered marks a leg as answered. The caller holds the lock.
func (l *leg) markAnswered() {
	l.state, l.answeredAt = exchange.LegAnswered, l.x.cfg.Clock.Now()
	l.emit(exchange.Event{Type: exchange.LegAnsweredEvent})
	l.startLimit()
}

// startLimit starts the timer that cuts the leg at its maximum duration. The caller holds
// the lock.
func (l *leg) startLimit() {
	if l.limit != nil {
		l.limit.Stop()
		l.limit = nil
	}
	if l.maxTime <= 0 || l.answeredAt.IsZero() || l.ended {
		return
	}
	left := l.answeredAt.Add(l.maxTime).Sub(l.x.cfg.Clock.Now())
	l.limit = time.AfterFunc(max(left, 0), func() { l.end(exchange.CauseMaxDuration, exchange.EndedByExchange) })
}

// setRemote applies the peer's description of its sound. The caller holds the lock.
func (l *leg) setRemote(d sdp.Description) {
	l.remote, l.hasRemote = d, true
	peer := rtp.Peer{
		Addr: d.Addr, Signalling: l.dialog.signallingAddr(), Codec: d.Codecs[0], Keys: d.Keys,
		Send: d.Direction.Receives(), Receive: true,
	}
	if d.Crypto != nil {
		l.agreeCrypto(*d.Crypto)
		peer.Ours, peer.Theirs = l.crypto, d.Crypto
	}
	l.media.SetPeer(peer)
	l.updateFlow()
}

// agreeCrypto gives our key the tag and the suite of the peer's, and creates our key if the
// peer offered first. The key stays the same for the whole leg. The caller holds the lock.
func (l *leg) agreeCrypto(theirs sdp.Crypto) {
	if l.crypto == nil {
		l.crypto = sdp.NewCrypto(theirs.Tag, theirs.Suite)
		return
	}
	ours := *l.crypto
	ours.Tag, ours.Suite = theirs.Tag, theirs.Suite
	l.crypto = &ours
}

// offeredKey returns the key in our offers. The caller holds the lock.
func (l *leg) offeredKey() *sdp.Crypto {
	if l.crypto == nil {
		l.crypto = sdp.NewCrypto(1, sdp.SHA180)
	}
	return l.crypto
}

// mayUse reports whether the described sound may be used: it must be encrypted if the line
// requires it.
func (l *leg) mayUse(d sdp.Description) bool {
	return l.encryption != exchange.EncryptionRequired || d.Crypto != nil
}

// updateFlow decides whether sound passes between the leg and its bridge. The caller
// holds the lock.
func (l *leg) updateFlow() {
	l.speaks.Store(!l.muted && !l.heldByUs)
	l.hears.Store(!l.heldByUs && l.player == nil)
}

// setHeldByPeer records that the telephone held or resumed. The caller holds the lock.
func (l *leg) setHeldByPeer(held bool) {
	if held == l.heldByPeer || l.answeredAt.IsZero() {
		return
	}
	l.heldByPeer = held
	if held {
		l.state = exchange.LegHeld
		l.emit(exchange.Event{Type: exchange.LegHeldEvent})
		return
	}
	l.state = exchange.LegAnswered
	l.emit(exchange.Event{Type: exchange.LegResumedEvent})
}

// localSDP describes our side. The caller holds the lock.
func (l *leg) localSDP(peer string, d sdp.Direction) sdp.Local {
	l.sdpVersion++
	local := sdp.Local{
		Addr: l.mediaAddr(peer), Session: uint64(l.startedAt.UnixMicro()), Version: l.sdpVersion,
		Codecs: []sdp.Codec{sdp.PCMU, sdp.PCMA}, Keys: ourKeys, Direction: d,
	}
	if l.hasRemote {
		// What was agreed stays: one codec, and the peer's payload type for keys.
		local.Codecs, local.Keys = l.remote.Codecs[:1], l.remote.Keys
		if local.Secure = l.remote.Secure; l.remote.Crypto != nil {
			local.Crypto = l.crypto
		}
	}
	return local
}

// press emits the event of a pressed key.
func (l *leg) press(key byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.emit(exchange.Event{Type: exchange.LegDTMFEvent, Digit: string(key)})
	}
}

// HearPacket implements rtp.Listener: it forwards sound to the other leg of the bridge.
func (l *leg) HearPacket(p rtp.Packet, codec sdp.Codec) {
	if peer := l.peer.Load(); peer != nil && l.speaks.Load() && peer.hears.Load() {
		peer.media.Forward(p, codec)
	}
}

// HearKey implements rtp.Listener.
func (l *leg) HearKey(key byte, p rtp.Packet) {
	if key != 0 {
		l.press(key)
	}
	if peer := l.peer.Load(); peer != nil && l.speaks.Load() && peer.hears.Load() {
		if !peer.media.ForwardKey(p) && key != 0 {
			l.x.spawn(func() { peer.sendKeys(string(key)) })
		}
	}
}

// snapshot returns a description of the leg.
func (l *leg) snapshot() exchange.Leg {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := exchange.Leg{
		ID: l.id, Tenant: l.tenant, State: l.state, Device: l.device, Trunk: l.trunk,
		StartedAt: clock.At(l.startedAt), AnsweredAt: clock.At(l.answeredAt),
	}
	if l.bridge != nil {
		out.Bridge = l.bridge.id
	}
	return out
}
