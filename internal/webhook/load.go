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
	"konak/internal/kit/each"
	"konak/internal/kit/event"
	"konak/internal/kit/secret"
	"konak/internal/webhook/signature"
)

// startLoad begins to read the settings of a lane that entered the state loading, and its
// due deliveries. The caller holds the lock.
func (s *Sender) startLoad(l *lane) {
	l.reads++
	go s.loadLane(l, l.reads, l.nextRead())
}

// loaded is the result of reading a lane.
type loaded struct {
	target target
	jobs   []job
	early  bool // what waits has no body yet
}

// loadLane reads a lane and puts the result into it, unless the lane has changed state or
// was read again meanwhile.
func (s *Sender) loadLane(l *lane, read int, from readFrom) {
	now := s.db.Clock().Now()
	from.newest = now.Add(-queueStart)
	var got loaded
	err := s.db.System("delivery claim").Read(context.Background(), func(r *db.Reader) (err error) {
		got, err = readLane(r, l.laneKey, from, now)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.state != loading || l.reads != read {
		return
	}
	switch {
	case db.IsNoRow(err): // deleted, with its lane
		s.lose(l)
		return
	case err != nil:
		s.log.Error("a webhook endpoint's queue could not be read", "endpoint", l.id, "error", err)
		l.halt(now.Add(look))
	case got.target.status == Paused:
		l.halt(time.Time{})
	default:
		if err := s.applySettings(l, &got.target); err != nil {
			s.log.Error("a webhook endpoint cannot be sent to", "endpoint", l.id, "error", err)
			l.halt(now.Add(time.Minute))
			break
		}
		l.take(from, got.jobs)
		switch {
		case len(l.buffer) > 0 || l.unmarked > 0:
			l.move(rowsRead)
		case got.early:
			l.halt(now.Add(look))
		default:
			l.move(nothingRead)
			s.startIdling(l)
		}
	}
	s.advance(l)
}

// readLane reads a lane's settings, its due deliveries and their bodies.
func readLane(r *db.Reader, k laneKey, from readFrom, now time.Time) (got loaded, err error) {
	if got.target, err = findTarget(r, k); err != nil || from.enough || got.target.status == Paused {
		return got, err
	}
	if got.target.status == Disabled {
		got.jobs, got.early, err = probeJob(r, k, now)
		return got, err
	}
	if got.jobs, err = dueJobs(r, k, clock.At(now), from.time, from.id, readRows); err != nil {
		return got, err
	}
	return got, loadBodies(r, k.tenant, got.jobs)
}

// loadBodies reads the body of each job.
func loadBodies(r *db.Reader, tenant uuid.UUID, jobs []job) error {
	ids := each.Map(jobs, func(j job) uuid.UUID { return j.event })
	events, err := event.Load(r, tenant, ids)
	for i := range jobs {
		if e, ok := events[jobs[i].event]; ok {
			jobs[i].body, jobs[i].trace = e.Body(), e.Trace
		}
	}
	return err
}

// probeRows is the number of waiting deliveries that are searched for one to probe with.
const probeRows = 8

// probeJob finds the delivery that probes a disabled endpoint: the first in its queue whose
// event has its number, even if its own next attempt is later. Early is true if the queue
// has only deliveries whose events have no number yet; they get it in a moment.
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

// applySettings puts an endpoint's settings into its lane. The caller holds the lock.
func (s *Sender) applySettings(l *lane, t *target) (err error) {
	now := s.db.Clock().Now()
	l.settings = clock.Stopwatch()
	// The address that the name resolves to is checked when it is dialled: the allowed
	// ranges may have changed since the endpoint was registered.
	if l.address, err = url.Parse(t.address); err != nil {
		return err
	}
	l.module, l.inOrder, l.rate, l.healthy, l.disabled = t.module, t.strict, t.rate, t.clean(), t.status == Disabled
	if l.disabled && len(l.buffer) > 1 {
		l.buffer = l.buffer[:1]
	}
	if t.oldUntil == nil || !t.oldUntil.After(now) {
		t.oldSecret = nil
	}
	if sealed := [2]string{string(t.secret), string(t.oldSecret)}; l.sealed != sealed || l.signer == nil {
		keys, err := openSecrets(s.box, l.laneKey, t)
		if err != nil {
			return err
		}
		l.signer, l.sealed = signature.Signer(keys), sealed
	}
	l.beginSecond(now)
	return nil
}

// openSecrets opens an endpoint's signing secrets. The one before a rotation comes first
// while it is valid, because the plain signature can hold only one and keeps using it.
func openSecrets(box *secret.Box, k laneKey, t *target) ([]string, error) {
	var keys []string
	for _, sealed := range [][]byte{t.oldSecret, t.secret} {
		if sealed == nil {
			continue
		}
		key, err := box.Open(k.tenant, secretPurpose(k.id), sealed)
		if err != nil {
			return nil, fmt.Errorf("the signing secret cannot be opened: %w", err)
		}
		keys = append(keys, string(key))
	}
	return keys, nil
}
