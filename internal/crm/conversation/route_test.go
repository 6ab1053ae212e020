package conversation_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/reply"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// mailRouter is a fakeRouter with a mailbox in addition to its WhatsApp account.
type mailRouter struct {
	fakeRouter
	mailbox uuid.UUID
	paused  bool
}

func (r *mailRouter) Route(tx *db.Reader, w conversation.Wish) (*conversation.Route, error) {
	if w.Channel != conversation.Mail {
		return r.fakeRouter.Route(tx, w)
	}
	if len(w.Contact.Emails) == 0 {
		return nil, nil
	}
	route := &conversation.Route{Channel: conversation.Mail, AccountID: r.mailbox, Address: w.Contact.Emails[0].Address}
	if r.paused {
		return route, fault.New(fault.ChannelUnavailable).Because("paused")
	}
	return route, nil
}

// A reply that names no channel goes over the conversation's own route, or else the default
// that reply-channels announces: from the panel, over the public API and by a macro.
func TestReplyByDefault(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &mailRouter{fakeRouter: fakeRouter{account: uuid.New()}, mailbox: uuid.New()}
		s.UseRouter(router)
		var c conversation.Conversation
		in.Owner.Post(base, map[string]any{"contact_id": in.customer.ID, "body": "Telefonda sordu"}).Want(201).Data(&c)
		path := base + "/" + c.ID.String()

		var ways []reply.ReplyChannel
		in.Owner.Get(path + "/reply-channels").Want(200).Data(&ways)
		last := ways[len(ways)-1]
		if ways[0].Available || last.Kind != "default" || !last.Available || last.ChannelAccountID == nil || *last.ChannelAccountID != router.mailbox {
			t.Fatalf("got %+v", ways)
		}
		went := func(what string) {
			t.Helper()
			if n := len(router.taken); n != 1 || router.taken[0].Route.AccountID != router.mailbox || router.taken[0].Route.Channel != "email" {
				t.Errorf("%s: taken %+v", what, router.taken)
			}
			router.taken = nil
		}
		var out conversation.Written
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "x"}).Want(200).Data(&out)
		went("panel")
		if *out.Item.Channel != "email" || *out.Item.Delivery != "queued" {
			t.Errorf("got %+v", out.Item)
		}
		key := in.Key(false, perm.All()...)
		key.Post(public+"/"+c.ID.String()+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "x"}).Want(200)
		went("public API")
		var macro struct{ ID uuid.UUID }
		in.Owner.Post("/api/crm/v1/macros", map[string]any{"name": "Yanıt", "actions": []map[string]any{{"type": "reply", "body": "x"}}}).Want(201).Data(&macro)
		in.Owner.Post(path+"/macros/"+macro.ID.String(), nil).Want(200)
		went("macro")

		// If the default refuses, so does the reply. If the customer has no address, it is
		// no_route.
		router.paused = true
		if e := in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "x"}).Refused(409, "channel_unavailable"); e.Reason != "paused" {
			t.Errorf("got %+v", e)
		}
		var stranger contact.Contact
		in.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Bilinmeyen"}).Want(201).Data(&stranger)
		in.Owner.Post(base, map[string]any{"contact_id": stranger.ID, "body": "x"}).Want(201).Data(&c)
		in.Owner.Post(base+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Refused(422, "no_route")
	})
}

// A request that a program opens stores where its answers go: by e-mail if the
// call gave an address, else nowhere.
func TestReplyRouteOfRequests(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &mailRouter{fakeRouter: fakeRouter{account: uuid.New()}, mailbox: uuid.New()}
		s.UseRouter(router)
		key := in.Key(false, perm.All()...)
		for _, test := range []struct {
			body map[string]any
			want string
			sent int
		}{
			{map[string]any{"contact": map[string]any{"email": "elif@example.com"}, "body": "x"}, "email", 1},
			{map[string]any{"contact": map[string]any{"external_id": "u-1"}, "body": "x"}, "none", 0},
			{map[string]any{"contact_id": in.customer.ID, "body": "x"}, "none", 0},
		} {
			var c conversation.Conversation
			key.Post(public, test.body).Want(201).Data(&c)
			if got := in.get(c.ID); got.ReplyRoute == nil || *got.ReplyRoute != test.want {
				t.Errorf("%v: reply route %v", test.body, got.ReplyRoute)
			}
			// reply-channels shows the actual route.
			var ways []reply.ReplyChannel
			in.Owner.Get(base + "/" + c.ID.String() + "/reply-channels").Want(200).Data(&ways)
			own, channel, address := ways[0], "api", ""
			if test.want == "email" {
				channel, address = "email", "elif@example.com"
			}
			if own.Kind != "conversation" || !own.Available || own.Channel != channel || own.Address != address || (own.ChannelAccountID != nil) != (test.want == "email") {
				t.Errorf("%v: own way %+v", test.body, own)
			}
			router.taken = nil
			in.Owner.Post(base+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Want(200)
			if len(router.taken) != test.sent {
				t.Errorf("%v: taken %+v", test.body, router.taken)
			}
		}
	})
}

