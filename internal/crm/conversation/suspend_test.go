package conversation_test

import (
	"testing"

	"konak/internal/app/apptest"
)

// Suspending an agent hands on what they own, in the same step: to the oldest
// agent who remains, or to nobody.
func TestSuspendedAgentHandsOn(t *testing.T) {
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
