package conversation_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/inboxapi"
	"konak/internal/crm/reply"
	"konak/internal/identity"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
)

const (
	base   = "/api/crm/v1/conversations"
	public = "/api/crm/public/v1/conversations"
)

// inbox is a workspace with a customer.
type inbox struct {
	*apptest.Workspace
	t        *testing.T
	s        *apptest.Server
	customer contact.Contact
	seen     int
}

func open(t *testing.T, s *apptest.Server) *inbox {
	t.Helper()
	w := s.Workspace("demo")
	in := &inbox{Workspace: w, t: t, s: s}
	w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "emails": []string{"elif@example.com"}}).Want(201).Data(&in.customer)
	in.events()
	return in
}

// events returns what was announced since the last call.
func (in *inbox) events() []string {
	in.t.Helper()
	all := in.Events()
	fresh := all[in.seen:]
	in.seen = len(all)
	return fresh
}

// begin creates a conversation on the API channel, which needs no route.
func (in *inbox) begin() uuid.UUID {
	in.t.Helper()
	c, err := in.s.Conversations.Create(in.Context(), conversation.NewConversation{
		ContactID: in.customer.ID, Channel: conversation.API, Subject: "Teslimat", Body: "Siparişim ne zaman gelir?",
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return c.ID
}

func (in *inbox) get(id uuid.UUID) conversation.Conversation {
	in.t.Helper()
	var c conversation.Conversation
	in.Owner.Get(base + "/" + id.String()).Want(200).Data(&c)
	return c
}

// member signs a second agent in.
func (in *inbox) member(name string) (*apptest.Client, uuid.UUID) {
	in.t.Helper()
	return in.memberAs(name, identity.RoleOwner)
}

// put brings a conversation into a state.
func (in *inbox) put(id uuid.UUID, state conversation.State) {
	in.t.Helper()
	body := map[string]any{"state": state, "ids": []uuid.UUID{id}}
	if state == conversation.Snoozed {
		body["until"] = in.s.Clock.Now().Add(time.Hour)
	}
	in.Owner.Post(base+"/state", body).Want(200)
	in.events()
}

func (in *inbox) items(id uuid.UUID) []conversation.Item {
	in.t.Helper()
	var list []conversation.Item
	in.Owner.Get(base + "/" + id.String() + "/items?limit=100").Want(200).Data(&list)
	return list
}

// audited reports whether the audit log has a line on a record.
func (in *inbox) audited(action, object string) (found bool) {
	in.t.Helper()
	err := in.s.DB.Tenant(in.ID).Read(in.t.Context(), func(r *db.Reader) error {
		list, err := audit.List(r, audit.Filter{Action: action}, db.Page{Limit: 100, After: db.First})
		for _, l := range list.Rows {
			found = found || l.Object == object
		}
		return err
	})
	if err != nil {
		in.t.Fatal(err)
	}
	return found
}

// An ordinary new conversation is open and announced once; a blocked customer's is closed.
func TestNewConversationIsOpenAndAnnounced(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		if diff := cmp.Diff([]string{conversation.Created}, in.events()); diff != "" {
			t.Error(diff)
		}
		c := in.get(id)
		if c.State != conversation.Open || c.WaitingSince == nil || c.FirstReplyAt != nil || c.Preview == "" || !c.IsRequest {
			t.Errorf("got %+v", c)
		}
		in.Owner.Post("/api/crm/v1/contacts/"+in.customer.ID.String()+"/block", nil).Want(200)
		in.events()
		blocked := in.get(in.begin())
		if blocked.State != conversation.Closed || blocked.WaitingSince != nil {
			t.Errorf("got %+v", blocked)
		}
		if diff := cmp.Diff([]string{conversation.Created}, in.events()); diff != "" {
			t.Error(diff)
		}
	})
}

