// Package phonetest is an exchange without audio for tests: it carries out requests and
// keeps the rules of package exchange, while the test decides what the telephones do.
package phonetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/clock"
)

// Exchange is an exchange whose telephones are controlled by a test.
type Exchange struct {
	Clock clock.Source

	mu         sync.Mutex
	devices    map[string]exchange.Device
	registered map[string]bool
	trunks     map[uuid.UUID]exchange.Trunk
	legs       map[uuid.UUID]*Leg
	events     []exchange.Event
	cursor     int64
	n          map[uuid.UUID]int
	recorded   float64 // length of recordings in seconds; zero for five
	recordings map[uuid.UUID][]byte
	log        []string
	wake       chan struct{}
	stopped    bool
	left       int // requests until the node dies; zero for never
}

// Leg is a leg of the exchange.
type Leg struct {
	exchange.Leg
	Asked      exchange.Originate
	Joined     bool
	Playing    exchange.Play
	Recording  uuid.UUID
	ended      bool
	media      *exchange.MediaStats
	AnsweredAt time.Time
}

var _ exchange.Exchange = (*Exchange)(nil)

// New returns an exchange.
func New(c clock.Source) *Exchange {
	return &Exchange{
		Clock: c, devices: map[string]exchange.Device{}, registered: map[string]bool{}, trunks: map[uuid.UUID]exchange.Trunk{},
		legs: map[uuid.UUID]*Leg{}, n: map[uuid.UUID]int{}, recordings: map[uuid.UUID][]byte{}, wake: make(chan struct{}, 1),
	}
}

// do logs a request and runs it.
func (x *Exchange) do(request string, fn func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := fn()
	if err != nil {
		request += ": " + err.Error()
	}
	x.log = append(x.log, request)
	if x.left > 0 {
		if x.left--; x.left == 0 {
			x.left = 1 // it stays dead
			return ErrDied
		}
	}
	return err
}

// Log returns the requests so far.
func (x *Exchange) Log() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.log)
}

// Device returns a device as it was last put.
func (x *Exchange) Device(username string) (exchange.Device, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d, ok := x.devices[username]
	return d, ok
}

// Trunk returns a line as it was last put.
func (x *Exchange) Trunk(id uuid.UUID) (exchange.Trunk, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t, ok := x.trunks[id]
	return t, ok
}

// SignIn signs a telephone in.
func (x *Exchange) SignIn(username string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.registered[username] = true
}

// SignOut signs a telephone out.
func (x *Exchange) SignOut(username string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.registered[username] = false
}

// Legs lists the legs that have not ended, oldest first.
func (x *Exchange) Legs() (out []Leg) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.legs {
		if !l.ended {
			out = append(out, *l)
		}
	}
	slices.SortFunc(out, func(a, b Leg) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return out
}

// Forget drops everything that the exchange knows of its legs, as if its store were lost.
func (x *Exchange) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.legs, x.events = map[uuid.UUID]*Leg{}, nil
}

// emit adds an event of a leg.
func (x *Exchange) emit(e exchange.Event) {
	if e.Leg != uuid.Nil {
		x.n[e.Leg]++
		e.N = x.n[e.Leg]
	}
	x.cursor++
	e.Cursor, e.At = x.cursor, clock.At(x.Clock.Now())
	x.events = append(x.events, e)
}

// Tell adds an event that belongs to no leg.
func (x *Exchange) Tell(tenant uuid.UUID, e exchange.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e.Tenant = tenant
	x.emit(e)
}

// Happen adds an event to a leg that has not ended.
func (x *Exchange) Happen(leg uuid.UUID, e exchange.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l, ok := x.legs[leg]
	if !ok || l.ended {
		return
	}
	e.Leg, e.Tenant = leg, l.Tenant
	switch e.Type {
	case exchange.LegAnsweredEvent:
		if l.State == exchange.LegAnswered {
			return
		}
		l.State, l.AnsweredAt = exchange.LegAnswered, x.Clock.Now()
	case exchange.LegEndedEvent:
		x.end(l, e.Cause, e.EndedBy)
		return
	}
	x.emit(e)
}

