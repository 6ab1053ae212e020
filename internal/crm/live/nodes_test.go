package live_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/live"
	"konak/internal/identity"
	"konak/internal/kit/db"
)

// startLinks connects nodes with each other until the test ends.
func startLinks(t *testing.T, nodes ...*apptest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, n := range nodes {
		wg.Go(func() { n.Link.Run(ctx) })
	}
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// Typing on one node shows in a panel on another, and an agent connected to one is present
// on the other.
func TestTypingAndPresenceCrossNodes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.Postgres)
	other := s.Node()
	startLinks(t, s, other)
	w := s.Workspace("demo")
	ayse := colleague(t, s, w, "Ayşe", identity.RoleAgent)
	path := "/api/crm/v1/conversations/" + request(t, w) + "/typing"
	seen := watch(t, other, w.Owner, "")

	// Nodes need a moment to find each other: until then signals stay on their node.
	ctx, heard := context.WithCancel(t.Context())
	var typing sync.WaitGroup
	typing.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			ayse.Post(path, object{"typing": true}).Want(200)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	seen.until(live.TypingSignal)
	heard()
	typing.Wait()

	hers := watch(t, s, ayse, "")
	var is live.Present
	seen.until(live.PresenceSignal).into(t, &is)
	if is.Presence != "online" {
		t.Errorf("on the other node she is %q", is.Presence)
	}
	if p := presences(t, other.Client(w.Owner.Token()))["Ayşe"]; p.Presence != "online" || !p.Connected {
		t.Errorf("the other node lists %+v", p)
	}
	_ = hers.conn.CloseNow()
}