// A WhatsApp conversation that is opened outside the window is not lost: it belongs to the
// account that refused, the customer's message finds it, and nothing counts as answered
// before a message was sent.
func TestConversationOpenedOutsideWindow(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		router := &fakeRouter{account: uuid.New(), refuse: fault.New(fault.WindowClosed), outcome: conversation.Delivery{Status: conversation.Sent}}
		s.UseRouter(router)
		hello := map[string]any{"contact_id": in.customer.ID, "channel": "whatsapp", "body": "Merhaba"}
		begin := func() (b begun) {
			t.Helper()
			in.Owner.Post(base+"/new-as-agent", hello).Want(201).Whole(&b)
			return b
		}
		b := begin()
		c := in.get(b.Data.ID)
		if b.Delivery != "failed" || c.ChannelAccountID == nil || *c.ChannelAccountID != router.account {
			t.Fatalf("got %+v, %+v", b, c)
		}
		if c.FirstReplyAt != nil || in.person(in.customer.ID).LastContactedAt != nil {
			t.Errorf("nothing left, but first reply %v, contacted %v", c.FirstReplyAt, in.person(in.customer.ID).LastContactedAt)
		}
		// A second attempt while the window is closed goes into the same conversation,
		// which is still unanswered.
		if again := begin(); !again.Reused || in.get(c.ID).FirstReplyAt != nil {
			t.Errorf("got %+v", again)
		}
		// When the customer writes, there is still one conversation.
		got := in.inboundFrom(router.account, "wamid.1", in.customer)
		if got.Conversation.ID != c.ID {
			t.Errorf("a second conversation began: %+v", got.Conversation)
		}
		router.refuse = nil
		s.Clock.Advance(time.Minute)
		in.Owner.Post(base+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "x"}).Want(200)
		first := in.get(c.ID).FirstReplyAt
		if first == nil || !first.Equal(s.Clock.Now()) {
			t.Errorf("first reply at %v", first)
		}
		// The first answer stays the first.
		s.Clock.Advance(time.Minute)
		in.Owner.Post(base+"/"+c.ID.String()+"/reply-as-agent", map[string]any{"body": "y"}).Want(200)
		if again := in.get(c.ID).FirstReplyAt; again == nil || !again.Equal(first.Time) {
			t.Errorf("first reply at %v, then %v", first, again)
		}
	})
}

// A conversation opened before any account was connected belongs to the first account on
// which the customer writes.
func TestOpenedWithoutAnAccount(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var b begun
		in.Owner.Post(base+"/new-as-agent", map[string]any{"contact_id": in.customer.ID, "channel": "whatsapp", "body": "Merhaba"}).Want(201).Whole(&b)
		account := uuid.New()
		got := in.inboundFrom(account, "wamid.1", in.customer)
		if c := in.get(b.Data.ID); got.Conversation.ID != c.ID || c.ChannelAccountID == nil || *c.ChannelAccountID != account {
			t.Errorf("got %+v", c)
		}
		if other := in.inboundFrom(uuid.New(), "wamid.2", in.customer); other.Conversation.ID == b.Data.ID {
			t.Error("another account has a conversation of its own")
		}
	})
}

// An account that is not the workspace's, or not on the channel named with it, is refused,
// even if the message would only be stored.
func TestUnknownAccount(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		for path, body := range map[string]map[string]any{
			"/new-as-agent":                       {"contact_id": in.customer.ID, "channel": "whatsapp", "body": "x", "channel_account_id": uuid.New()},
			"/" + id.String() + "/reply-as-agent": {"body": "x", "channel": "email", "channel_account_id": uuid.New()},
			"/" + id.String() + "/scheduled":      {"body": "x", "send_at": s.Clock.Now().Add(time.Hour), "channel": "email", "channel_account_id": uuid.New()},
		} {
			if e := in.Owner.Post(base+path, body).Refused(422, "validation_failed"); len(e.Fields["channel_account_id"]) == 0 {
				t.Errorf("%s: %+v", path, e)
			}
		}
		if e := in.Owner.Post(base+"/"+id.String()+"/reply-as-agent", map[string]any{"body": "x", "channel_account_id": uuid.New()}).Refused(422, "validation_failed"); len(e.Fields["channel"]) == 0 {
			t.Errorf("got %+v", e)
		}
	})
}

// inboundFrom receives a WhatsApp message of a known contact, found by its e-mail.
func (in *inbox) inboundFrom(account uuid.UUID, message string, who contact.Contact) inbound.Ingested {
	in.t.Helper()
	got, err := in.s.Inbound.Ingest(in.Context(), inbound.Inbound{
		Channel: "whatsapp", Body: "Merhaba", ProviderMessageID: message,
		From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: "905321112233", Name: who.Name, Email: who.Emails[0].Address},
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return got
}
