package live

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Streams carry signals to those who watch.
type Streams interface {
	// Signal reaches the streams of every node, SignalTo those of one caller, SignalHere
	// only those of this node.
	Signal(tenant uuid.UUID, name string, data any)
	SignalTo(tenant, to uuid.UUID, name string, data any)
	SignalHere(tenant uuid.UUID, name string, data any)
}

// RegistryConfig is what a registry needs.
type RegistryConfig struct {
	DB      *db.DB
	Log     *slog.Logger
	Bus     bus.Bus
	Streams Streams
}

// Registry knows which agents are connected to any node and which presence they chose. It
// is created before the agents' module, which reports what they choose.
type Registry struct {
	RegistryConfig
	node uuid.UUID

	mu    sync.Mutex
	seats map[uuid.UUID]map[uuid.UUID]*seat // tenant, agent
}

// beats is the type of the bus message with which nodes tell each other who is connected.
// It is in no catalog, so no stream carries it.
const beats = "presence.beat"

// beatAgents is the number of agents that one beat names, so that it fits into a message
// that the database carries between nodes.
const beatAgents = 50

// NewRegistry returns an empty registry and starts to listen to the other nodes.
func NewRegistry(c RegistryConfig) *Registry {
	r := &Registry{RegistryConfig: c, node: c.DB.Clock().NewCapability(), seats: map[uuid.UUID]map[uuid.UUID]*seat{}}
	c.Bus.Watch(beats, r.receive)
	return r
}

func (r *Registry) now() time.Time { return r.DB.Clock().Now() }

// PresenceChosen implements agent.PresenceListener.
func (r *Registry) PresenceChosen(tenant, agentID uuid.UUID, chosen string) {
	lasts := time.Duration(0)
	r.change(tenant, agentID, func(seat *seat) {
		if until := seat.nodes[r.node]; until.After(r.now()) {
			lasts = until.Sub(r.now())
		}
	})
	r.announceConnected(tenant, lasts, mark{agentID, chosen})
}

// IsConnected reports whether an agent has a panel open on any node, or left it a moment
// ago.
func (r *Registry) IsConnected(tenant, agentID uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	seat, ok := r.seats[tenant][agentID]
	return ok && seat.connected(r.now())
}

// announceConnected tells every node, including this one, that agents are connected here for a while. It
// replaces what this node said about them before.
func (r *Registry) announceConnected(tenant uuid.UUID, lasts time.Duration, agents ...mark) {
	for some := range slices.Chunk(agents, beatAgents) {
		b, err := json.Marshal(beat{r.node, clock.At(r.now().Add(lasts)), some})
		if err != nil {
			panic(err) // our own type
		}
		r.Bus.Publish(tenant, bus.Message{Type: beats, Body: b})
	}
}

// receive processes a beat of a node.
func (r *Registry) receive(tenant uuid.UUID, m bus.Message) {
	var b beat
	if err := json.Unmarshal(m.Body, &b); err != nil {
		r.Log.Warn("a message from another node cannot be read", "error", err)
		return
	}
	for _, a := range b.Agents {
		r.change(tenant, a.ID, func(seat *seat) {
			seat.chosen = a.Chosen
			seat.nodes[b.Node] = b.Until.Time
		})
	}
}

// change changes what is known of an agent and tells the streams of this node if that
// changes their presence.
func (r *Registry) change(tenant, agentID uuid.UUID, fn func(*seat)) {
	r.mu.Lock()
	row, ok := r.seats[tenant][agentID]
	if !ok {
		row = &seat{nodes: map[uuid.UUID]time.Time{}, shown: agent.Offline}
		if r.seats[tenant] == nil {
			r.seats[tenant] = map[uuid.UUID]*seat{}
		}
		r.seats[tenant][agentID] = row
	}
	fn(row)
	shown, changed := r.refreshShown(tenant, agentID, row)
	r.mu.Unlock()
	if changed {
		r.Streams.SignalHere(tenant, PresenceSignal, Present{agentID, shown})
	}
}

// refreshShown updates the shown presence and removes agents who have left. The caller must
// hold the lock.
func (r *Registry) refreshShown(tenant, agentID uuid.UUID, row *seat) (shown string, changed bool) {
	now := r.now()
	for node, until := range row.nodes {
		if !until.After(now) {
			delete(row.nodes, node)
		}
	}
	shown = presence(len(row.nodes) > 0, row.chosen)
	changed, row.shown = shown != row.shown, shown
	if len(row.nodes) == 0 && row.here == 0 {
		delete(r.seats[tenant], agentID)
		if len(r.seats[tenant]) == 0 {
			delete(r.seats, tenant)
		}
	}
	return shown, changed
}

// Step repeats the beats for the agents connected here, signals those who have left, and
// returns the number of the latter.
func (r *Registry) Step(context.Context) (int, error) {
	type gone struct {
		tenant uuid.UUID
		Present
	}
	var left []gone
	here := map[uuid.UUID][]mark{}
	r.mu.Lock()
	for tenant, agents := range r.seats {
		for id, row := range agents {
			if row.here > 0 {
				here[tenant] = append(here[tenant], mark{id, row.chosen})
				continue
			}
			if shown, changed := r.refreshShown(tenant, id, row); changed {
				left = append(left, gone{tenant, Present{id, shown}})
			}
		}
	}
	r.mu.Unlock()
	for tenant, agents := range here {
		r.announceConnected(tenant, beatLasts, agents...)
	}
	for _, g := range left {
		r.Streams.SignalHere(g.tenant, PresenceSignal, g.Present)
	}
	return len(left), nil
}

// Run runs Step until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	jobs.Loop{Name: "presence", DB: r.DB, Log: r.Log, Every: 10 * time.Second, Step: r.Step}.Run(ctx)
}
