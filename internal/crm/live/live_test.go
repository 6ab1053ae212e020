package live_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/live"
	"konak/internal/identity"
	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/limit"
	"konak/internal/kit/perm"
)

type object = map[string]any

// socket is a panel's open stream.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

type said struct {
	Type     string          `json:"type"`
	Sequence int64           `json:"sequence"`
	Data     json.RawMessage `json:"data"`
}

func watch(t *testing.T, s *apptest.Server, c *apptest.Client, query string) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.URL+"/api/v1/socket"+query, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Token()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	out := &socket{t, conn}
	out.until("ready")
	return out
}

// until reads messages up to the next one of a type.
func (s *socket) until(name string) said {
	s.t.Helper()
	for {
		m := s.next()
		if m.Type == name {
			return m
		}
	}
}

func (s *socket) next() (m said) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	_, b, err := s.conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

func (m said) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(m.Data, v); err != nil {
		t.Fatalf("%s: %v", m.Data, err)
	}
}

func colleague(t *testing.T, s *apptest.Server, w *apptest.Workspace, name, role string) *apptest.Client {
	t.Helper()
	email := name + "@" + w.Slug + ".example"
	if err := s.Identity.AddMember(t.Context(), w.ID, name, email, apptest.Password, role); err != nil {
		t.Fatal(err)
	}
	return w.SignIn(email)
}

// request creates a conversation.
func request(t *testing.T, w *apptest.Workspace) string {
	t.Helper()
	who := w.Owner.Post("/api/crm/v1/contacts", object{"name": "Elif Kaya"}).Want(201).ID()
	return w.Owner.Post("/api/crm/v1/conversations", object{"contact_id": who, "subject": "Teslimat", "body": "Ne zaman gelir?"}).Want(201).ID()
}

func presences(t *testing.T, c *apptest.Client) map[string]live.Presence {
	t.Helper()
	var rows []live.Presence
	c.Get("/api/crm/v1/presence").Want(200).Data(&rows)
	out := map[string]live.Presence{}
	for _, p := range rows {
		out[p.Name] = p
	}
	return out
}

func TestPresence(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		ayse := colleague(t, s, w, "Ayşe", identity.RoleAgent)
		owner := watch(t, s, w.Owner, "")
		all := presences(t, w.Owner)
		if p := all["Owner of demo"]; p.Presence != "online" || !p.Connected {
			t.Errorf("the owner is %+v", p)
		}
		if p := all["Ayşe"]; p.Presence != "offline" || p.Connected || p.Chosen != "online" {
			t.Errorf("Ayşe is %+v", p)
		}

		hers := watch(t, s, ayse, "")
		var signal live.Present
		owner.until(live.PresenceSignal).into(t, &signal)
		if signal.Presence != "online" || signal.AgentID != all["Ayşe"].AgentID {
			t.Errorf("heard %+v", signal)
		}
		var own live.Presence
		ayse.Put("/api/crm/v1/presence", object{"presence": "away_reassign"}).Want(200).Data(&own)
		if own.Presence != "away_reassign" || !own.Connected || own.Name != "Ayşe" {
			t.Errorf("got %+v", own)
		}
		owner.until(live.PresenceSignal).into(t, &signal)
		if signal.Presence != "away_reassign" {
			t.Errorf("heard %+v", signal)
		}
		// Through the agents' route, too.
		ayse.Put("/api/crm/v1/agents/"+own.AgentID.String(), object{"presence": "away"}).Want(200)
		owner.until(live.PresenceSignal).into(t, &signal)
		if signal.Presence != "away" {
			t.Errorf("heard %+v", signal)
		}

		// Reloading a page is not a departure; closing it is.
		_ = hers.conn.Close(websocket.StatusNormalClosure, "")
		for p := own; p.Connected; {
			s.Clock.Advance(11 * time.Second)
			if _, err := s.Live.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			p = presences(t, w.Owner)["Ayşe"]
		}
		owner.until(live.PresenceSignal).into(t, &signal)
		if signal.Presence != "offline" {
			t.Errorf("heard %+v", signal)
		}
		if p := presences(t, w.Owner)["Owner of demo"]; p.Presence != "online" {
			t.Errorf("the owner, whose stream is open, is %+v", p)
		}

		// Without a stream, setting the presence counts for a while.
		ayse.Put("/api/crm/v1/presence", object{"presence": "online"}).Want(200)
		if p := presences(t, w.Owner)["Ayşe"]; p.Presence != "online" {
			t.Errorf("Ayşe is %+v", p)
		}
		s.Clock.Advance(2 * time.Minute)
		if p := presences(t, w.Owner)["Ayşe"]; p.Presence != "offline" || p.Chosen != "online" {
			t.Errorf("Ayşe is %+v", p)
		}

		ayse.Put("/api/crm/v1/presence", object{"presence": "asleep"}).Refused(422, "validation_failed")
		first := w.Owner.Get("/api/crm/v1/presence").Want(200)
		w.Owner.Header("If-None-Match", first.Header.Get("ETag")).Get("/api/crm/v1/presence").Want(304)
	})
}

