package api

import (
	"context"
	"sync"
	"time"
)

// timeout is a context with a deadline whose timer is created only when somebody waits for
// it. Most requests are answered from memory or by one short query before that, and a timer
// for each is a sixth of their cost.
type timeout struct {
	context.Context
	at time.Time

	mu     sync.Mutex
	timed  context.Context
	cancel context.CancelFunc
	over   bool
}

func withTimeout(ctx context.Context, at time.Time) *timeout { return &timeout{Context: ctx, at: at} }

// Deadline implements context.Context.
func (t *timeout) Deadline() (time.Time, bool) {
	if d, ok := t.Context.Deadline(); ok && d.Before(t.at) {
		return d, true
	}
	return t.at, true
}

// Done implements context.Context.
func (t *timeout) Done() <-chan struct{} { return t.withTimer().Done() }

// Err implements context.Context. Without a timer nobody has called Done, and only the
// parent's end matters.
func (t *timeout) Err() error {
	t.mu.Lock()
	waiting := t.timed != nil || t.over
	t.mu.Unlock()
	if !waiting {
		return t.Context.Err()
	}
	return t.withTimer().Err()
}

func (t *timeout) withTimer() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timed == nil {
		t.timed, t.cancel = context.WithDeadline(t.Context, t.at)
		if t.over {
			t.cancel()
		}
	}
	return t.timed
}

// release ends the context together with its request.
func (t *timeout) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.cancel != nil {
		t.cancel()
	}
}
