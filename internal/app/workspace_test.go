package app_test

import (
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/signin"
	"konak/internal/kit/fault"
)

// A workspace that the operator made is opened with the password that was shown.
func TestOperatorMakesWorkspace(t *testing.T) {
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
		if _, _, err := s.CreateWorkspace(t.Context(), "Firma", owner); !fault.Is(err, fault.AccountExists) {
			t.Errorf("the same address again: %v", err)
		}
		if n, err := s.Identity.Tenants(t.Context(), false); err != nil || n != 1 {
			t.Errorf("%d workspaces, %v", n, err)
		}
	})
}