// Fifty concurrent first messages of one stranger on one account create one contact and one
// conversation, and none is lost.
func TestFirstMessageRace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		account := uuid.New()
		var wg sync.WaitGroup
		var mu sync.Mutex
		ids := map[uuid.UUID]int{}
		for i := range 50 {
			wg.Go(func() {
				got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
					Channel: "whatsapp", Body: fmt.Sprintf("Merhaba %d", i), ProviderMessageID: fmt.Sprintf("wamid.%d", i),
					From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: "905321234567", Name: "Ayşe", Phone: "+905321234567"},
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				ids[got.Conversation.ID]++
			})
		}
		wg.Wait()
		if len(ids) != 1 {
			t.Fatalf("%d conversations", len(ids))
		}
		for id := range ids {
			list := in.items(id)
			if len(list) != 50 {
				t.Errorf("%d items", len(list))
			}
			for i := 1; i < len(list); i++ {
				if !list[i].CreatedAt.Before(list[i-1].CreatedAt.Time) {
					t.Error("two items share a place in the timeline")
				}
			}
		}
		events := in.events()
		if n := count(events, conversation.Created); n != 1 {
			t.Errorf("created was announced %d times", n)
		}
		if n := count(events, conversation.Replied); n != 49 {
			t.Errorf("replied was announced %d times", n)
		}
		if n := count(events, contact.Created); n != 1 {
			t.Errorf("%d contacts", n)
		}
		// A provider may send a message twice.
		again, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
			Channel: "whatsapp", Body: "Merhaba 7", ProviderMessageID: "wamid.7",
			From: contact.Sender{Channel: "whatsapp", AccountID: account, ExternalID: "905321234567"},
		})
		if err != nil || !again.Duplicate || len(in.events()) != 0 {
			t.Errorf("a repeat: %+v, %v", again, err)
		}
	})
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// Agents who join and leave concurrently leave exactly one owner, or none if nobody is
// left.
func TestJoinLeaveRace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		type agent struct {
			c  *apptest.Client
			id uuid.UUID
		}
		crew := []agent{{in.Owner, in.Member}}
		for _, name := range []string{"can", "deniz", "ece"} {
			c, m := in.member(name)
			crew = append(crew, agent{c, m})
		}
		var wg sync.WaitGroup
		for i, a := range crew {
			wg.Go(func() {
				for range 5 {
					a.c.Post(path+"/join", nil).Want(200)
					if i%2 == 0 {
						a.c.Post(path+"/leave", nil).Want(200)
					}
				}
			})
		}
		wg.Wait()
		var people conversation.People
		in.Owner.Get(path + "/participants").Want(200).Data(&people)
		owners := 0
		for _, a := range people.Agents {
			if a.Owner {
				owners++
			}
		}
		if len(people.Agents) != 2 || owners != 1 {
			t.Errorf("%d agents, %d owners", len(people.Agents), owners)
		}
		for _, a := range crew {
			a.c.Post(path+"/leave", nil).Want(200)
		}
		if c := in.get(id); c.OwnerID != nil {
			t.Errorf("nobody is left and %v owns it", c.OwnerID)
		}
	})
}

// Ownership passes to the remaining agent who joined first.
func TestOwnership(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		can, canID := in.member("can")
		deniz, _ := in.member("deniz")
		in.events()
		var list []conversation.Agent
		in.Owner.Post(path+"/join", nil).Want(200).Data(&list)
		if len(list) != 1 || !list[0].Owner || list[0].Name != "Owner of demo" {
			t.Errorf("got %+v", list)
		}
		s.Clock.Advance(time.Second)
		can.Post(path+"/join", nil).Want(200)
		s.Clock.Advance(time.Second)
		deniz.Post(path+"/join", nil).Want(200).Data(&list)
		if len(list) != 3 || !list[0].Owner || list[1].Owner || list[2].Owner {
			t.Errorf("joining an owned conversation changed its owner: %+v", list)
		}
		if diff := cmp.Diff([]string{conversation.Assigned}, in.events()); diff != "" { // by the first
			t.Error(diff)
		}
		in.Owner.Post(path+"/leave", nil).Want(200)
		if c := in.get(id); c.OwnerID == nil || *c.OwnerID != canID {
			t.Errorf("the owner is %v, not the oldest who is left", c.OwnerID)
		}
		if diff := cmp.Diff([]string{conversation.Assigned}, in.events()); diff != "" {
			t.Error(diff)
		}
		in.Owner.Post(path+"/leave", nil).Want(200)
		if n := len(in.events()); n != 0 {
			t.Errorf("leaving twice announced %d events", n)
		}
		// The assistant holds it: an agent who joins takes over.
		other := in.begin()
		if _, err := s.Conversations.Change(in.Context(), other, s.Conversations.ToSetAI(conversation.AIActive)); err != nil {
			t.Fatal(err)
		}
		can.Post(base+"/"+other.String()+"/join", nil).Want(200)
		if c := in.get(other); c.AIState != conversation.AIHandedOver || *c.OwnerID != canID {
			t.Errorf("got %+v", c)
		}
		in.Owner.Post(path+"/assign", map[string]any{"owner_id": uuid.New()}).Refused(422, "validation_failed")
		in.Owner.Post(path+"/assign", map[string]any{"owner_id": nil}).Want(200)
		if c := in.get(id); c.OwnerID != nil {
			t.Errorf("the owner is %v", c.OwnerID)
		}
	})
}

