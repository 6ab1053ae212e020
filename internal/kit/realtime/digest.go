package realtime

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/perm"
)

// Digest is a small answer that a stream sends again when it may have changed. However many
// streams of a workspace are open on a node, Prepare is called at most once a second, and
// Make at most once a second per caller.
type Digest struct {
	Name       string
	Module     string
	Permission perm.Permission
	// Concerns reports whether an event of this name may change the digest.
	Concerns func(name string) bool
	// Prepare returns the common input of the digests of all callers of a workspace; nil if
	// they have nothing in common. The caller in ctx is one of them.
	Prepare func(ctx context.Context) (any, error)
	// Make returns the digest for the caller in ctx, given the result of Prepare.
	Make func(ctx context.Context, prepared any) (any, error)
}

// digestRound holds the digests of a workspace up to one event. They are computed when a
// stream asks for them.
type digestRound struct {
	sequence int64
	age      func() time.Duration
	lock     chan struct{} // of capacity one; its holder may use the maps
	prepared map[string]any
	made     map[digestKey][]byte
}

type digestKey struct {
	name   string
	caller uuid.UUID
}

// digestRound returns the round for a stream that has seen the events up to a sequence. If
// that requires a new round and the last one began too recently, it returns how long to
// wait.
func (f *feed) digestRound(after int64) (*digestRound, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.round != nil {
		if f.round.sequence >= after {
			return f.round, 0
		}
		if left := repeat - f.round.age(); left > 0 {
			return nil, left
		}
	}
	f.round = &digestRound{
		sequence: max(f.last, after), age: clock.Stopwatch(), lock: make(chan struct{}, 1),
		prepared: map[string]any{}, made: map[digestKey][]byte{},
	}
	return f.round, 0
}

// text returns a digest's message for the caller; the first stream that asks computes it.
func (r *digestRound) text(ctx context.Context, d *Digest, who *caller.Caller) ([]byte, error) {
	select {
	case r.lock <- struct{}{}:
		defer func() { <-r.lock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	key := digestKey{d.Name, who.ID}
	if text, ok := r.made[key]; ok {
		return text, nil
	}
	ctx = caller.With(ctx, who)
	prepared, ok := r.prepared[d.Name]
	if !ok && d.Prepare != nil {
		var err error
		if prepared, err = d.Prepare(ctx); err != nil {
			return nil, err
		}
		r.prepared[d.Name] = prepared
	}
	v, err := d.Make(ctx, prepared)
	if err != nil {
		return nil, err
	}
	text := message{Type: d.Name, Data: v}.text()
	r.made[key] = text
	return text, nil
}

// sendDigests sends the digests that may have changed, or returns how long to wait before
// it can.
func (st *stream) sendDigests(ctx context.Context, f *feed) (wait time.Duration, err error) {
	sent := false
	for i := range st.Digests {
		d := &st.Digests[i]
		if !st.stale[i] {
			continue
		}
		if d.Module != "" && !st.who.Licences[d.Module] || !st.who.Can(d.Permission) {
			st.stale[i] = false
			continue
		}
		round, wait := f.digestRound(st.after)
		if wait > 0 {
			return wait, nil
		}
		text, err := round.text(ctx, d, st.who)
		if err != nil {
			return 0, err
		}
		st.stale[i] = false
		if err := st.out.put(0, d.Name, text); err != nil {
			return 0, err
		}
		sent = true
	}
	if !sent {
		return 0, nil
	}
	return 0, st.out.flush()
}
