package realtime

import (
	"testing"

	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/event"
)

// Messages between nodes on the bus, which no stream carries, wake no stream.
func TestNodeMessagesDoNotWakeStreams(t *testing.T) {
	t.Parallel()
	s := &Streams{visible: map[string]event.Type{"signal.seen": {Name: "signal.seen"}}}
	f := &feed{carries: s.isVisible, changed: make(chan struct{})}
	woken := func(m bus.Message) bool {
		n := f.since(0, 0)
		f.take(m)
		select {
		case <-n.changed:
			return true
		default:
			return false
		}
	}
	if woken(bus.Message{Type: "node.beat"}) {
		t.Error("a beat of a node wakes the streams")
	}
	if _, heard := f.end(); heard != 0 {
		t.Error("a beat of a node is kept")
	}
	if !woken(bus.Message{Type: "signal.seen", Body: []byte("{}")}) || !woken(bus.Message{Type: "anything", Sequence: 1, Body: []byte("{}")}) {
		t.Error("a signal or an event wakes nobody")
	}
}

// A feed accepts the next event, skips those it has, and refuses one after a gap, even of
// one event.
func TestFeedRefusesEventsAfterGap(t *testing.T) {
	t.Parallel()
	f := &feed{carries: func(string) bool { return true }, changed: make(chan struct{})}
	for _, step := range []struct {
		sequence int64
		follows  bool
		last     int64
	}{{1, true, 1}, {3, false, 1}, {4, false, 1}, {2, true, 2}, {2, true, 2}, {1, true, 2}, {3, true, 3}} {
		if got := f.take(bus.Message{Type: "event", Sequence: step.sequence, Body: []byte("{}")}); got != step.follows {
			t.Errorf("event %d follows: %v", step.sequence, got)
		}
		if last, _ := f.end(); last != step.last || len(f.ring) != int(step.last) {
			t.Errorf("after event %d the feed is at %d with %d events", step.sequence, last, len(f.ring))
		}
	}
}

// A hint from another node is not an event: the feed reads the event from the database.
func TestFeedReadsHintedEventFromDatabase(t *testing.T) {
	t.Parallel()
	f := &feed{carries: func(string) bool { return true }, changed: make(chan struct{})}
	if f.take(bus.Message{Sequence: 1}) || f.last != 0 {
		t.Errorf("a hint was taken for the event: the feed is at %d", f.last)
	}
	f.take(bus.Message{Sequence: 1, Type: "event", Body: []byte("{}")})
	if !f.take(bus.Message{Sequence: 1}) {
		t.Error("what the feed has is read again")
	}
}

// A feed knows which events it has dropped: a stream at its oldest end gets all that
// follow, one before it reads the database. This holds after many events, and after large
// ones.
func TestOldestEndOfFeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, events, kept int }{
		"many":  {1, 2*feedEvents + 1, feedEvents},
		"large": {feedBytes / 4, 9, 4},
		"few":   {1, 2 * feedEvents, 2 * feedEvents},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &feed{carries: func(string) bool { return true }, changed: make(chan struct{})}
			body := make([]byte, c.size)
			for n := range c.events {
				f.take(bus.Message{Type: "event", Sequence: int64(n + 1), Body: body})
			}
			if f.bytes != len(f.ring)*c.size || len(f.ring) != c.kept {
				t.Fatalf("%d events of %d bytes are kept as %d", len(f.ring), c.size, f.bytes)
			}
			oldest := int64(c.events - c.kept) // the sequence before the oldest
			if n := f.since(oldest, 0); n.behind || len(n.events) != c.kept || n.events[0].sequence != oldest+1 {
				t.Errorf("at the old end: behind %v, %d events", n.behind, len(n.events))
			}
			if n := f.since(int64(c.events)-1, 0); n.behind || len(n.events) != 1 || n.events[0].sequence != int64(c.events) {
				t.Errorf("at the new end: behind %v, %d events", n.behind, len(n.events))
			}
			if n := f.since(int64(c.events), 0); n.behind || len(n.events) != 0 {
				t.Errorf("after the new end: behind %v, %d events", n.behind, len(n.events))
			}
			if oldest == 0 {
				return
			}
			if n := f.since(oldest-1, 0); !n.behind || len(n.events) != 0 {
				t.Errorf("before the old end: behind %v, %d events", n.behind, len(n.events))
			}
		})
	}
}

// A feed that fills a gap starts again if its events do not connect: after more events than
// it holds, and after history was cleaned up.
func TestFeedRestartsIfEventsDoNotConnect(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "demo")
		emit := func(n int) {
			t.Helper()
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
				for range n {
					if _, err := event.Emit(tx, event.Change{Type: "event", Object: map[string]string{"id": "x"}}); err != nil {
						return err
					}
				}
				return nil
			})
			for n := 1; n > 0 && err == nil; {
				n, err = (&event.Dispatcher{DB: d, Bus: bus.NewHub()}).Step(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f := &feed{tenant: d.Tenant(tenant), carries: func(string) bool { return true }, changed: make(chan struct{})}
		fill := func(last int64, ring int) {
			t.Helper()
			if err := f.fill(t.Context()); err != nil {
				t.Fatal(err)
			}
			if f.last != last || len(f.ring) != ring {
				t.Errorf("the feed is at %d with %d events, want %d with %d", f.last, len(f.ring), last, ring)
			}
			if n := f.since(last-int64(ring), 0); n.behind || len(n.events) != ring || ring > 0 && n.events[0].sequence != last-int64(ring)+1 {
				t.Errorf("the feed gives %d events, behind %v", len(n.events), n.behind)
			}
		}
		emit(3)
		fill(3, 3)
		emit(feedEvents)
		fill(feedEvents+3, feedEvents+3)
		emit(feedEvents + 1)
		fill(2*feedEvents+4, 0)
		emit(2)
		fill(2*feedEvents+6, 2)
		emit(3)
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`DELETE FROM outbox WHERE tenant_id = $1 AND sequence = $2`, tenant, 2*feedEvents+7)
		})
		if err != nil {
			t.Fatal(err)
		}
		fill(2*feedEvents+9, 2)
	})
}
