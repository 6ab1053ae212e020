package live_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/coder/websocket"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// accessEnded reads a socket to its end and fails unless it ended because the watcher lost
// access.
func (s *socket) accessEnded() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	for {
		if _, _, err := s.conn.Read(ctx); err != nil {
			if code := websocket.CloseStatus(err); code != 3000 {
				s.t.Errorf("ended with %d: %v", code, err)
			}
			return
		}
	}
}

func memberID(t *testing.T, c *apptest.Client) string {
	t.Helper()
	var me identity.Me
	c.Get("/api/v1/auth/me").Want(200).Data(&me)
	return me.Membership.ID.String()
}

// A locked-out person loses their streams at once on the node where it happened; the
// regular check would come in an hour.
func TestStreamsEndAtOnceWhenAccessIsRevoked(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.StreamCheck = time.Hour }, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		suspended, signedOut := colleague(t, s, w, "ayse", identity.RoleAgent), colleague(t, s, w, "veli", identity.RoleAgent)
		one, two, owner := watch(t, s, suspended, ""), watch(t, s, signedOut, ""), watch(t, s, w.Owner, "")
		w.Owner.Post("/api/crm/v1/agents/"+memberID(t, suspended)+"/suspension", nil).Want(200)
		one.accessEnded()
		signedOut.Post("/api/v1/auth/sign-out", nil).Want(200)
		two.accessEnded()
		request(t, w)
		s.Settle()
		owner.until("conversation.created")
	})
}

// On another node each stream checks access itself, and does not trust what was read a
// second ago: with the interval between two checks that is five seconds at most.
func TestStreamsEndOnOtherNodes(t *testing.T) {
	t.Parallel()
	s := apptest.NewOn(t, db.Postgres, func(cfg *app.Config) { cfg.StreamCheck = time.Hour })
	there := s.Node()
	w := s.Workspace("demo")
	ayse, veli := colleague(t, s, w, "ayse", identity.RoleAgent), colleague(t, s, w, "veli", identity.RoleAgent)
	suspended, signedOut, owner := watch(t, there, ayse, ""), watch(t, there, veli, ""), watch(t, there, w.Owner, "")
	w.Owner.Post("/api/crm/v1/agents/"+memberID(t, ayse)+"/suspension", nil).Want(200)
	veli.Post("/api/v1/auth/sign-out", nil).Want(200)
	s.Clock.Advance(time.Second)
	there.Streams.Recheck(func([sha256.Size]byte, *caller.Caller) bool { return true })
	suspended.accessEnded()
	signedOut.accessEnded()
	request(t, w)
	there.Settle()
	owner.until("conversation.created")
}

// The regular check is frequent enough if another node revokes access: with the second for
// which a look-up is trusted, within five.
func TestStreamCheckIsFrequentEnough(t *testing.T) {
	t.Parallel()
	if got := (&app.Config{}).StreamCheckOn(db.Postgres); got <= 0 || got > 4*time.Second {
		t.Errorf("streams on PostgreSQL look every %s", got)
	}
}

// The sockets of a suspended workspace end at once on the node where it was suspended;
// others stay.
func TestSocketsOfASuspendedWorkspaceEnd(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.StreamCheck = time.Hour }, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("other")
		mine, theirs := watch(t, s, w.Owner, ""), watch(t, s, other.Owner, "")
		if _, err := s.SetSuspended(t.Context(), w.Slug, true); err != nil {
			t.Fatal(err)
		}
		mine.accessEnded()
		request(t, other)
		s.Settle()
		theirs.until("conversation.created")
	})
}
