package live

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
)

// Streams carry signals to those who watch.
type Streams interface {
	// Signal reaches the streams of every node, SignalHere those of this one.
	Signal(tenant uuid.UUID, name string, data any)
	SignalHere(tenant uuid.UUID, name string, data any)
}

// Config is what live updates need.
type Config struct {
	DB            *db.DB
	Log           *slog.Logger
	Bus           bus.Bus
	Streams       Streams
	Limits        limit.Limiter
	Agents        *agent.Service
	Conversations *conversation.Service
}

// Service is presence and typing.
type Service struct {
	Config
	node uuid.UUID

	mu    sync.Mutex
	seats map[uuid.UUID]map[uuid.UUID]*seat // tenant, agent
}

// beats is the bus message that nodes tell each other who is there with. It is
// in no catalog, so no stream carries it.
const beats = "presence.beat"

// New makes the service and listens to the other nodes.
func New(cfg Config) *Service {
	s := &Service{Config: cfg, node: cfg.DB.Clock().NewCapability(), seats: map[uuid.UUID]map[uuid.UUID]*seat{}}
	cfg.Bus.Watch(beats, s.hear)
	cfg.Agents.OnPresence(s.chose)
	return s
}

func (s *Service) now() time.Time { return s.DB.Clock().Now() }

// Came implements realtime.Audience.
func (s *Service) Came(ctx context.Context, who *caller.Caller) (left func()) {
	if who.Kind != caller.Agent {
		return func() {}
	}
	chosen, err := s.Agents.Chosen(caller.With(ctx, who), who.ID)
	if err != nil {
		s.Log.WarnContext(ctx, "an agent's presence could not be read", "error", err)
	}
	news := false
	s.change(who.TenantID, who.ID, func(seat *seat) {
		seat.here++
		news = seat.here == 1 || seat.chosen != chosen
	})
	if news { // the others know already of who has a stream here; Step repeats it
		s.say(who.TenantID, beatLasts, mark{who.ID, chosen})
	}
	return func() {
		last, chosen := false, ""
		s.change(who.TenantID, who.ID, func(seat *seat) {
			seat.here--
			last, chosen = seat.here == 0, seat.chosen
		})
		if last {
			s.say(who.TenantID, reload, mark{who.ID, chosen})
		}
	}
}

// chose hears what an agent chose to be, from the agents' module.
func (s *Service) chose(tenant, agentID uuid.UUID, chosen string) {
	lasts := time.Duration(0)
	s.change(tenant, agentID, func(seat *seat) {
		if until := seat.nodes[s.node]; until.After(s.now()) {
			lasts = until.Sub(s.now())
		}
	})
	s.say(tenant, lasts, mark{agentID, chosen})
}

// Be sets what the caller is while they are connected, and is a sign of life
// of those who hold no stream.
func (s *Service) Be(ctx context.Context, chosen string) (Presence, error) {
	who := caller.From(ctx)
	a, err := s.Agents.Change(ctx, who.ID, agent.Update{Presence: &chosen})
	if err != nil {
		return Presence{}, err
	}
	s.say(who.TenantID, word, mark{who.ID, chosen})
	return s.of(who.TenantID, a), nil
}

// List gives the presence of the active agents.
func (s *Service) List(ctx context.Context, p db.Page) (db.List[Presence], error) {
	list, err := s.Agents.Agents(ctx, agent.Active, p)
	out := db.List[Presence]{Rows: make([]Presence, len(list.Rows)), Next: list.Next}
	for i, a := range list.Rows {
		out.Rows[i] = s.of(caller.From(ctx).TenantID, a)
	}
	return out, err
}

func (s *Service) of(tenant uuid.UUID, a agent.Agent) Presence {
	s.mu.Lock()
	defer s.mu.Unlock()
	seat, ok := s.seats[tenant][a.ID]
	connected := ok && seat.connected(s.now())
	return Presence{
		AgentID: a.ID, Name: a.Name, Connected: connected,
		Presence: presence(connected, a.Chosen()), Chosen: presence(true, a.Chosen()),
	}
}

// say tells every node, this one too, that agents are here for a while. A
// node's word about one agent replaces what it said before.
func (s *Service) say(tenant uuid.UUID, lasts time.Duration, agents ...mark) {
	b, err := json.Marshal(beat{s.node, clock.At(s.now().Add(lasts)), agents})
	if err != nil {
		panic(err) // our own type
	}
	s.Bus.Publish(tenant, bus.Message{Type: beats, Body: b})
}

