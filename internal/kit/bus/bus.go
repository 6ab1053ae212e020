// Package bus carries events to those who are watching right now. It guarantees nothing: a
// watcher that was away reads what it missed from the database, by sequence. A Hub serves
// one node; a Link joins the hubs of several nodes.
package bus

import (
	"sync"

	"github.com/google/uuid"
)

// Message is one event on its way to a stream, or with sequence 0 something that matters
// only now. An event without a body came from another node and must be read from the
// database, with those before it.
type Message struct {
	Sequence int64
	Type     string
	Body     []byte
}

// IsHint reports whether the message only announces that there is an event to read.
func (m Message) IsHint() bool { return m.Sequence > 0 && m.Body == nil }

// Bus connects publishers with the watchers of a tenant.
type Bus interface {
	Publish(tenant uuid.UUID, m Message)
	Subscribe(tenant uuid.UUID) *Subscription
	// Watch calls fn for every message of one type, of any tenant and from any node,
	// including this one. It must be quick: publishing waits for it.
	Watch(name string, fn func(tenant uuid.UUID, m Message))
}

// Subscription receives a tenant's messages until it is closed. The channel of a subscriber
// that does not keep up is closed, and the subscriber resumes from the database: publishing
// never waits.
type Subscription struct {
	C      <-chan Message
	cancel func()
}

// Close ends the subscription.
func (s *Subscription) Close() { s.cancel() }

// Hub is the in-process bus.
type Hub struct {
	mu      sync.RWMutex
	subs    map[uuid.UUID]map[chan Message]struct{}
	watches map[string][]func(uuid.UUID, Message)
}

// NewHub creates an empty hub.
func NewHub() *Hub {
	return &Hub{subs: map[uuid.UUID]map[chan Message]struct{}{}, watches: map[string][]func(uuid.UUID, Message){}}
}

const backlog = 256

// Publish implements Bus.
func (h *Hub) Publish(tenant uuid.UUID, m Message) {
	h.mu.RLock()
	var slow []chan Message
	for c := range h.subs[tenant] {
		select {
		case c <- m:
		default:
			slow = append(slow, c)
		}
	}
	watches := h.watches[m.Type]
	h.mu.RUnlock()
	for _, fn := range watches {
		fn(tenant, m)
	}
	for _, c := range slow {
		h.drop(tenant, c)
	}
}

// Subscribe implements Bus.
func (h *Hub) Subscribe(tenant uuid.UUID) *Subscription {
	c := make(chan Message, backlog)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs[tenant] == nil {
		h.subs[tenant] = map[chan Message]struct{}{}
	}
	h.subs[tenant][c] = struct{}{}
	return &Subscription{C: c, cancel: func() { h.drop(tenant, c) }}
}

// Watch implements Bus.
func (h *Hub) Watch(name string, fn func(uuid.UUID, Message)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watches[name] = append(h.watches[name], fn)
}

func (h *Hub) drop(tenant uuid.UUID, c chan Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subs[tenant][c]; !ok {
		return
	}
	delete(h.subs[tenant], c)
	if len(h.subs[tenant]) == 0 {
		delete(h.subs, tenant)
	}
	close(c)
}
