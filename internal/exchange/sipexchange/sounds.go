package sipexchange

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/recording"
	"konak/internal/exchange/rtp"
	"konak/internal/exchange/sound"
	"konak/internal/kit/clock"
)

// maxPlay limits the length of one Play: 10 minutes.
const maxPlay = 10 * 60 * sound.PhoneRate

// player plays samples to a leg.
type player struct {
	id   uuid.UUID
	stop chan struct{}
}

// Play implements exchange.Sounds.
func (x *Exchange) Play(_ context.Context, p exchange.Play) error {
	l, err := x.findLeg(p.Tenant, p.Leg)
	if err != nil {
		return err
	}
	if len(p.Samples) == 0 || len(p.Samples) > maxPlay {
		return exchange.ErrInvalid
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || !l.hasRemote {
		return exchange.ErrState
	}
	if l.player != nil && l.player.id == p.ID {
		return nil
	}
	l.stopPlayer()
	pl := &player{id: p.ID, stop: make(chan struct{})}
	l.player = pl
	l.updateFlow()
	x.spawn(func() { l.play(pl, p) })
	return nil
}

// play sends a frame every 20 ms, and after a delay all that are due.
func (l *leg) play(pl *player, p exchange.Play) {
	tick := time.NewTicker(rtp.FrameDuration)
	defer tick.Stop()
	elapsed := clock.Stopwatch()
	frame := make([]int16, rtp.FrameSamples)
	for sent := 0; ; {
		for due := int(elapsed()/rtp.FrameDuration) + 1; sent < due; sent++ {
			from := sent * rtp.FrameSamples
			if p.Loop {
				from %= len(p.Samples)
			} else if from >= len(p.Samples) {
				l.endPlayer(pl)
				return
			}
			n := copy(frame, p.Samples[from:])
			clear(frame[n:])
			if p.Loop {
				copy(frame[n:], p.Samples)
			}
			l.media.SendSamples(frame)
		}
		select {
		case <-tick.C:
		case <-pl.stop:
			return
		}
	}
}

// endPlayer ends a player that has played all its samples.
func (l *leg) endPlayer(pl *player) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.player == pl {
		l.stopPlayer()
	}
}

// stopPlayer stops what is played. The caller holds the lock.
func (l *leg) stopPlayer() {
	if l.player == nil {
		return
	}
	close(l.player.stop)
	l.emit(exchange.Event{Type: exchange.PlayEndedEvent, Object: l.player.id})
	l.player = nil
	l.updateFlow()
}

// StopPlay implements exchange.Sounds.
func (x *Exchange) StopPlay(_ context.Context, tenant, id uuid.UUID) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		l.stopPlayer()
		return nil
	})
}

// Record implements exchange.Sounds. A second recording of a leg is refused with
// exchange.ErrState.
func (x *Exchange) Record(_ context.Context, tenant, id, recordingID uuid.UUID) error {
	return x.changeLeg(tenant, id, func(l *leg) error {
		if l.recorder != nil && l.recordID == recordingID {
			return nil
		}
		if l.ended || l.recorder != nil {
			return exchange.ErrState
		}
		r, err := x.folder.Start(tenant, l.id, recordingID)
		if errors.Is(err, fs.ErrExist) {
			return exchange.ErrState
		}
		if err != nil {
			return err
		}
		l.recorder, l.recordID = r, recordingID
		l.media.SetTap(r)
		return nil
	})
}

// stopRecorder ends the recording of a leg. The caller holds the lock.
func (l *leg) stopRecorder() {
	if l.recorder == nil {
		return
	}
	l.media.SetTap(nil)
	result, err := l.recorder.Stop()
	l.recorder = nil
	if err != nil {
		l.x.cfg.Log.Error("a recording could not be written", "recording", l.recordID, "error", err)
		result = recording.Result{ID: l.recordID}
	}
	l.emit(recordEnded(result))
}

// recordEnded returns the event of a recording that can be opened; a recording of no bytes
// could not be written.
func recordEnded(r recording.Result) exchange.Event {
	return exchange.Event{
		Tenant: r.Tenant, Leg: r.Leg, Type: exchange.RecordEndedEvent, Object: r.ID, Seconds: r.Duration.Seconds(), Bytes: r.Bytes,
	}
}

// findRecorder returns the leg that is being recorded under an id.
func (x *Exchange) findRecorder(tenant, id uuid.UUID) (*leg, error) {
	for _, l := range x.allLegs() {
		l.mu.Lock()
		found := l.tenant == tenant && l.recorder != nil && l.recordID == id
		l.mu.Unlock()
		if found {
			return l, nil
		}
	}
	return nil, exchange.ErrUnknown
}

// PauseRecord implements exchange.Sounds.
func (x *Exchange) PauseRecord(_ context.Context, tenant, id uuid.UUID, pause bool) error {
	l, err := x.findRecorder(tenant, id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recorder == nil {
		return exchange.ErrUnknown
	}
	l.recorder.Pause(pause)
	return nil
}

// StopRecord implements exchange.Sounds. It is no error if the recording has ended.
func (x *Exchange) StopRecord(_ context.Context, tenant, id uuid.UUID) error {
	l, err := x.findRecorder(tenant, id)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recordID == id {
		l.stopRecorder()
	}
	return nil
}
