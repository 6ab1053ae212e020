package conversation_test

import (
	"slices"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
)

// Suspending an agent passes on what they own, in the same step: to the remaining agent who
// joined first, or to nobody.
func TestSuspendedAgentPassesOnConversations(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		shared, alone := in.begin(), in.begin()
		can, canID := in.member("can")
		deniz, denizID := in.member("deniz")
		can.Post(base+"/"+shared.String()+"/join", nil).Want(200)
		deniz.Post(base+"/"+shared.String()+"/join", nil).Want(200)
		can.Post(base+"/"+alone.String()+"/join", nil).Want(200)
		if owner := in.get(shared).OwnerID; owner == nil || *owner != canID {
			t.Fatalf("owner before is %v", owner)
		}
		in.Owner.Post("/api/crm/v1/agents/"+canID.String()+"/suspension", nil).Want(200)
		if owner := in.get(shared).OwnerID; owner == nil || *owner != denizID {
			t.Errorf("the shared conversation's owner is %v, want %v", owner, denizID)
		}
		if owner := in.get(alone).OwnerID; owner != nil {
			t.Errorf("the other conversation is still owned by %v", owner)
		}
		can.Get(base).Refused(401, "unauthenticated")
	})
}

// An agent who is away with reassignment loses a conversation to the team when its customer
// writes, and not before.
func TestAwayAgentLosesConversationToTeam(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		can, canID := in.member("can")
		path := base + "/" + id.String()
		can.Post(path+"/join", nil).Want(200)
		for _, away := range []struct {
			presence string
			owned    bool
		}{{"away", true}, {"away_reassign", false}} {
			can.Put("/api/crm/v1/agents/"+canID.String(), map[string]any{"presence": away.presence}).Want(200)
			if owner := in.get(id).OwnerID; owner == nil || *owner != canID {
				t.Fatalf("%s: owner before the message is %v", away.presence, owner)
			}
			in.events()
			in.Owner.Post(path+"/reply-as-customer", map[string]any{"body": "Geldi mi?"}).Want(200)
			want := []string{conversation.Replied}
			if !away.owned {
				want = append(want, conversation.Assigned)
			}
			if got := in.events(); !slices.Equal(got, want) {
				t.Errorf("%s: events %v, want %v", away.presence, got, want)
			}
			if owner := in.get(id).OwnerID; (owner != nil) != away.owned {
				t.Errorf("%s: owner is %v", away.presence, owner)
			}
		}
		if last := in.items(id)[0]; last.Event == nil || *last.Event != "assigned" || last.Detail["reason"] != "away" {
			t.Errorf("the last item is %+v", last)
		}
	})
}
