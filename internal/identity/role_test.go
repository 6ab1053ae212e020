package identity_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

const roles = "/api/v1/auth/roles"

func roleNamed(t *testing.T, c *apptest.Client, name string) identity.Role {
	t.Helper()
	var list identity.RoleList
	c.Get(roles).Want(200).Data(&list)
	i := slices.IndexFunc(list.Roles, func(r identity.Role) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("there is no role %s", name)
	}
	return list.Roles[i]
}

func TestRoles(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		var list identity.RoleList
		w.Owner.Get(roles).Want(200).Data(&list)
		var names []string
		for _, r := range list.Roles {
			names = append(names, r.Name)
		}
		if diff := cmp.Diff([]string{"owner", "admin", "agent", "guest"}, names); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(perm.Table, list.Permissions); diff != "" {
			t.Error(diff)
		}
		if list.Roles[0].Members != 1 || len(list.Roles[0].Permissions) != len(perm.Table) {
			t.Errorf("the owner: %+v", list.Roles[0])
		}

		var made identity.Role
		w.Owner.Do("PUT", roles, map[string]any{
			"name": "support-lead", "title": " Destek lideri ",
			"permissions": []string{"crm.agents.view", "crm.contacts.view", "crm.agents.view"},
		}).Want(200).Data(&made)
		want := identity.Role{Name: "support-lead", Title: "Destek lideri", Changed: true, Permissions: []perm.Permission{"crm.contacts.view", "crm.agents.view"}}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, roleNamed(t, w.Owner, "support-lead")); diff != "" {
			t.Error(diff)
		}
		other.Owner.Delete(roles+"/support-lead").Refused(404, "not_found")
		w.Owner.Delete(roles + "/support-lead").Want(200)
		w.Owner.Delete(roles+"/support-lead").Refused(404, "not_found")
		if n := count(t, s, `SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = 'role.deleted'`, w.ID); n != 1 {
			t.Errorf("%d lines in the audit log", n)
		}
	})
}

// A change of a role affects open sessions at once.
func TestRoleChangeAppliesAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		guest := w.Guest()
		guest.Get(roles).Refused(403, "forbidden")
		w.Owner.Do("PUT", roles, map[string]any{"name": "guest", "permissions": []string{"identity.roles.view"}}).Want(200)
		guest.Get(roles).Want(200)
		if got := roleNamed(t, guest, "guest"); !got.BuiltIn || !got.Changed || got.Title != "Guest" {
			t.Errorf("got %+v", got)
		}
		w.Owner.Delete(roles + "/guest").Want(200)
		guest.Get(roles).Refused(403, "forbidden")
	})
}

func TestRoleRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		put := func(c *apptest.Client, name string, ps ...string) *apptest.Response {
			return c.Do("PUT", roles, map[string]any{"name": name, "title": "T", "permissions": ps})
		}
		put(w.Owner, "owner", "crm.conversations.view").Refused(409, "role_fixed")
		w.Owner.Delete(roles+"/owner").Refused(404, "not_found")
		put(w.Owner, "Büyük Harf", "crm.conversations.view").Refused(422, "validation_failed")
		put(w.Owner, "lead", "crm.everything").Refused(422, "validation_failed")
		w.Owner.Do("PUT", roles, map[string]any{"name": "lead", "permissions": []string{}}).Refused(422, "validation_failed")
		put(w.Owner, "lead", "identity.roles.view", "identity.roles.manage").Want(200)
		if err := s.Identity.AddMember(t.Context(), w.ID, "Lead", "lead@demo.example", apptest.Password, "lead"); err != nil {
			t.Fatal(err)
		}
		w.Owner.Delete(roles+"/lead").Refused(409, "role_in_use")

		lead := w.SignIn("lead@demo.example")
		// Nobody grants rights that they do not have, and nobody takes rights from somebody
		// who has more.
		if f := put(lead, "deputy", "crm.agents.manage").Refused(403, "forbidden"); f.Permission != "crm.agents.manage" || f.Reason != "exceeds_own_permissions" {
			t.Errorf("got %+v", f)
		}
		put(lead, "admin", "identity.roles.view").Refused(403, "forbidden")
		put(lead, "deputy", "identity.roles.view").Want(200)
		w.Guest().Get(roles).Refused(403, "forbidden")
		w.FullKey().Get(roles).Refused(401, "session_required")
	})
}
