package realtime

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/bus"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// entry is one event that a feed holds. Its fields do not change.
type entry struct {
	sequence int64
	name     string
	body     []byte
	object   func() string // the record's id, found once for all streams
	to       uuid.UUID     // of a signal: its only recipient, or the zero id
}

func newEntry(sequence int64, name string, body []byte) entry {
	return entry{sequence: sequence, name: name, body: body, object: sync.OnceValue(func() string {
		var b struct {
			Data struct {
				Object struct {
					ID string `json:"id"`
				} `json:"object"`
			} `json:"data"`
		}
		if json.Unmarshal(body, &b) != nil {
			return ""
		}
		return b.Data.Object.ID
	})}
}

// A feed holds the newest events of one workspace, in order and without gaps, as long as
// somebody on this node watches it.
type feed struct {
	tenant db.Handle
	// carries reports whether any stream may carry a message of a name.
	carries func(name string) bool
	watch   int // streams, counted under Streams.mu
	stop    context.CancelFunc
	primed  chan struct{} // closed once last is known, or failed
	failed  error

	mu      sync.Mutex
	ring    []entry // the events up to last
	bytes   int
	last    int64
	signals []entry // the newest ones; heard is the number of the last
	heard   int64   // number of signals so far
	changed chan struct{}
	round   *digestRound // the newest, nil before the first
}

const (
	// A feed holds this many events and bytes, and up to twice as many before it drops the
	// oldest; a stream that is further behind reads the database.
	feedEvents  = 1024
	feedBytes   = 4 << 20
	feedSignals = 128
	// lookEvery is how long an event is delayed for a stream here if another node
	// dispatched it and its message was lost.
	lookEvery = time.Second
)

// join returns the workspace's feed, which its first stream creates.
func (s *Streams) join(ctx context.Context, tenant uuid.UUID) (*feed, error) {
	s.mu.Lock()
	f, ok := s.feeds[tenant]
	if !ok {
		life, stop := context.WithCancel(context.WithoutCancel(ctx))
		f = &feed{tenant: s.DB.Tenant(tenant), carries: s.isVisible, stop: stop, primed: make(chan struct{}), changed: make(chan struct{})}
		s.feeds[tenant] = f
		go s.feed(life, tenant, f)
	}
	f.watch++
	s.mu.Unlock()
	select {
	case <-f.primed:
	case <-ctx.Done():
		s.leave(tenant, f)
		return nil, ctx.Err()
	}
	if f.failed != nil {
		s.leave(tenant, f)
		return nil, f.failed
	}
	return f, nil
}

func (s *Streams) leave(tenant uuid.UUID, f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.watch--; f.watch > 0 {
		return
	}
	f.stop()
	if s.feeds[tenant] == f {
		delete(s.feeds, tenant)
	}
}

// feed receives a workspace's events until nobody watches it any more.
func (s *Streams) feed(ctx context.Context, tenant uuid.UUID, f *feed) {
	// Subscribe before reading the database's last sequence: an event committed in between
	// arrives both ways and is recognised by its sequence.
	sub := s.Bus.Subscribe(tenant)
	f.last, f.failed = db.Read(ctx, f.tenant, event.Last)
	close(f.primed)
	if f.failed != nil {
		sub.Close()
		return
	}
	// Another node may dispatch events that are watched here, and its message may get lost:
	// on a database that nodes can share, the last sequence is checked regularly.
	var others <-chan time.Time
	if s.DB.Dialect() == db.Postgres {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		others = look.C
	}
	var again <-chan time.Time
	for {
		whole := true
		select {
		case <-ctx.Done():
			sub.Close()
			return
		case <-again:
			whole = false
		case <-others:
			whole = false
		case m, ok := <-sub.C:
			if !ok {
				sub = s.Bus.Subscribe(tenant)
				whole = false
				break
			}
			whole = f.take(m)
		}
		again = nil
		if whole {
			continue
		}
		if err := f.fill(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "a feed could not be filled", "tenant", tenant, "error", err)
			again = time.After(time.Second)
		}
	}
}

// take adds a message and reports whether it directly follows those in the feed.
func (f *feed) take(m bus.Message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case m.Sequence == 0 && !f.carries(m.Type):
		return true // messages between nodes wake no stream
	case m.Sequence == 0:
		var addressed struct {
			To uuid.UUID `json:"to"`
		}
		if json.Unmarshal(m.Body, &addressed) != nil {
			return true // its recipient is unknown
		}
		if len(f.signals) == feedSignals {
			f.signals = append(f.signals[:0:0], f.signals[1:]...)
		}
		f.signals = append(f.signals, entry{name: m.Type, body: m.Body, to: addressed.To})
		f.heard++
	case m.Sequence <= f.last:
		return true
	case m.Sequence > f.last+1 || m.IsHint():
		return false
	default:
		f.add(newEntry(m.Sequence, m.Type, m.Body))
	}
	f.notify()
	return true
}

func (f *feed) add(e entry) {
	f.ring = append(f.ring, e)
	f.bytes += len(e.body)
	f.last = e.sequence
	if len(f.ring) <= 2*feedEvents && f.bytes <= 2*feedBytes {
		return
	}
	old := 0
	for len(f.ring)-old > feedEvents || f.bytes > feedBytes && len(f.ring)-old > 1 {
		f.bytes -= len(f.ring[old].body)
		old++
	}
	// Streams may still read the old array, so it is not modified.
	f.ring = append(make([]entry, 0, 2*feedEvents), f.ring[old:]...)
}

// notify wakes the streams.
func (f *feed) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// fill reads from the database the events that the bus did not deliver. If there are more
// than a feed holds, it starts again at the end.
func (f *feed) fill(ctx context.Context) error {
	var events []event.Event
	var last int64
	err := f.tenant.Read(ctx, func(r *db.Reader) (err error) {
		if last, err = event.Last(r); err != nil || last == f.last || last-f.last > feedEvents {
			return err
		}
		events, err = event.After(r, f.last, feedEvents)
		return err
	})
	if err != nil {
		return err
	}
	if last == f.last {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if last-f.last > feedEvents {
		f.ring, f.bytes, f.last = nil, 0, last
	}
	for _, e := range events {
		if e.Sequence != f.last+1 {
			f.ring, f.bytes = nil, 0 // older events were cleaned up meanwhile
		}
		f.add(newEntry(e.Sequence, e.Type, e.Body()))
	}
	f.notify()
	return nil
}

// news is what a feed has for one stream.
type news struct {
	events  []entry
	signals []entry
	heard   int64
	behind  bool // the events are no longer in the feed
	changed <-chan struct{}
}

// since returns the events after a sequence, and the signals after a number of signals.
func (f *feed) since(after, heard int64) news {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := news{heard: f.heard, changed: f.changed}
	if missed := f.heard - heard; missed > 0 {
		n.signals = f.signals[max(0, int64(len(f.signals))-missed):]
	}
	if after >= f.last {
		return n
	}
	first := f.last - int64(len(f.ring)) // the sequence before the ring
	if after < first {
		n.behind = true
		return n
	}
	n.events = f.ring[after-first:]
	return n
}

func (f *feed) end() (last, heard int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last, f.heard
}
