package identity_test

import (
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/fault"
)

// An operator gives a role to a person who has an account. A member gets another role; an
// invited person becomes a member at once and their invitation ends. A suspended member
// stays suspended: an owner of the workspace did that, and only an owner can undo it.
func TestGrantRole(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		grant := func(email, role string) (identity.Member, error) {
			return s.Identity.GrantRole(t.Context(), w.ID, email, role)
		}
		wants := func(state, role string) {
			t.Helper()
			if n := count(t, s, `SELECT count(*) FROM membership WHERE tenant_id = $1`, w.ID); n != 2 {
				t.Errorf("%d memberships", n)
			}
			if n := count(t, s, `SELECT count(*) FROM membership m JOIN app_user u ON u.id = m.user_id
				WHERE m.tenant_id = $1 AND u.email = 'owner@acme.example' AND m.state = $2 AND m.role = $3`, w.ID, state, role); n != 1 {
				t.Errorf("not %s as %s", state, role)
			}
		}
		w.Owner.Post(auth+"/invitations", object{"email": "owner@acme.example", "role": "agent"}).Want(201)
		token := invitation(t, s, w, "owner@acme.example")
		if m, err := grant("Owner@acme.example", identity.RoleAdmin); err != nil || m.State != identity.StateActive || m.Role != identity.RoleAdmin {
			t.Fatalf("%+v, %v", m, err)
		}
		wants("active", "admin")
		s.Client("").Post(auth+"/invitations/accept", object{"token": token, "name": "A", "password": strong}).Refused(422, "link_expired")
		var in identity.SignedIn
		other.Owner.Post(auth+"/app/switch-workspace", object{"workspace_id": w.ID}).Want(200).Data(&in)
		s.Client(in.Token).Get("/api/crm/v1/agents").Want(200)

		if m, err := grant("owner@acme.example", identity.RoleAgent); err != nil || m.Role != identity.RoleAgent {
			t.Errorf("%+v, %v", m, err)
		}
		wants("active", "agent")
		var agents []struct{ ID, Email string }
		w.Owner.Get("/api/crm/v1/agents").Want(200).Data(&agents)
		for _, a := range agents {
			if a.Email == "owner@acme.example" {
				w.Owner.Post("/api/crm/v1/agents/"+a.ID+"/suspension", nil).Want(200)
			}
		}
		if _, err := grant("owner@acme.example", identity.RoleOwner); !fault.Is(err, fault.NotActive) {
			t.Errorf("a suspended member: %v", err)
		}
		wants("suspended", "agent")

		for email, role := range map[string]string{"nobody@example.com": identity.RoleAgent, "no address": identity.RoleAgent} {
			if _, err := grant(email, role); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s: %v", email, err)
			}
		}
		if _, err := grant("owner@demo.example", identity.RoleAgent); !fault.Is(err, fault.LastAdmin) {
			t.Errorf("the last owner: %v", err)
		}
		if _, err := grant("owner@acme.example", "no-such-role"); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("an unknown role: %v", err)
		}

		s.Workspace("third") // its owner was never a member or invited
		if m, err := grant("owner@third.example", identity.RoleAgent); err != nil || m.State != identity.StateActive || m.Role != identity.RoleAgent {
			t.Errorf("%+v, %v", m, err)
		}
		if n := count(t, s, `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = 'member.added_by_operator'`, w.ID); n != 1 {
			t.Errorf("%d lines in the audit log", n)
		}
	})
}

// Suspending or resuming a workspace that is in that state already changes nothing, and the
// audit log keeps the original time.
func TestRepeatedSuspensionChangesNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, suspended := range []bool{false, true, true, false, false} {
			if err := s.Identity.SetSuspended(t.Context(), w.ID, suspended); err != nil {
				t.Fatal(err)
			}
		}
		for _, action := range []string{"workspace.suspended_by_operator", "workspace.resumed_by_operator"} {
			if n := count(t, s, `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = $2`, w.ID, action); n != 1 {
				t.Errorf("%s: %d lines in the audit log", action, n)
			}
		}
	})
}