func (x *Exchange) end(l *Leg, cause exchange.Cause, by exchange.EndedBy) {
	if l.ended {
		return
	}
	if l.ended = true; l.Recording != uuid.Nil {
		x.stopRecord(l)
	}
	x.emit(exchange.Event{Type: exchange.LegEndedEvent, Tenant: l.Tenant, Leg: l.ID, Cause: cause, EndedBy: by, Media: l.media})
}

func (x *Exchange) stopRecord(l *Leg) {
	seconds := cmp.Or(x.recorded, 5)
	x.recordings[l.Recording] = []byte("RIFFsound")
	x.emit(exchange.Event{Type: exchange.RecordEndedEvent, Tenant: l.Tenant, Leg: l.ID, Object: l.Recording, Seconds: seconds, Bytes: 9})
	l.Recording = uuid.Nil
}

// SetRecorded sets the length of the next recordings, in seconds.
func (x *Exchange) SetRecorded(seconds float64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.recorded = seconds
}

// Cut ends the legs whose time is over, as the exchange does by itself.
func (x *Exchange) Cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.legs {
		limit := l.Asked.MaxDuration
		if !l.ended && l.State == exchange.LegAnswered && limit > 0 && x.Clock.Now().Sub(l.AnsweredAt) >= limit {
			x.end(l, exchange.CauseMaxDuration, exchange.EndedByExchange)
		}
	}
}

// Call adds an incoming call, over a line or from a device.
func (x *Exchange) Call(tenant uuid.UUID, device string, trunk uuid.UUID, from, to string) uuid.UUID {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := x.Clock.NewID()
	x.legs[id] = &Leg{Leg: exchange.Leg{ID: id, Tenant: tenant, State: exchange.LegIncoming, Device: device, Trunk: trunk}}
	x.emit(exchange.Event{Type: exchange.LegIncomingEvent, Tenant: tenant, Leg: id, Device: device, Trunk: trunk, From: from, To: to})
	return id
}

// Realm implements exchange.Devices.
func (x *Exchange) Realm() string { return "konak" }

// PutDevice implements exchange.Devices.
func (x *Exchange) PutDevice(_ context.Context, d exchange.Device) error {
	return x.do("put device "+d.Username, func() error {
		for _, o := range x.devices {
			if o.Tenant == d.Tenant && o.Extension == d.Extension && o.Username != d.Username {
				return exchange.ErrTaken
			}
		}
		x.devices[d.Username], x.registered[d.Username] = d, false
		return nil
	})
}

// DropDevice implements exchange.Devices.
func (x *Exchange) DropDevice(_ context.Context, tenant uuid.UUID, username string) error {
	return x.do("drop device "+username, func() error {
		delete(x.devices, username)
		delete(x.registered, username)
		for _, l := range x.legs {
			if l.Tenant == tenant && l.Device == username {
				x.end(l, exchange.CauseNormal, exchange.EndedByCaller)
			}
		}
		return nil
	})
}

// Registrations implements exchange.Devices.
func (x *Exchange) Registrations(_ context.Context, tenant uuid.UUID) (out []exchange.Registration, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name, in := range x.registered {
		if in && x.devices[name].Tenant == tenant {
			out = append(out, exchange.Registration{Username: name, Extension: x.devices[name].Extension})
		}
	}
	return out, nil
}

// CheckServer implements exchange.Trunks: a line must not lead to loopback.
func (x *Exchange) CheckServer(_ context.Context, server, _ string) error {
	if strings.HasPrefix(server, "127.") {
		return exchange.ErrInvalid
	}
	return nil
}

// PutTrunk implements exchange.Trunks.
func (x *Exchange) PutTrunk(_ context.Context, t exchange.Trunk) error {
	return x.do("put trunk "+t.Server, func() error { x.trunks[t.ID] = t; return nil })
}

// DropTrunk implements exchange.Trunks.
func (x *Exchange) DropTrunk(_ context.Context, _, trunk uuid.UUID) error {
	return x.do("drop trunk", func() error { delete(x.trunks, trunk); return nil })
}

