package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
)

// A workspace is deleted with all its rows and files once it is suspended and its name is
// given. The other workspace stays the same, row for row, and so do people who are in both.
func TestDeleteWorkspace(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("mine"), s.Workspace("other")
		w.Sample(canary)
		other.Sample("other")
		if _, err := s.Identity.GrantRole(t.Context(), w.ID, "owner@other.example", identity.RoleAgent); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		before := dbtest.Dump(t, s.DB, other.ID)

		for _, refused := range []struct{ slug, confirm, says string }{
			{"nobody", "nobody", `there is no workspace "nobody"`},
			{"mine", "other", `--confirm must be the name of the workspace, "mine"`},
			{"mine", "mine", `suspend the workspace "mine" first`},
		} {
			if _, err := s.DeleteWorkspace(t.Context(), refused.slug, refused.confirm); err == nil || !strings.Contains(err.Error(), refused.says) {
				t.Errorf("%+v: %v", refused, err)
			}
		}
		if err := s.DB.System("delete workspace").InTx(t.Context(), func(tx *db.Tx) error {
			return s.Identity.FinishDelete(tx, identity.WorkspaceSummary{Workspace: identity.Workspace{ID: w.ID}}, map[string]any{})
		}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a deletion that was not begun is finished: %v", err)
		}
		setSuspended(t, s, "mine", true)
		if err := s.Identity.BeginDelete(t.Context(), w.ID); err != nil { // as if a process had died after it
			t.Fatal(err)
		}
		if left, err := s.SetSuspended(t.Context(), "mine", false); err != nil || left.SuspendedAt == nil || !left.Deleting {
			t.Errorf("a workspace that is being deleted was resumed: %+v, %v", left, err)
		}
		got, err := s.DeleteWorkspace(t.Context(), "mine", "mine")
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows < 50 || len(got.Tables) < 20 || got.Files < 1 || got.People < 1 {
			t.Errorf("deleted %+v", got)
		}
		for line := range strings.Lines(dbtest.Dump(t, s.DB, w.ID)) {
			if strings.Contains(line, " ") {
				t.Errorf("a row is left: %s", line)
			}
		}
		if diff := cmp.Diff(before, dbtest.Dump(t, s.DB, other.ID)); diff != "" {
			t.Errorf("the other workspace changed:\n%s", diff)
		}
		w.Owner.Get("/api/v1/auth/me").Refused(401, "unauthenticated")
		s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": "owner@mine.example", "password": apptest.Password}).Refused(422, "wrong_credentials")
		other.Owner.Get("/api/v1/auth/me").Want(200)
		log, err := db.Read(t.Context(), s.DB.System("test"), func(r *db.Reader) (db.List[audit.Line], error) {
			return audit.List(r, audit.Filter{Action: "workspace.deleted_by_operator"}, db.Page{Limit: 10, After: db.First})
		})
		if err != nil || len(log.Rows) != 1 || log.Rows[0].Object != w.ID.String() {
			t.Errorf("the audit log of no workspace has %+v, %v", log.Rows, err)
		}
		s.Workspace("mine") // its name and its owner's address are free again
	})
}
