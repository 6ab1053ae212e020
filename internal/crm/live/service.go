package live

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/limit"
)

// Config is what live updates need.
type Config struct {
	*Registry
	Limits        limit.Limiter
	Agents        *agent.Service
	Conversations *conversation.Service
	// Customers is notified when somebody writes to a customer; nil if nobody is.
	Customers Customers
}

// Customers shows customers on channels that somebody is typing. The channels implement it.
type Customers interface {
	// ShowTyping returns quickly: it waits for no provider.
	ShowTyping(ctx context.Context, c conversation.Conversation) error
}

// Service is presence and typing.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// TrackConnection implements realtime.Audience.
func (s *Service) TrackConnection(ctx context.Context, who *caller.Caller) (left func()) {
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
	if news { // otherwise the other nodes already know; Step repeats it
		s.announceConnected(who.TenantID, beatLasts, mark{who.ID, chosen})
	}
	return func() {
		last, chosen := false, ""
		s.change(who.TenantID, who.ID, func(seat *seat) {
			seat.here--
			last, chosen = seat.here == 0, seat.chosen
		})
		if last {
			s.announceConnected(who.TenantID, reload, mark{who.ID, chosen})
		}
	}
}

// SetPresence sets the caller's presence while they are connected, and counts as a sign of life from
// callers without a stream.
func (s *Service) SetPresence(ctx context.Context, chosen string) (Presence, error) {
	who := caller.From(ctx)
	a, err := s.Agents.Change(ctx, who.ID, agent.Update{Presence: &chosen})
	if err != nil {
		return Presence{}, err
	}
	s.announceConnected(who.TenantID, word, mark{who.ID, chosen})
	return s.of(who.TenantID, a), nil
}

// List returns the presence of the active agents.
func (s *Service) List(ctx context.Context, p db.Page) (db.List[Presence], error) {
	list, err := s.Agents.Agents(ctx, agent.Active, p)
	tenant := caller.From(ctx).TenantID
	rows := each.Map(list.Rows, func(a agent.Agent) Presence { return s.of(tenant, a) })
	return db.List[Presence]{Rows: rows, Next: list.Next}, err
}

func (s *Service) of(tenant uuid.UUID, a agent.Agent) Presence {
	connected := s.IsConnected(tenant, a.ID)
	return Presence{
		AgentID: a.ID, Name: a.Name, Connected: connected,
		Presence: presence(connected, a.Chosen()), Chosen: presence(true, a.Chosen()),
	}
}

// TellRead implements inboxapi.Readers: it tells the caller's other windows and devices.
func (s *Service) TellRead(ctx context.Context, m conversation.ReadMark) {
	who := caller.From(ctx)
	s.Streams.SignalTo(who.TenantID, who.ID, ReadSignal, Read{ConversationID: m.ID, Unread: m.Unread})
}

// writing limits how often one author may signal typing.
var writing = limit.Policy{Name: "typing", Burst: 30, Window: 30 * time.Second}

// AgentTypes signals to the streams that the caller is typing in a conversation.
func (s *Service) AgentTypes(ctx context.Context, conversationID uuid.UUID, typing bool) (Typing, error) {
	return s.signalTyping(ctx, conversationID, typing, func(conversation.Conversation) (string, uuid.UUID) {
		return "agent", caller.From(ctx).ID
	})
}

// ContactTypes signals to the streams that the customer is typing, as reported by a
// channel.
func (s *Service) ContactTypes(ctx context.Context, conversationID uuid.UUID, typing bool) (Typing, error) {
	return s.signalTyping(ctx, conversationID, typing, func(c conversation.Conversation) (string, uuid.UUID) {
		return "contact", c.ContactID
	})
}

// BotTypes implements assistant.Typing: it signals to the streams and the customer that the
// assistant is answering.
func (s *Service) BotTypes(ctx context.Context, c conversation.Conversation) {
	s.Streams.Signal(caller.From(ctx).TenantID, TypingSignal, Typing{
		ConversationID: c.ID, AuthorKind: conversation.ByBot, Typing: true, ExpiresAt: clock.At(s.now().Add(typingLasts)),
	})
	s.showCustomer(ctx, c)
}

// shown limits how often a customer is shown that somebody is typing; the providers show it
// for five seconds or more.
var shown = limit.Policy{Name: "typing-shown", Burst: 1, Window: 4 * time.Second}

// showCustomer shows the customer of a conversation that somebody is typing. A failure is
// only logged.
func (s *Service) showCustomer(ctx context.Context, c conversation.Conversation) {
	if s.Customers == nil || caller.From(ctx).Test || !s.Limits.Take(ctx, shown, limit.OfText(c.ID.String())).Allowed {
		return
	}
	if err := s.Customers.ShowTyping(ctx, c); err != nil {
		s.Log.WarnContext(ctx, "the typing indicator could not be sent to a customer", "conversation", c.ID, "error", err)
	}
}

func (s *Service) signalTyping(ctx context.Context, id uuid.UUID, typing bool, author func(conversation.Conversation) (string, uuid.UUID)) (Typing, error) {
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
	if typing && kind == conversation.ByAgent {
		s.showCustomer(ctx, c)
	}
	return out, nil
}