func TestUnreadBadge(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var mark conversation.ReadMark
		var ids []uuid.UUID
		for range 2 {
			id := in.begin()
			in.Owner.Post(base+"/"+id.String()+"/join", nil).Want(200)
			in.Owner.Post(base+"/"+id.String()+"/reply-as-customer", map[string]any{"body": "Orada mısınız?"}).Want(200)
			in.Owner.Post(base+"/"+id.String()+"/reply-as-customer", map[string]any{"body": "?"}).Want(200)
			ids = append(ids, id)
		}
		if c := in.get(ids[0]); c.Unread != 2 {
			t.Errorf("unread is %d", c.Unread)
		}
		var rows []conversation.Conversation
		in.Owner.Get(base + "?unread=true").Want(200).Data(&rows)
		if len(rows) != 2 {
			t.Errorf("%d unread rows", len(rows))
		}
		in.Owner.Post(base+"/"+ids[0].String()+"/read", nil).Want(200).Data(&mark)
		if mark.Badge != 1 || mark.Unread != 0 {
			t.Errorf("got %+v", mark)
		}
		in.Owner.Post(base+"/"+ids[0].String()+"/unread", nil).Want(200).Data(&mark)
		if mark.Badge != 2 || mark.Unread != 1 {
			t.Errorf("got %+v", mark)
		}
		in.Owner.Post(base+"/"+ids[1].String()+"/reply-as-agent", map[string]any{"body": "Buradayız"}).Want(200)
		in.Owner.Delete(base + "/" + ids[0].String()).Want(200)
		var counts conversation.Counts
		in.Owner.Get(base + "/counts").Want(200).Data(&counts)
		if counts.Unread != 0 || counts.All.Open != 1 || counts.Mine.Open != 1 || counts.Unassigned.Open != 0 {
			t.Errorf("got %+v", counts)
		}
	})
}

func TestReplies(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		var out conversation.Written
		s.Clock.Advance(time.Minute)
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "Yarın"}).Want(200).Data(&out)
		if out.Conversation.WaitingSince != nil || out.Conversation.FirstReplyAt == nil || *out.Item.Delivery != "none" || *out.Item.AuthorID != in.Member {
			t.Errorf("got %+v", out)
		}
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "  "}).Refused(422, "validation_failed")
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "x", "channel": "email"}).Refused(422, "no_route")

		// On a channel without a connected account there is no route, and nothing is
		// written.
		got, err := s.Inbound.Ingest(in.Context(), inbound.Inbound{
			Channel: "whatsapp", Body: "Merhaba", From: contact.Sender{Channel: "whatsapp", AccountID: uuid.New(), ExternalID: "1", Name: "Ali"},
		})
		if err != nil {
			t.Fatal(err)
		}
		in.events()
		wa := base + "/" + got.Conversation.ID.String()
		refused := in.Owner.Header("Accept-Language", "tr").Post(wa+"/reply-as-agent", map[string]any{"body": "Merhaba"}).Refused(422, "no_route")
		if !strings.Contains(refused.Message, "kanal") {
			t.Errorf("got %+v", refused)
		}
		in.Owner.Post(wa+"/reply-as-agent", map[string]any{"body": "İç not", "message_type": "note"}).Want(200)
		if diff := cmp.Diff([]string{conversation.Noted}, in.events()); diff != "" {
			t.Error(diff)
		}
		var ways []reply.ReplyChannel
		in.Owner.Get(wa + "/reply-channels").Want(200).Data(&ways)
		if len(ways) < 3 || ways[0].Kind != "conversation" || ways[0].Available || *ways[0].Reason != "not_connected" {
			t.Errorf("got %+v", ways)
		}
		in.Owner.Get(path + "/reply-channels").Want(200).Data(&ways)
		if !ways[0].Available {
			t.Errorf("got %+v", ways)
		}

		// Merged conversations accept nothing more.
		other := in.begin()
		in.Owner.Post(path+"/merge", map[string]any{"into_id": other}).Want(200)
		in.Owner.Post(path+"/reply-as-agent", map[string]any{"body": "x"}).Refused(409, "conflict")
		in.Owner.Post(path+"/merge", map[string]any{"into_id": id}).Refused(422, "validation_failed")
		in.Owner.Post(wa+"/merge", map[string]any{"into_id": uuid.New()}).Refused(422, "validation_failed")
		if len(in.items(id)) != 0 || len(in.items(other)) < 5 {
			t.Error("the items did not move")
		}
	})
}

