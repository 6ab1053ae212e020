package conversation_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// If an agent is suspended after their request was let in, the agent joins nothing, begins
// nothing and becomes the owner of nothing.
func TestSuspendedAgentJoinsNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		_, can := in.member("can")
		late := caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, ID: can, TenantID: in.ID, Perms: perm.NewSet(perm.All()...)})
		in.Owner.Post("/api/crm/v1/agents/"+can.String()+"/suspension", nil).Want(200)
		if _, err := s.Conversations.Join(late, id); !fault.Is(err, fault.NotActive) {
			t.Errorf("joining: %v", err)
		}
		if _, err := s.Replies.BeginAsAgent(late, reply.Opening{ContactID: in.customer.ID, Channel: conversation.Mail, Body: "x"}); !fault.Is(err, fault.NotActive) {
			t.Errorf("beginning: %v", err)
		}
		if _, err := s.Conversations.Assign(late, id, &can); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("taking: %v", err)
		}
		if owner := in.get(id).OwnerID; owner != nil {
			t.Errorf("the owner is %v", owner)
		}
	})
}

// If joins and a suspension happen concurrently, no suspended agent stays in a
// conversation.
func TestSuspensionRacesJoins(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		_, can := in.member("can")
		late := caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, ID: can, TenantID: in.ID, Perms: perm.NewSet(perm.All()...)})
		ids := make([]uuid.UUID, 12)
		for i := range ids {
			ids[i] = in.begin()
		}
		var wg sync.WaitGroup
		start := make(chan struct{})
		for _, id := range ids {
			wg.Go(func() {
				<-start
				if _, err := s.Conversations.Join(late, id); err != nil && !fault.Is(err, fault.NotActive) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			<-start
			in.Owner.Post("/api/crm/v1/agents/"+can.String()+"/suspension", nil).Want(200)
		})
		close(start)
		wg.Wait()
		for _, id := range ids {
			var people conversation.People
			in.Owner.Get(base + "/" + id.String() + "/participants").Want(200).Data(&people)
			if len(people.Agents) != 0 || in.get(id).OwnerID != nil {
				t.Errorf("%s is left with %+v, owner %v", id, people.Agents, in.get(id).OwnerID)
			}
		}
	})
}

// An agent who may not see conversations can neither become an owner nor answer.
func TestOwnerMustSeeConversations(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		_, guest := in.memberAs("Misafir", identity.RoleGuest)
		if e := in.Owner.Post(base+"/"+id.String()+"/assign", map[string]any{"owner_id": guest}).Refused(422, "validation_failed"); len(e.Fields["owner_id"]) == 0 {
			t.Errorf("got %+v", e)
		}
		if e := in.Owner.Post(base, map[string]any{"contact_id": in.customer.ID, "body": "x", "owner_id": guest}).Refused(422, "validation_failed"); len(e.Fields["owner_id"]) == 0 {
			t.Errorf("got %+v", e)
		}
		key := in.Key(false, perm.All()...)
		for _, kind := range []string{"comment", "note"} {
			body := map[string]any{"type": "admin", "admin_id": guest, "body": "x", "message_type": kind}
			if e := key.Post(public+"/"+id.String()+"/reply", body).Refused(422, "validation_failed"); len(e.Fields["admin_id"]) == 0 {
				t.Errorf("got %+v", e)
			}
		}
	})
}

// A merge moves only those agents who may still see conversations.
func TestMergeLeavesOutAgentsWithoutPermission(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		from, into := in.begin(), in.begin()
		role := func(may ...perm.Permission) {
			in.Owner.Put("/api/v1/auth/roles", map[string]any{"name": "writer", "title": "Yazan", "permissions": may}).Want(200)
		}
		role(perm.ConversationsView, perm.ConversationsReply)
		can, _ := in.memberAs("can", "writer")
		deniz, denizID := in.member("deniz")
		can.Post(base+"/"+from.String()+"/join", nil).Want(200)
		deniz.Post(base+"/"+from.String()+"/join", nil).Want(200)
		role(perm.ContactsView)
		in.Owner.Post(base+"/"+from.String()+"/merge", map[string]any{"into_id": into}).Want(200)
		var people conversation.People
		in.Owner.Get(base + "/" + into.String() + "/participants").Want(200).Data(&people)
		if len(people.Agents) != 1 || people.Agents[0].AgentID != denizID {
			t.Errorf("got %+v", people.Agents)
		}
	})
}
