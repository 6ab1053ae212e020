package sipexchange

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/rtp"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var (
	validUsername  = regexp.MustCompile(`^[a-z0-9._-]{3,64}$`)
	validExtension = regexp.MustCompile(`^[0-9]{2,6}$`)
	validHA1       = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// PutDevice implements exchange.Devices.
func (x *Exchange) PutDevice(ctx context.Context, d exchange.Device) error {
	if d.Tenant == uuid.Nil || !validUsername.MatchString(d.Username) || !validExtension.MatchString(d.Extension) || !validHA1.MatchString(d.HA1.Reveal()) {
		return exchange.ErrInvalid
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	old, known := x.devices[d.Username]
	if known && old.Tenant != d.Tenant {
		return exchange.ErrTaken
	}
	for _, other := range x.devices {
		if other.Tenant == d.Tenant && other.Extension == d.Extension && other.Username != d.Username {
			return exchange.ErrTaken
		}
	}
	if err := x.store.inTx(ctx, func(tx *db.Tx) error { return x.store.putDevice(tx, d) }); err != nil {
		return err
	}
	x.devices[d.Username] = d
	if known && old.HA1.Reveal() != d.HA1.Reveal() {
		return x.setBindings(ctx, d.Tenant, d.Username, nil, x.bindings[d.Username])
	}
	return nil
}

// DropDevice implements exchange.Devices.
func (x *Exchange) DropDevice(ctx context.Context, tenant uuid.UUID, username string) error {
	if err := x.forgetDevice(ctx, tenant, username); err != nil {
		return err
	}
	x.endLegs(tenant, func(l exchange.Leg) bool { return l.Device == username })
	return nil
}

func (x *Exchange) forgetDevice(ctx context.Context, tenant uuid.UUID, username string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d, known := x.devices[username]; !known || d.Tenant != tenant {
		return nil
	}
	if err := x.setBindings(ctx, tenant, username, nil, x.bindings[username]); err != nil {
		return err
	}
	if err := x.store.inTx(ctx, func(tx *db.Tx) error { return dropDevice(tx, tenant, username) }); err != nil {
		return err
	}
	delete(x.devices, username)
	return nil
}

// Registrations implements exchange.Devices.
func (x *Exchange) Registrations(_ context.Context, tenant uuid.UUID) ([]exchange.Registration, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := []exchange.Registration{}
	for username, all := range x.bindings {
		device := x.devices[username]
		if device.Tenant != tenant {
			continue
		}
		for _, b := range all {
			out = append(out, exchange.Registration{
				Username: username, Extension: device.Extension, Agent: b.agent, Transport: sip.NetworkToLower(b.transport),
				Since: b.since, ExpiresAt: b.expiresAt,
			})
		}
	}
	return out, nil
}

// Extend implements exchange.Legs.
func (x *Exchange) Extend(_ context.Context, tenant, id uuid.UUID, maxTime time.Duration) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		l.maxTime = maxTime
		if !l.answeredAt.IsZero() {
			l.startLimit()
		}
		return nil
	})
}

// Hangup implements exchange.Legs.
func (x *Exchange) Hangup(_ context.Context, tenant, id uuid.UUID, cause exchange.Cause) error {
	l, err := x.findLeg(tenant, id)
	if errors.Is(err, exchange.ErrUnknown) {
		return nil
	}
	l.end(cause, exchange.EndedByCaller)
	return nil
}

// Hold implements exchange.Legs.
func (x *Exchange) Hold(_ context.Context, tenant, id uuid.UUID, hold bool) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		if l.ended || l.answeredAt.IsZero() {
			return exchange.ErrState
		}
		if l.heldByUs == hold {
			return nil
		}
		l.heldByUs = hold
		l.updateFlow()
		x.spawn(l.reinvite)
		return nil
	})
}

// Mute implements exchange.Legs.
func (x *Exchange) Mute(_ context.Context, tenant, id uuid.UUID, mute bool) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		l.muted = mute
		l.updateFlow()
		return nil
	})
}

const maxKeys = 32

// SendDTMF implements exchange.Legs.
func (x *Exchange) SendDTMF(_ context.Context, tenant, id uuid.UUID, digits string) error {
	l, err := x.findLeg(tenant, id)
	if err != nil {
		return err
	}
	if len(digits) > maxKeys || !rtp.AreKeys(digits) {
		return exchange.ErrInvalid
	}
	if !l.isAnswered() {
		return exchange.ErrState
	}
	x.spawn(func() { l.sendKeys(digits) })
	return nil
}

// sendKeys sends key presses to the leg: in RTP, or by INFO if it accepts none there.
func (l *leg) sendKeys(digits string) {
	l.pressing.Lock()
	defer l.pressing.Unlock()
	tick := time.NewTicker(rtp.FrameDuration)
	defer tick.Stop()
	for _, key := range []byte(digits) {
		for i := range rtp.KeyPackets {
			if !l.media.SendKey(key, i) {
				l.sendInfo(key)
				break
			}
			select {
			case <-tick.C:
			case <-l.done:
				return
			}
		}
	}
}

func (l *leg) sendInfo(key byte) {
	l.mu.Lock()
	if l.ended || l.dialog == nil {
		l.mu.Unlock()
		return
	}
	req := l.x.newRequest(l.dialog, sip.INFO)
	l.mu.Unlock()
	req.AppendHeader(sip.NewHeader("Content-Type", "application/dtmf-relay"))
	req.SetBody([]byte("Signal=" + string(key) + "\r\nDuration=100\r\n"))
	ctx, cancel := context.WithTimeout(context.Background(), byeTime)
	defer cancel()
	_, _, _ = l.x.request(ctx, req) // if a key is lost, the person presses it again
}

// runs reports whether the exchange has started and is not closing.
func (x *Exchange) runs() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.closing
}

// Snapshot implements exchange.Legs.
func (x *Exchange) Snapshot(context.Context) ([]exchange.Leg, error) {
	if !x.runs() {
		return nil, exchange.ErrUnavailable
	}
	out := []exchange.Leg{}
	for _, l := range x.allLegs() {
		out = append(out, l.snapshot())
	}
	return out, nil
}

// OpenRecording implements exchange.Sounds.
func (x *Exchange) OpenRecording(_ context.Context, tenant, id uuid.UUID) (io.ReadSeekCloser, error) {
	f, err := x.folder.Open(tenant, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exchange.ErrUnknown
	}
	return f, err
}

// DropRecording implements exchange.Sounds.
func (x *Exchange) DropRecording(_ context.Context, tenant, id uuid.UUID) error {
	return x.folder.Remove(tenant, id)
}

// TrunkStatus implements exchange.Trunks.
func (x *Exchange) TrunkStatus(_ context.Context, tenant, id uuid.UUID) (exchange.TrunkStatus, error) {
	t := x.findTrunk(tenant, id)
	if t == nil {
		return exchange.TrunkStatus{}, exchange.ErrUnknown
	}
	return t.currentStatus(), nil
}

func (x *Exchange) now() clock.Time { return clock.At(x.cfg.Clock.Now()) }
