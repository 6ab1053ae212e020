package bus

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// LinkConfig is what a link needs.
type LinkConfig struct {
	DB  *db.DB // PostgreSQL
	Log *slog.Logger
	// Topics are the wake-ups that are passed on to other nodes.
	Topics []string
}

// Link is the bus of one of several nodes on one PostgreSQL. What one node publishes, and
// the topics that it wakes, reach the others by NOTIFY. A node that has not heard of
// another for a while sends nothing but heartbeats. Receivers check the database now and
// then and so find whatever is lost on the way.
type Link struct {
	*Hub
	cfg  LinkConfig
	node uuid.UUID
	wake chan struct{}

	mu     sync.Mutex
	heard  time.Time // when another node was last heard
	hello  bool      // a heartbeat is due
	notes  []note
	latest map[uuid.UUID]int64 // of tenants with too many events to send
	topics map[string]struct{}
}

const (
	channel = "konak"
	// helloEvery is how often a node sends a heartbeat, forgetAfter how long after the last
	// message the others believe that it is there.
	helloEvery  = 10 * time.Second
	forgetAfter = 35 * time.Second
	// gather is the least time between two rounds of sending.
	gather = 5 * time.Millisecond
	// maxNotes bounds what waits to be sent. Beyond it only the newest sequence of each
	// tenant is sent.
	maxNotes = 1000
	// maxBytes is the number of bytes of notes that fit in a packet besides its other
	// fields.
	maxBytes = db.NotifyLimit - 500
)

// note is a message on its way to another node.
type note struct {
	Tenant   uuid.UUID `json:"tenant"`
	Sequence int64     `json:"sequence,omitempty"`
	Type     string    `json:"type,omitempty"`
	Body     string    `json:"body,omitempty"`
}

// packet is one notification.
type packet struct {
	Node   uuid.UUID         `json:"node"`
	Hello  bool              `json:"hello,omitempty"`
	Topics []string          `json:"topics,omitempty"`
	Notes  []json.RawMessage `json:"notes,omitempty"`
}

// NewLink creates the link of a node. Until Run is called it behaves like a Hub.
func NewLink(c LinkConfig) *Link {
	l := &Link{
		Hub: NewHub(), cfg: c, node: c.DB.Clock().NewCapability(), wake: make(chan struct{}, 1),
		latest: map[uuid.UUID]int64{}, topics: map[string]struct{}{},
	}
	c.DB.OnWake(l.queueTopic)
	return l
}

// Publish implements Bus.
func (l *Link) Publish(tenant uuid.UUID, m Message) {
	l.Hub.Publish(tenant, m)
	l.change(func() {
		if len(l.notes) < maxNotes {
			l.notes = append(l.notes, note{tenant, m.Sequence, m.Type, string(m.Body)})
		} else if m.Sequence > 0 {
			l.latest[tenant] = m.Sequence
		}
	})
}

func (l *Link) queueTopic(topic string) {
	if slices.Contains(l.cfg.Topics, topic) {
		l.change(func() { l.topics[topic] = struct{}{} })
	}
}

// change runs fn, which adds to what is to be sent, if another node is there.
func (l *Link) change(fn func()) {
	l.mu.Lock()
	if l.cfg.DB.Clock().Now().Sub(l.heard) > forgetAfter {
		l.mu.Unlock()
		return
	}
	fn()
	l.mu.Unlock()
	l.signal()
}

func (l *Link) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run sends and receives until ctx ends.
func (l *Link) Run(ctx context.Context) {
	var hearing sync.WaitGroup
	hearing.Go(func() { l.listen(ctx) })
	defer hearing.Wait()
	every := time.NewTicker(helloEvery)
	defer every.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			l.sayHello()
		case <-l.wake:
		}
		if packets := l.take(); len(packets) > 0 {
			if err := l.cfg.DB.Notify(ctx, channel, packets); err != nil && ctx.Err() == nil {
				l.cfg.Log.Warn("other nodes could not be notified; they poll the database within a second", "error", err)
			}
		}
		rest.Reset(gather)
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
		}
	}
}

// listen receives until ctx ends, and reconnects a second after a connection was lost.
func (l *Link) listen(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if err := l.cfg.DB.Hear(ctx, channel, l.sayHello, l.receive); ctx.Err() == nil {
			l.cfg.Log.Warn("cannot receive from other nodes; their changes are read from the database within a second", "error", err)
		}
		again.Reset(time.Second)
	}
}

// sayHello makes the next round send a heartbeat.
func (l *Link) sayHello() {
	l.mu.Lock()
	l.hello = true
	l.mu.Unlock()
	l.signal()
}

// take removes what is to be sent and returns it as notifications.
func (l *Link) take() []string {
	l.mu.Lock()
	notes, first := l.notes, packet{Node: l.node, Hello: l.hello}
	for tenant, sequence := range l.latest {
		notes = append(notes, note{Tenant: tenant, Sequence: sequence})
	}
	for topic := range l.topics {
		first.Topics = append(first.Topics, topic)
	}
	l.notes, l.hello = nil, false
	clear(l.latest)
	clear(l.topics)
	l.mu.Unlock()
	if len(notes) == 0 && !first.Hello && len(first.Topics) == 0 {
		return nil
	}
	var out []string
	p, size := first, 0
	for _, n := range notes {
		b := n.encode()
		if b == nil {
			continue
		}
		if size+len(b) > maxBytes {
			out = append(out, string(encode(p)))
			p, size = packet{Node: l.node}, 0
		}
		p.Notes = append(p.Notes, b)
		size += len(b) + 1
	}
	return append(out, string(encode(p)))
}

// encode returns a note as JSON. An event that is too large is encoded without its body;
// for any other note that is too large it returns nil.
func (n note) encode() json.RawMessage {
	b := encode(n)
	if len(b) <= maxBytes {
		return b
	}
	if n.Sequence == 0 {
		return nil
	}
	return encode(note{Tenant: n.Tenant, Sequence: n.Sequence})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types
	}
	return b
}

// receive handles a packet from another node.
func (l *Link) receive(payload string) {
	var p packet
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		l.cfg.Log.Warn("a message from another node cannot be read", "error", err)
		return
	}
	if p.Node == l.node {
		return
	}
	now := l.cfg.DB.Clock().Now()
	l.mu.Lock()
	// A node that has just started learns at once that it is not alone.
	if now.Sub(l.heard) > forgetAfter {
		l.hello = true
		defer l.signal()
	}
	l.heard = now
	l.mu.Unlock()
	for _, topic := range p.Topics {
		l.cfg.DB.WakeHere(topic)
	}
	for _, raw := range p.Notes {
		var n note
		if err := json.Unmarshal(raw, &n); err != nil {
			l.cfg.Log.Warn("a message from another node cannot be read", "error", err)
			continue
		}
		m := Message{Sequence: n.Sequence, Type: n.Type}
		if n.Body != "" {
			m.Body = []byte(n.Body)
		}
		l.Hub.Publish(n.Tenant, m)
	}
}
