package conversation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

// A customer's answer to a conversation that stays closed begins another one, but still
// counts as an answer to the closed one: it cancels messages that should only go if the
// customer stays silent, it counts as a sign of life, and the agents who had joined are
// notified.
func TestReplyToConversationThatStaysClosed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		old := in.begin()
		path := base + "/" + old.String()
		in.Owner.Post(path+"/join", nil).Want(200)
		in.later(old, 60, map[string]any{"until_reply": true})
		in.Owner.Do("PUT", base+"/settings", map[string]any{"reopen": false, "reopen_days": nil}).Want(200)
		in.put(old, conversation.Closed)
		in.Owner.Post(path+"/read", nil).Want(200)
		s.Clock.Advance(time.Minute)

		var out conversation.Written
		in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "Ben de onu soracaktım"}).Want(200).Data(&out)
		next := in.get(out.Conversation.ID)
		if next.ID == old || *next.PreviousConversationID != old {
			t.Fatalf("got %+v", next)
		}
		if next.Unread != 1 {
			t.Errorf("the owner of the closed conversation was not told: unread %d", next.Unread)
		}
		var who contact.Contact
		in.Owner.Get("/api/crm/v1/contacts/" + in.customer.ID.String()).Want(200).Data(&who)
		if who.LastRepliedAt == nil || !who.LastRepliedAt.Equal(s.Clock.Now()) {
			t.Errorf("last replied at %v", who.LastRepliedAt)
		}
		if list := in.scheduled(old, ""); len(list) != 1 || list[0].State != "cancelled" {
			t.Errorf("got %+v", list)
		}
		if diff := cmp.Diff([]string{conversation.Created, conversation.ScheduleChanged}, in.events()); diff != "" {
			t.Error(diff)
		}
		s.Clock.Advance(2 * time.Hour)
		s.Settle()
		if c := in.get(old); c.State != conversation.Closed {
			t.Errorf("the cancelled message went out and reopened it: %s", c.State)
		}
	})
}

// A reopened conversation stays with its owner, unless they may no longer see
// conversations.
func TestReopenedConversationKeepsOwner(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		can, canID := in.memberAs("can", identity.RoleAgent)
		can.Post(path+"/join", nil).Want(200)
		for _, role := range []string{identity.RoleAgent, identity.RoleGuest} {
			in.put(id, conversation.Closed)
			in.Owner.Put("/api/crm/v1/agents/"+canID.String(), map[string]any{"role": role}).Want(200)
			in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "Yine ben"}).Want(200)
			c := in.get(id)
			if kept := c.OwnerID != nil && *c.OwnerID == canID; c.State != conversation.Open || kept != (role == identity.RoleAgent) {
				t.Errorf("%s: %s, owner %v", role, c.State, c.OwnerID)
			}
		}
	})
}

// Messages of customers of the test environment count on nobody's badge.
func TestTestMessagesDoNotCountAsUnread(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		key := in.Key(true, perm.All()...)
		var c conversation.Conversation
		key.Post(public, map[string]any{"contact": map[string]any{"email": "deneme@example.com"}, "body": "deneme"}).Want(201).Data(&c)
		in.Owner.Post(base+"/"+c.ID.String()+"/join", nil).Want(200)
		key.Post(public+"/"+c.ID.String()+"/reply", map[string]any{"type": "user", "body": "x"}).Want(200)
		if got := in.get(c.ID); got.Unread != 0 {
			t.Errorf("unread %d", got.Unread)
		}
	})
}