// TrunkStatus implements exchange.Trunks.
func (x *Exchange) TrunkStatus(_ context.Context, tenant, trunk uuid.UUID) (exchange.TrunkStatus, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t, ok := x.trunks[trunk]
	if !ok || t.Tenant != tenant {
		return exchange.TrunkStatus{}, exchange.ErrUnknown
	}
	if t.Password.Reveal() == "" {
		return exchange.TrunkStatus{State: exchange.TrunkNeedsPassword}, nil
	}
	return exchange.TrunkStatus{State: exchange.TrunkRegistered}, nil
}

// Originate implements exchange.Legs.
func (x *Exchange) Originate(_ context.Context, o exchange.Originate) error {
	return x.do(fmt.Sprintf("dial %s%s for %s", o.Device, o.Number, o.MaxDuration), func() error {
		if _, again := x.legs[o.Leg]; again {
			return nil
		}
		if t, ok := x.trunks[o.Trunk]; o.Device == "" && (!ok || t.Tenant != o.Tenant) {
			return exchange.ErrUnknown
		}
		if o.Device != "" && !x.registered[o.Device] {
			return exchange.ErrNotRegistered
		}
		x.legs[o.Leg] = &Leg{Leg: exchange.Leg{ID: o.Leg, Tenant: o.Tenant, State: exchange.LegDialling, Device: o.Device, Trunk: o.Trunk}, Asked: o}
		return nil
	})
}

// withLeg runs fn on a leg that has not ended.
func (x *Exchange) withLeg(request string, tenant, leg uuid.UUID, fn func(*Leg) error) error {
	return x.do(request, func() error {
		l, ok := x.legs[leg]
		if !ok || l.Tenant != tenant {
			return exchange.ErrUnknown
		}
		if l.ended {
			return exchange.ErrState
		}
		return fn(l)
	})
}

// Extend implements exchange.Legs.
func (x *Exchange) Extend(_ context.Context, tenant, leg uuid.UUID, limit time.Duration) error {
	return x.withLeg("extend to "+limit.String(), tenant, leg, func(l *Leg) error { l.Asked.MaxDuration = limit; return nil })
}

// Ring implements exchange.Legs.
func (x *Exchange) Ring(_ context.Context, tenant, leg uuid.UUID, _ bool) error {
	return x.withLeg("ring", tenant, leg, func(*Leg) error { return nil })
}

// Answer implements exchange.Legs.
func (x *Exchange) Answer(_ context.Context, tenant, leg uuid.UUID) error {
	return x.withLeg("answer", tenant, leg, func(l *Leg) error {
		if l.State == exchange.LegAnswered {
			return nil
		}
		l.State, l.AnsweredAt = exchange.LegAnswered, x.Clock.Now()
		x.emit(exchange.Event{Type: exchange.LegAnsweredEvent, Tenant: tenant, Leg: leg})
		return nil
	})
}

// Hangup implements exchange.Legs.
func (x *Exchange) Hangup(_ context.Context, tenant, leg uuid.UUID, cause exchange.Cause) error {
	return x.do("hang up "+string(cause), func() error {
		l, ok := x.legs[leg]
		if !ok || l.Tenant != tenant {
			return exchange.ErrUnknown
		}
		x.end(l, cause, exchange.EndedByCaller)
		return nil
	})
}

// Hold implements exchange.Legs.
func (x *Exchange) Hold(_ context.Context, tenant, leg uuid.UUID, on bool) error {
	return x.withLeg(fmt.Sprint("hold ", on), tenant, leg, func(*Leg) error { return nil })
}

// Mute implements exchange.Legs.
func (x *Exchange) Mute(_ context.Context, tenant, leg uuid.UUID, on bool) error {
	return x.withLeg(fmt.Sprint("mute ", on), tenant, leg, func(*Leg) error { return nil })
}

// SendDTMF implements exchange.Legs.
func (x *Exchange) SendDTMF(_ context.Context, tenant, leg uuid.UUID, digits string) error {
	return x.withLeg("press "+digits, tenant, leg, func(*Leg) error { return nil })
}