// newNode creates the live updates of another node.
func newNode(s *apptest.Server, hub *bus.Hub, heard *signals) *live.Service {
	return live.New(live.Config{
		Registry: live.NewRegistry(live.RegistryConfig{DB: s.DB, Log: apptest.Logger(s.Logs), Bus: hub, Streams: heard}),
		Limits:   limit.NewMemory(s.Clock, 1), Agents: s.Agents, Conversations: s.Conversations,
	})
}

// Nodes tell each other who is connected to them; a node that dies is forgotten.
func TestPresenceAcrossNodes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		hub := bus.NewHub()
		var atOne, atTwo signals
		one, two := newNode(s, hub, &atOne), newNode(s, hub, &atTwo)
		ctx := w.Context()
		who := caller.From(ctx)
		left := one.TrackConnection(ctx, who)
		if got := atTwo.take(); len(got) != 1 || got[0] != "online" {
			t.Errorf("the other node heard %v", got)
		}
		step := func(nodes ...*live.Service) {
			t.Helper()
			for _, n := range nodes {
				if _, err := n.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 6 {
			s.Clock.Advance(20 * time.Second)
			step(one, two)
		}
		if got := atTwo.take(); len(got) != 0 {
			t.Errorf("nothing changed, and the other node heard %v", got)
		}
		// Connected to both nodes, then to the second only.
		leftTwo := two.TrackConnection(ctx, who)
		left()
		s.Clock.Advance(30 * time.Second)
		step(one, two)
		if got := append(atOne.take(), atTwo.take()...); len(got) != 1 { // the first node's own, at the start
			t.Errorf("heard %v", got)
		}
		// The second node dies: it sends no more beats.
		s.Clock.Advance(time.Minute)
		step(one)
		if got := atOne.take(); len(got) != 1 || got[0] != "offline" {
			t.Errorf("heard %v", got)
		}
		leftTwo()
	})
}

// signals records what a node's streams were sent.
type signals struct {
	mu   sync.Mutex
	list []string
}

// Signal implements live.Streams.
func (s *signals) Signal(uuid.UUID, string, any) {}

// SignalTo implements live.Streams.
func (s *signals) SignalTo(uuid.UUID, uuid.UUID, string, any) {}

// SignalHere implements live.Streams.
func (s *signals) SignalHere(_ uuid.UUID, _ string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, data.(live.Present).Presence)
}

func (s *signals) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.list
	s.list = nil
	return out
}

func TestTyping(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id := request(t, w)
		path := "/api/crm/v1/conversations/" + id + "/typing"
		ayse := colleague(t, s, w, "Ayşe", identity.RoleAgent)
		seen := watch(t, s, w.Owner, "")
		ayse.Post(path, object{"typing": true}).Want(200)
		var got live.Typing
		seen.until(live.TypingSignal).into(t, &got)
		if got.ConversationID.String() != id || got.AuthorKind != "agent" || !got.Typing || got.ExpiresAt.Sub(s.Clock.Now()) != 6*time.Second {
			t.Errorf("heard %+v", got)
		}
		public := "/api/crm/public/v1/conversations/" + id + "/typing"
		w.Key(true, perm.ConversationsReply, perm.ConversationsView).Post(public, object{"typing": true}).Refused(404, "not_found") // a test key sees nothing live
		w.FullKey().Post(public, object{"typing": false}).Want(200)
		seen.until(live.TypingSignal).into(t, &got)
		if got.AuthorKind != "contact" || got.Typing {
			t.Errorf("heard %+v", got)
		}
		ayse.Post(path, object{}).Refused(422, "validation_failed")
		ayse.Post("/api/crm/v1/conversations/"+uuid.NewString()+"/typing", object{"typing": true}).Refused(404, "not_found")
	})
}

