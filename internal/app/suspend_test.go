package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
)

// Nobody can access a suspended workspace by any operation of the document, with a session,
// a key or an id that opens something. The other workspace and the person's own account
// still work, and a resumed workspace continues where it was.
func TestSuspendedWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("mine"), s.Workspace("other")
		key := w.FullKey()
		var got atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
		t.Cleanup(receiver.Close)
		var hook struct {
			ID        string `json:"id"`
			KeylessID string `json:"keyless_id"`
		}
		w.Owner.Post("/api/erp/v1/webhooks", map[string]any{"address": receiver.URL, "events": []string{"dlp.exception.created"}}).Want(201).Data(&hook)
		s.Client("").Get("/api/erp/v1/webhooks/" + hook.KeylessID + "/events").Want(200)
		w.Owner.Post("/api/mail/v1/dlp/exceptions", map[string]any{"email": "a@example.com"}).Want(201)

		leaving := w.SignIn("owner@mine.example")
		setSuspended(t, s, "mine", true)
		everyOperationRefuses(t, s, w.Owner, key)
		nobody := s.Client("")
		nobody.Get("/api/erp/v1/webhooks/"+hook.KeylessID+"/events").Refused(403, "workspace_suspended")
		signIn := map[string]any{"email": "owner@mine.example", "password": apptest.Password}
		nobody.Post("/api/v1/auth/sign-in", signIn).Refused(403, "workspace_suspended")
		signIn["password"] = "wrong"
		nobody.Post("/api/v1/auth/sign-in", signIn).Refused(422, "wrong_credentials")
		w.Owner.Get("/api/v1/auth/me").Want(200)
		leaving.Post("/api/v1/auth/sign-out", nil).Want(200)
		leaving.Get("/api/v1/auth/me").Refused(401, "unauthenticated")
		other.Owner.Get("/api/v1/auth/audit").Want(200)
		s.Settle()
		if n := got.Load(); n != 0 {
			t.Errorf("%d webhooks of a suspended workspace were sent", n)
		}

		setSuspended(t, s, "mine", false)
		s.Settle()
		if n := got.Load(); n != 1 {
			t.Errorf("%d webhooks were sent after it was resumed, not 1", n)
		}
		key.Get("/api/commerce/public/v1/orders").Want(200)
		var log []struct{ Action string }
		w.Owner.Get("/api/v1/auth/audit").Want(200).Data(&log)
		if len(log) < 3 || log[0].Action != "workspace.resumed_by_operator" || log[1].Action != "session.closed" || log[2].Action != "workspace.suspended_by_operator" {
			t.Errorf("the audit log has %+v", log)
		}
	})
}

func setSuspended(t *testing.T, s *apptest.Server, slug string, suspended bool) {
	t.Helper()
	if got, err := s.SetSuspended(t.Context(), slug, suspended); err != nil || (got.SuspendedAt != nil) != suspended {
		t.Fatalf("%+v, %v", got, err)
	}
}

// everyOperationRefuses calls each operation with the credential that it requires.
func everyOperationRefuses(t *testing.T, s *apptest.Server, session, key *apptest.Client) {
	t.Helper()
	b, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	doc, refused := readDocument(t, b), 0
	w := &isolation{t: t, s: s, doc: doc}
	for _, op := range doc.operations {
		if op.Access == "public" || op.Permission == "" && strings.HasPrefix(op.path, "/api/v1/auth/") {
			continue
		}
		c := session
		if op.Access == "api_key" {
			c = key
		}
		c.Do(op.method, w.path(op, func(string) string { return uuid.NewString() }), nil).Refused(403, "workspace_suspended")
		refused++
	}
	if refused < 100 {
		t.Errorf("only %d operations were called", refused)
	}
}

// A person leaves a suspended workspace for another of theirs, and cannot return; without a
// workspace named they sign in to one that works.
func TestPersonLeavesSuspendedWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("mine"), s.Workspace("other")
		if _, err := s.Identity.GrantRole(t.Context(), other.ID, "owner@mine.example", identity.RoleAgent); err != nil {
			t.Fatal(err)
		}
		setSuspended(t, s, "mine", true)
		var in identity.SignedIn
		w.Owner.Post("/api/v1/auth/app/switch-workspace", map[string]any{"workspace_id": other.ID}).Want(200).Data(&in)
		there := s.Client(in.Token)
		there.Get("/api/crm/v1/conversations").Want(200)
		there.Post("/api/v1/auth/app/switch-workspace", map[string]any{"workspace_id": w.ID}).Refused(403, "workspace_suspended")
		var signed struct{ Workspace identity.Workspace }
		s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@mine.example", "password": apptest.Password}).Want(200).Data(&signed)
		if signed.Workspace.Slug != "other" {
			t.Errorf("signed in to %q", signed.Workspace.Slug)
		}
		// With a passkey or a new password they are found by their id.
		byID, err := db.Read(t.Context(), s.DB.System("test"), func(r *db.Reader) (identity.Account, error) {
			a, err := identity.FindAccountByEmail(r, "owner@mine.example", "")
			if err != nil {
				return a, err
			}
			return identity.FindAccountByUser(r, a.User.ID, "")
		})
		if err != nil || byID.Workspace.Slug != "other" {
			t.Errorf("found in %q, %v", byID.Workspace.Slug, err)
		}
	})
}

// Another node refuses too: at once if it is notified, and otherwise within a second.
func TestOtherNodesRefuseSuspendedWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("mine")
		n := s.Node()
		setSuspended(t, s, "mine", true)
		n.Client(w.Owner.Token()).Get("/api/crm/v1/conversations").Refused(403, "workspace_suspended")
	})
}