// Snapshot implements exchange.Legs.
func (x *Exchange) Snapshot(context.Context) (out []exchange.Leg, err error) {
	x.mu.Lock()
	stopped := x.stopped
	x.mu.Unlock()
	if stopped {
		return nil, exchange.ErrUnavailable
	}
	for _, l := range x.Legs() {
		out = append(out, l.Leg)
	}
	return out, nil
}

// CreateBridge implements exchange.Bridges.
func (x *Exchange) CreateBridge(context.Context, uuid.UUID, uuid.UUID) error {
	return x.do("bridge", func() error { return nil })
}

// Join implements exchange.Bridges.
func (x *Exchange) Join(_ context.Context, tenant, _, leg uuid.UUID) error {
	return x.withLeg("join", tenant, leg, func(l *Leg) error { l.Joined = true; return nil })
}

// Leave implements exchange.Bridges.
func (x *Exchange) Leave(_ context.Context, tenant, leg uuid.UUID) error {
	return x.withLeg("leave", tenant, leg, func(l *Leg) error { l.Joined = false; return nil })
}

// DestroyBridge implements exchange.Bridges.
func (x *Exchange) DestroyBridge(context.Context, uuid.UUID, uuid.UUID) error {
	return x.do("unbridge", func() error { return nil })
}

// Play implements exchange.Sounds.
func (x *Exchange) Play(_ context.Context, p exchange.Play) error {
	return x.withLeg(fmt.Sprint("play, again and again: ", p.Loop), p.Tenant, p.Leg, func(l *Leg) error { l.Playing = p; return nil })
}

// FinishPlay ends the sound that is played to a leg.
func (x *Exchange) FinishPlay(leg uuid.UUID) {
	x.mu.Lock()
	id := x.legs[leg].Playing.ID
	x.mu.Unlock()
	x.Happen(leg, exchange.Event{Type: exchange.PlayEndedEvent, Object: id})
}

// StopPlay implements exchange.Sounds.
func (x *Exchange) StopPlay(_ context.Context, tenant, leg uuid.UUID) error {
	return x.withLeg("stop playing", tenant, leg, func(l *Leg) error { l.Playing = exchange.Play{}; return nil })
}

// Record implements exchange.Sounds.
func (x *Exchange) Record(_ context.Context, tenant, leg, recording uuid.UUID) error {
	return x.withLeg("record", tenant, leg, func(l *Leg) error { l.Recording = recording; return nil })
}

// PauseRecord implements exchange.Sounds.
func (x *Exchange) PauseRecord(context.Context, uuid.UUID, uuid.UUID, bool) error { return nil }

// StopRecord implements exchange.Sounds.
func (x *Exchange) StopRecord(_ context.Context, _, recording uuid.UUID) error {
	return x.do("stop recording", func() error {
		for _, l := range x.legs {
			if l.Recording == recording {
				x.stopRecord(l)
			}
		}
		return nil
	})
}

// OpenRecording implements exchange.Sounds.
func (x *Exchange) OpenRecording(_ context.Context, _, recording uuid.UUID) (io.ReadSeekCloser, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	b, ok := x.recordings[recording]
	if !ok {
		return nil, exchange.ErrUnknown
	}
	return content{bytes.NewReader(b)}, nil
}

type content struct{ *bytes.Reader }

// Close implements io.Closer.
func (content) Close() error { return nil }

// DropRecording implements exchange.Sounds.
func (x *Exchange) DropRecording(_ context.Context, _, recording uuid.UUID) error {
	return x.do("drop recording", func() error { delete(x.recordings, recording); return nil })
}

// Events implements exchange.Events.
func (x *Exchange) Events(_ context.Context, after int64, limit int) (out []exchange.Event, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.events {
		if e.Cursor > after && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, nil
}

// TrimEvents implements exchange.Events.
func (x *Exchange) TrimEvents(context.Context, int64) error { return nil }

// Wake implements exchange.Events.
func (x *Exchange) Wake() <-chan struct{} { return x.wake }