// What an agent reads on one device is read on their others, and nobody else gets the
// signal.
func TestReadOnOtherDevice(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		id := request(t, w)
		path := "/api/crm/v1/conversations/" + id
		ayse := colleague(t, s, w, "Ayşe", identity.RoleAgent)
		device, other, owner := watch(t, s, ayse, ""), watch(t, s, ayse, ""), watch(t, s, w.Owner, "")
		ayse.Post(path+"/unread", nil).Want(200)
		ayse.Post(path+"/read", nil).Want(200)
		for _, d := range []*socket{device, other} {
			for _, unread := range []int{1, 0} {
				var got live.Read
				d.until(live.ReadSignal).into(t, &got)
				if got.ConversationID.String() != id || got.Unread != unread {
					t.Errorf("heard %+v", got)
				}
			}
		}
		ayse.Post(path+"/typing", object{"typing": true}).Want(200)
		for {
			m := owner.next()
			if m.Type == live.ReadSignal {
				t.Error("somebody else heard of it")
			}
			if m.Type == live.TypingSignal {
				return
			}
		}
	})
}

func TestTypingIsLimited(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(c *app.Config) { c.LimitFactor = 1 })
	w := s.Workspace("demo")
	path := "/api/crm/v1/conversations/" + request(t, w) + "/typing"
	for range 30 {
		w.Owner.Post(path, object{"typing": true}).Want(200)
	}
	resp := w.Owner.Post(path, object{"typing": true})
	resp.Refused(429, "rate_limited")
	if resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.Clock.Advance(30 * time.Second)
	w.Owner.Post(path, object{"typing": true}).Want(200)
}

// A client that polls the counts gets 304 while they are unchanged.
func TestCountsHaveETag(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		const path = "/api/crm/v1/conversations/counts"
		has := w.Owner.Header("If-None-Match", w.Owner.Get(path).Want(200).Header.Get("ETag"))
		has.Get(path).Want(304)
		request(t, w)
		has.Get(path).Want(200)
	})
}

// The delivery of a queued message is announced on the stream, so that no panel has to
// poll.
func TestDeliveryArrivesLive(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		who := w.Owner.Post("/api/crm/v1/contacts", object{"name": "Elif Kaya"}).Want(201).ID()
		id := w.FullKey().Post("/api/crm/public/v1/conversations", object{"contact_id": who, "subject": "Teslimat", "body": "Ne zaman gelir?"}).Want(201).ID()
		var answer conversation.Written
		w.Owner.Post("/api/crm/v1/conversations/"+id+"/reply-as-agent", object{"body": "Yarın"}).Want(200).Data(&answer)
		s.Settle()
		seen := watch(t, s, w.Owner, "")
		if err := s.Inbound.RecordOutcome(w.Context(), answer.Item.ID, conversation.Delivery{Status: conversation.Sent}); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		var got struct {
			Object conversation.Conversation `json:"object"`
			Item   conversation.Item         `json:"item"`
		}
		seen.until(conversation.ItemChanged).into(t, &got)
		if got.Object.ID.String() != id || got.Item.ID != answer.Item.ID || got.Item.Delivery == nil || *got.Item.Delivery != conversation.Sent {
			t.Errorf("heard %+v", got)
		}
	})
}

// People who may not see conversations get no signals of them; others get the changes and
// the new counts.
func TestInboxStream(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		blind, inbox, theirs := watch(t, s, w.Guest(), ""), watch(t, s, w.Owner, "?mode=changes"), watch(t, s, other.Owner, "")
		id := request(t, w)
		s.Settle()
		type change struct {
			Type     string `json:"type"`
			ObjectID string `json:"object_id"`
		}
		for made := (change{conversation.Created, id}); ; {
			var changes []change
			inbox.until("changes").into(t, &changes)
			if slices.Contains(changes, made) {
				break
			}
		}
		var counts conversation.Counts
		inbox.until("inbox.counts").into(t, &counts)
		if counts.All.Open != 1 {
			t.Errorf("counts %+v", counts)
		}
		w.Owner.Post("/api/crm/v1/conversations/"+id+"/typing", object{"typing": true}).Want(200)
		inbox.until(live.TypingSignal)

		// Both see only their own workspace, and nothing came before that.
		request(t, other)
		s.Settle()
		var body struct {
			Tenant struct {
				Slug string `json:"slug"`
			} `json:"tenant"`
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, b, err := theirs.conn.Read(ctx)
		for err == nil && json.Unmarshal(b, &body) == nil && body.Tenant.Slug == "" {
			_, b, err = theirs.conn.Read(ctx) // signals of their own presence
		}
		if err != nil || body.Tenant.Slug != "other" {
			t.Errorf("heard %s, %v", b, err)
		}
		// The guest's stream is open and silent: a draining server ends it before it sent
		// anything.
		go s.API.Drain()
		for {
			_, b, err := blind.conn.Read(ctx)
			if err != nil {
				if websocket.CloseStatus(err) != websocket.StatusGoingAway {
					t.Error(err)
				}
				break
			}
			t.Errorf("a guest heard %s", b)
		}
	})
}
