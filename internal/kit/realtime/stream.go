package realtime

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// line is the connection on which messages are sent: a stream of server-sent events, or a
// socket.
type line interface {
	// ready sends the sequence after which the stream begins.
	ready(after int64) error
	// put sends a message at the next flush; sequence 0 for one without a sequence.
	put(sequence int64, name string, body []byte) error
	flush() error
	// alive sends a sign of life.
	alive() error
}

type sse struct{ *api.Sender }

func (l sse) ready(int64) error { return l.Comment("ready") }
func (l sse) alive() error      { return l.Comment("alive") }
func (l sse) flush() error      { return l.Flush() }

func (l sse) put(sequence int64, name string, body []byte) error { return l.Put(sequence, name, body) }

type ws struct{ *api.Socket }

func (l ws) ready(after int64) error                  { return l.Send(message{Type: "ready", Sequence: after}.text()) }
func (ws) alive() error                               { return nil } // the socket pings by itself
func (ws) flush() error                               { return nil }
func (l ws) put(_ int64, _ string, body []byte) error { return l.Send(body) }

// Receiver receives the messages of a workspace. Its methods are called by one goroutine;
// an error ends the stream.
type Receiver interface {
	// Ready is called first with the sequence after which the events begin.
	Ready(after int64) error
	// Receive receives an event that the watcher may see, a signal with the sequence 0, or
	// "reset" if events up to the sequence are no longer stored.
	Receive(sequence int64, name string, body []byte) error
}

type received struct{ Receiver }

func (l received) ready(after int64) error { return l.Ready(after) }
func (received) alive() error              { return nil }
func (received) flush() error              { return nil }
func (l received) put(sequence int64, name string, body []byte) error {
	return l.Receive(sequence, name, body)
}

// Follow passes a receiver the messages of the watcher's workspace after a sequence, or
// from now on if it is negative, until the context ends.
func (s *Streams) Follow(ctx context.Context, after int64, to Receiver) error {
	st := &stream{Routes: &Routes{Streams: s}, who: api.Watcher(ctx), after: after}
	return st.run(ctx, received{to})
}

// message is a message of a stream that is not an event.
type message struct {
	Type     string `json:"type"`
	Sequence int64  `json:"sequence,omitzero"`
	// To is the only caller that a signal is for; the zero id means everyone.
	To   uuid.UUID `json:"to,omitzero"`
	Data any       `json:"data"`
}

func (m message) text() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // our own types
	}
	return b
}

// Changed is a record that changed, and how.
type Changed struct {
	Type     string `json:"type"`
	ObjectID string `json:"object_id"`
}

// stream is one open connection.
type stream struct {
	*Routes
	who    *caller.Caller
	after  int64 // the last sequence sent or skipped
	heard  int64 // number of signals seen
	gather bool

	out     line
	changes []Changed
	seen    map[Changed]struct{}
	stale   []bool // by digest
	waiting bool   // until the digests may be sent again
}

// run sends until the receiver leaves.
func (st *stream) run(ctx context.Context, out line) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	st.out, st.seen, st.stale = out, map[Changed]struct{}{}, make([]bool, len(st.Digests))
	f, err := st.join(ctx, st.who.TenantID)
	if err != nil {
		return err
	}
	defer st.leave(st.who.TenantID, f)
	if st.Audience != nil {
		defer st.Audience.TrackConnection(ctx, st.who)()
	}
	last, heard := f.end()
	if st.heard = heard; st.after < 0 {
		st.after = last
	}
	if err := out.ready(st.after); err != nil {
		return err
	}
	beat := time.NewTicker(cmp.Or(st.Beat, heartbeat))
	defer beat.Stop()
	var pause, turn <-chan time.Time
	for {
		st.who = api.Watcher(ctx)
		var changed <-chan struct{}
		if pause == nil { // during a pause, news accumulates
			n := f.since(st.after, st.heard)
			if n.behind {
				if err := st.past(ctx); err != nil {
					return err
				}
				continue
			}
			sent, err := st.send(n)
			if err != nil {
				return err
			}
			if changed = n.changed; sent && st.gather {
				pause = time.After(gathering)
			}
		}
		if !st.waiting && st.gather {
			wait, err := st.sendDigests(ctx, f)
			if err != nil {
				return err
			}
			if wait > 0 {
				st.waiting, turn = true, time.After(wait)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-pause:
			pause = nil
		case <-turn:
			st.waiting, turn = false, nil
		case <-beat.C:
			if err := out.alive(); err != nil {
				return err
			}
		}
	}
}

// send sends the feed's news and reports whether there was any.
func (st *stream) send(n news) (bool, error) {
	sent := false
	for _, e := range n.signals {
		if st.mayHear(st.who, e.name) && (e.to == uuid.Nil || e.to == st.who.ID) {
			sent = true
			if err := st.out.put(0, e.name, e.body); err != nil {
				return sent, err
			}
		}
	}
	st.heard = n.heard
	for _, e := range n.events {
		if err := st.event(e); err != nil {
			return sent, err
		}
	}
	told, err := st.notify()
	if sent = sent || told || len(n.events) > 0; !sent || err != nil {
		return sent, err
	}
	return true, st.out.flush()
}

// event sends an event, or records what it changed.
func (st *stream) event(e entry) error {
	st.after = e.sequence
	if !st.mayHear(st.who, e.name) {
		return nil
	}
	for i, d := range st.Digests {
		st.stale[i] = st.stale[i] || d.Concerns(e.name)
	}
	if !st.gather {
		return st.out.put(e.sequence, e.name, e.body)
	}
	c := Changed{e.name, e.object()}
	if _, ok := st.seen[c]; !ok {
		st.seen[c] = struct{}{}
		st.changes = append(st.changes, c)
	}
	return nil
}

// notify sends the collected changes, with the sequence of the last one.
func (st *stream) notify() (bool, error) {
	if len(st.changes) == 0 {
		return false, nil
	}
	m := message{Type: "changes", Sequence: st.after, Data: st.changes}
	err := st.out.put(st.after, m.Type, m.text())
	st.changes = st.changes[:0]
	clear(st.seen)
	return true, err
}

// past sends a page of the events that the database has after the stream's position.
func (st *stream) past(ctx context.Context) error {
	var events []event.Event
	var last int64
	err := st.DB.Tenant(st.who.TenantID).Read(ctx, func(r *db.Reader) (err error) {
		if events, err = event.After(r, st.after, catchUp); err != nil || len(events) > 0 {
			return err
		}
		last, err = event.Last(r)
		return err
	})
	if err != nil {
		return err
	}
	if len(events) == 0 || events[0].Sequence != st.after+1 {
		// The events in between are no longer stored: the receiver must load everything
		// again.
		if len(events) > 0 {
			last = events[0].Sequence - 1
		}
		st.after = max(last, st.after)
		m := message{Type: "reset", Sequence: st.after}
		if err := st.out.put(st.after, m.Type, m.text()); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := st.event(newEntry(e.Sequence, e.Type, e.Body())); err != nil {
			return err
		}
	}
	if _, err := st.notify(); err != nil {
		return err
	}
	return st.out.flush()
}