func TestPublicReply(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		key := in.FullKey()
		var c conversation.Conversation
		key.Post(public, map[string]any{
			"contact": map[string]any{"external_id": "u1", "name": "Zeynep", "email": "zeynep@example.com"}, "body": "Merhaba",
		}).Want(201).Data(&c)
		path := public + "/" + c.ID.String()
		var ref inboxapi.Reference
		key.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "Buyurun"}).Want(200).Data(&ref)
		if diff := cmp.Diff(inboxapi.Reference{Type: "conversation", ID: c.ID, State: conversation.Open}, ref); diff != "" {
			t.Error(diff)
		}
		in.events()
		key.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "not", "message_type": "note"}).Want(200)
		if diff := cmp.Diff([]string{conversation.Noted}, in.events()); diff != "" {
			t.Error(diff)
		}
		key.Post(path+"/reply", map[string]any{"type": "user", "body": "Teşekkürler"}).Want(200)
		if diff := cmp.Diff([]string{conversation.Replied}, in.events()); diff != "" {
			t.Error(diff)
		}
		for _, tc := range []struct {
			body  map[string]any
			field string
		}{
			{map[string]any{"type": "admin", "body": "x"}, "admin_id"},
			{map[string]any{"type": "admin", "admin_id": uuid.New(), "body": "x"}, "admin_id"},
			{map[string]any{"type": "robot", "body": "x"}, "type"},
			{map[string]any{"type": "user", "body": ""}, "body"},
			{map[string]any{"type": "user", "body": "x", "message_type": "note"}, "message_type"},
			{map[string]any{"type": "user", "body": "x", "message_type": "shout"}, "message_type"},
			{map[string]any{"type": "user", "body": "x", "colour": "red"}, "colour"},
		} {
			if got := key.Post(path+"/reply", tc.body).Refused(422, "validation_failed"); got.Fields[tc.field] == nil {
				t.Errorf("%v: got %+v", tc.body, got.Fields)
			}
		}
		if n := len(in.events()); n != 0 {
			t.Errorf("%d events of refused replies", n)
		}
		// The permission to read does not allow writing, not even a note.
		reader := in.Key(false, "crm.conversations.view")
		reader.Get(path).Want(200)
		reader.Post(path+"/reply", map[string]any{"type": "admin", "admin_id": in.Member, "body": "x", "message_type": "note"}).Refused(403, "forbidden")
		in.Owner.Post(path+"/reply", map[string]any{"type": "user", "body": "x"}).Refused(401, "key_required")

		// The same request twice is one reply.
		idem := key.Header("Idempotency-Key", "r1")
		for range 2 {
			idem.Post(path+"/reply", map[string]any{"type": "user", "body": "Bir kez"}).Want(200)
		}
		if diff := cmp.Diff([]string{conversation.Replied}, in.events()); diff != "" {
			t.Error(diff)
		}

		key.Do("PUT", path+"/state", map[string]any{"state": "closed"}).Want(200).Data(&ref)
		if ref.State != conversation.Closed {
			t.Errorf("got %+v", ref)
		}
		key.Do("PUT", path+"/state", map[string]any{"state": "snoozed"}).Refused(422, "validation_failed")
		key.Do("PUT", path+"/state", map[string]any{"state": "snoozed", "until_reply": true}).Want(200)
		key.Post(path+"/tags", map[string]any{"add": []string{"vip", "iade"}}).Want(200).Data(&c)
		if diff := cmp.Diff([]string{"iade", "vip"}, c.Tags); diff != "" {
			t.Error(diff)
		}
		var rows []conversation.Conversation
		key.Get(public + "?tag=vip&state=snoozed").Want(200).Data(&rows)
		if len(rows) != 1 {
			t.Errorf("%d rows", len(rows))
		}
		key.Get(public+"?owner_id=me").Refused(422, "validation_failed")
		key.Post(public, map[string]any{"body": "x"}).Refused(422, "validation_failed")
		key.Post(public, map[string]any{"body": "x", "contact": map[string]any{"email": "nobody"}}).Refused(422, "validation_failed")
		key.Post(public, map[string]any{"body": "x", "contact_id": uuid.New()}).Refused(422, "validation_failed")
	})
}
