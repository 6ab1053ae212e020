package webhook

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// fetch reads a lane's settings, what is due in it and the bodies.
func (s *Sender) fetch(l *lane) {
	s.mu.Lock()
	from := l.next()
	known, probe, epoch := l.signer != nil && l.fresh() < look, l.probe, l.epoch
	s.mu.Unlock()
	var t target
	var jobs []job
	var early bool
	now := s.svc.db.Clock().Now()
	from.places = now.Add(-queueStart)
	err := s.svc.db.System("delivery claim").Read(context.Background(), func(r *db.Reader) (err error) {
		if !known {
			if t, err = targetOf(r, l.laneKey); err != nil {
				return err
			}
			probe = t.status == Disabled
		}
		if probe {
			jobs, early, err = probeJob(r, l.laneKey, now)
			return err
		}
		if jobs, err = dueJobs(r, l.laneKey, clock.At(now), from.time, from.id, fetchRows); err != nil {
			return err
		}
		return loadBodies(r, l.tenant, jobs)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	l.fetching = false
	if (known || epoch != l.epoch) && err == nil && !l.lost {
		// Settings that changed meanwhile are read by reload.
		l.span(now)
	} else if !s.settle(l, &t, err) {
		return
	}
	l.take(from, jobs, probe)
	if early && l.idle() && !l.stop {
		l.halt(now.Add(look))
	}
	s.advance(l)
}

// loadBodies reads what is sent with each job.
func loadBodies(r *db.Reader, tenant uuid.UUID, jobs []job) error {
	ids := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.event
	}
	events, err := event.Load(r, tenant, ids)
	for i := range jobs {
		if e, ok := events[jobs[i].event]; ok {
			jobs[i].body = e.Body()
		}
	}
	return err
}

// probeRows is among how many waiting deliveries one is sought to probe with.
const probeRows = 8

// probeJob finds the delivery that tells whether a disabled endpoint is back:
// the first in its queue, whenever its own next attempt would be, whose event
// has its number. It is early when there are only others: they get it in a
// moment.
func probeJob(r *db.Reader, k laneKey, now time.Time) (one []job, early bool, err error) {
	jobs, err := dueJobs(r, k, clock.At(never), clock.At(time.UnixMicro(0)), uuid.Nil, probeRows)
	if err == nil {
		err = loadBodies(r, k.tenant, jobs)
	}
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(jobs, func(j job) bool { return j.body != nil || !j.nextAt.After(now) })
	if i < 0 {
		return nil, len(jobs) > 0, nil
	}
	return jobs[i : i+1], false, nil
}

// reload reads a lane's settings after they changed.
func (s *Sender) reload(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var t target
	var err error
	for epoch := -1; epoch != l.epoch && !l.lost; {
		epoch = l.epoch
		s.mu.Unlock()
		err = s.svc.db.System("delivery claim").Read(context.Background(), func(r *db.Reader) (err error) {
			t, err = targetOf(r, l.laneKey)
			return err
		})
		s.mu.Lock()
	}
	l.reloading = false
	if s.settle(l, &t, err) {
		s.advance(l)
	}
}

// settle puts an endpoint's settings into its lane. It says false where there
// is nothing to go on with.
func (s *Sender) settle(l *lane, t *target, err error) bool {
	switch {
	case l.lost:
		return false
	case db.IsNoRow(err): // deleted, with its lane
		s.lose(l)
		return false
	case err != nil:
		s.log.Error("a webhook lane could not be read", "endpoint", l.id, "error", err)
		l.halt(s.svc.db.Clock().Now().Add(look))
	case t.status == Paused:
		l.halt(time.Time{})
	default:
		if err := s.apply(l, t); err != nil {
			s.log.Error("a webhook endpoint cannot be sent to", "endpoint", l.id, "error", err)
			l.halt(s.svc.db.Clock().Now().Add(time.Minute))
		}
	}
	return true
}

func (s *Sender) apply(l *lane, t *target) (err error) {
	now := s.svc.db.Clock().Now()
	l.fresh = clock.Stopwatch()
	// What it leads to is checked when it is dialled: the allowed ranges may
	// have changed since it was registered.
	if l.to, err = url.Parse(t.address); err != nil {
		return err
	}
	l.module, l.strict, l.rate, l.clean = t.module, t.strict, t.rate, t.clean()
	if l.probe = t.status == Disabled; l.probe && len(l.buffer) > 1 {
		l.buffer = l.buffer[:1]
	}
	if t.oldUntil == nil || !t.oldUntil.After(now) {
		t.oldSecret = nil
	}
	l.sign.Lock()
	defer l.sign.Unlock()
	if sealed := [2]string{string(t.secret), string(t.oldSecret)}; l.sealed != sealed || l.signer == nil {
		keys, err := s.svc.secrets(l.laneKey, t)
		if err != nil {
			return err
		}
		l.signer, l.sealed = newSigner(keys...), sealed
	}
	l.span(now)
	return nil
}

// secrets opens an endpoint's secrets. The one before a rotation comes first
// while it lasts: the plain signature, which has room for one, keeps to it.
func (s *Service) secrets(k laneKey, t *target) ([]string, error) {
	var keys []string
	for _, sealed := range [][]byte{t.oldSecret, t.secret} {
		if sealed == nil {
			continue
		}
		key, err := s.box.Open(k.tenant, place(k.id), sealed)
		if err != nil {
			return nil, fmt.Errorf("the signing secret cannot be opened: %w", err)
		}
		keys = append(keys, string(key))
	}
	return keys, nil
}
