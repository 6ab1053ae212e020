package app_test

import (
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/signin"
	"konak/internal/kit/fault"
)

// A workspace that the operator created is opened with the password that was shown.
func TestOperatorCreatesWorkspace(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.SignUp = "off" }, func(t *testing.T, s *apptest.Server) {
		owner := app.NewOwner{Name: "Ayşe", Email: "ayse@firma.example", Language: "en"}
		w, password, err := s.CreateWorkspace(t.Context(), "Firma", owner)
		if err != nil {
			t.Fatal(err)
		}
		var in signin.SignInAnswer
		s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": owner.Email, "password": password.Reveal()}).Want(200).Data(&in)
		var log []struct{ Action string }
		s.Client(in.Token).Get("/api/v1/auth/audit?action=workspace.created").Want(200).Data(&log)
		if len(log) != 1 || w.Slug != "firma" {
			t.Errorf("%+v, %+v", w, log)
		}
		// A person who has an account gets a further workspace, and keeps their name and
		// password.
		again, none, err := s.CreateWorkspace(t.Context(), "Firma\x1b[2J\nzwei", app.NewOwner{Name: "Eve", Email: "AYSE@firma.example"})
		if err != nil || none.Reveal() != "" || again.Name != "Firma [2J zwei" {
			t.Fatalf("%+v, a password: %t, %v", again, none.Reveal() != "", err)
		}
		s.Client("").Post("/api/v1/auth/sign-in", map[string]any{"email": owner.Email, "password": password.Reveal()}).Want(200)
		var moved signin.SignInAnswer
		s.Client(in.Token).Post("/api/v1/auth/app/switch-workspace", map[string]any{"workspace_id": again.ID}).Want(200).Data(&moved)
		s.Client(moved.Token).Get("/api/v1/auth/audit?action=workspace.created").Want(200).Data(&log)
		people, err := s.Identity.People(t.Context(), again.Slug)
		if err != nil || len(people) != 1 || people[0].Name != "Ayşe" || people[0].Role != "owner" || len(log) != 1 {
			t.Errorf("%+v, %+v, %v", people, log, err)
		}
		for field, refused := range map[string]struct{ workspace, owner, email string }{
			"workspace_name": {strings.Repeat("x", 101), "Ali", "ali@firma.example"},
			"name":           {"Firma", " \n", "ali@firma.example"},
			"email":          {"Firma", "Ali", "ali"},
		} {
			_, _, err := s.CreateWorkspace(t.Context(), refused.workspace, app.NewOwner{Name: refused.owner, Email: refused.email})
			if f, ok := fault.As(err); !ok || f.Fields[field] == nil {
				t.Errorf("%s: %v", field, err)
			}
		}
		if n, err := s.Identity.Tenants(t.Context(), false); err != nil || n != 2 {
			t.Errorf("%d workspaces, %v", n, err)
		}
	})
}