// hear takes in what a node says.
func (s *Service) hear(tenant uuid.UUID, m bus.Message) {
	var b beat
	if err := json.Unmarshal(m.Body, &b); err != nil {
		s.Log.Warn("a node says what cannot be read", "error", err)
		return
	}
	for _, a := range b.Agents {
		s.change(tenant, a.ID, func(seat *seat) {
			seat.chosen = a.Chosen
			seat.nodes[b.Node] = b.Until.Time
		})
	}
}

// change changes what is known of an agent and tells the streams of this node
// if that makes them something else.
func (s *Service) change(tenant, agentID uuid.UUID, fn func(*seat)) {
	s.mu.Lock()
	row, ok := s.seats[tenant][agentID]
	if !ok {
		row = &seat{nodes: map[uuid.UUID]time.Time{}, shown: agent.Offline}
		if s.seats[tenant] == nil {
			s.seats[tenant] = map[uuid.UUID]*seat{}
		}
		s.seats[tenant][agentID] = row
	}
	fn(row)
	shown, changed := s.settle(tenant, agentID, row)
	s.mu.Unlock()
	if changed {
		s.Streams.SignalHere(tenant, PresenceSignal, Present{agentID, shown})
	}
}

// settle brings what is shown up to date and forgets who is gone. It is called
// with the lock held.
func (s *Service) settle(tenant, agentID uuid.UUID, row *seat) (shown string, changed bool) {
	now := s.now()
	for node, until := range row.nodes {
		if !until.After(now) {
			delete(row.nodes, node)
		}
	}
	shown = presence(len(row.nodes) > 0, row.chosen)
	changed, row.shown = shown != row.shown, shown
	if len(row.nodes) == 0 && row.here == 0 {
		delete(s.seats[tenant], agentID)
		if len(s.seats[tenant]) == 0 {
			delete(s.seats, tenant)
		}
	}
	return shown, changed
}

// Step vouches for those who are here and shows who is gone, and says how many
// those are.
func (s *Service) Step(context.Context) (int, error) {
	type gone struct {
		tenant uuid.UUID
		Present
	}
	var left []gone
	here := map[uuid.UUID][]mark{}
	s.mu.Lock()
	for tenant, agents := range s.seats {
		for id, row := range agents {
			if row.here > 0 {
				here[tenant] = append(here[tenant], mark{id, row.chosen})
				continue
			}
			if shown, changed := s.settle(tenant, id, row); changed {
				left = append(left, gone{tenant, Present{id, shown}})
			}
		}
	}
	s.mu.Unlock()
	for tenant, agents := range here {
		s.say(tenant, beatLasts, agents...)
	}
	for _, g := range left {
		s.Streams.SignalHere(g.tenant, PresenceSignal, g.Present)
	}
	return len(left), nil
}

// Run steps until ctx ends.
func (s *Service) Run(ctx context.Context) {
	jobs.Loop{Name: "presence", DB: s.DB, Log: s.Log, Every: 10 * time.Second, Step: s.Step}.Run(ctx)
}

// writing is how often one author may say that they write.
var writing = limit.Policy{Name: "typing", Burst: 30, Window: 30 * time.Second}

// AgentTypes tells those who watch that the caller writes in a conversation.
func (s *Service) AgentTypes(ctx context.Context, conversationID uuid.UUID, typing bool) (Typing, error) {
	return s.types(ctx, conversationID, typing, func(conversation.Conversation) (string, uuid.UUID) {
		return "agent", caller.From(ctx).ID
	})
}

// ContactTypes tells them that the customer does, as a channel reports it.
func (s *Service) ContactTypes(ctx context.Context, conversationID uuid.UUID, typing bool) (Typing, error) {
	return s.types(ctx, conversationID, typing, func(c conversation.Conversation) (string, uuid.UUID) {
		return "contact", c.ContactID
	})
}

func (s *Service) types(ctx context.Context, id uuid.UUID, typing bool, author func(conversation.Conversation) (string, uuid.UUID)) (Typing, error) {
	who := caller.From(ctx)
	c, err := s.Conversations.Get(ctx, id)
	if err != nil {
		return Typing{}, err
	}
	kind, by := author(c)
	if r := s.Limits.Take(ctx, writing, limit.OfText(by.String()+id.String())); !r.Allowed {
		return Typing{}, api.RateLimited(r)
	}
	out := Typing{ConversationID: id, AuthorKind: kind, AuthorID: by, Typing: typing, ExpiresAt: clock.At(s.now().Add(typingLasts))}
	if !typing {
		out.ExpiresAt = clock.At(s.now())
	}
	if !who.Test {
		s.Streams.Signal(who.TenantID, TypingSignal, out)
	}
	return out, nil
}
