package signin_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/signin"
	"konak/internal/kit/secret"
)

// firstOwnerToken creates a link for the first owner and returns its token.
func firstOwnerToken(t *testing.T, s *apptest.Server) string {
	t.Helper()
	link, err := s.Accounts.FirstOwnerLink(t.Context(), "https://firma.example")
	if err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(link.Reveal(), "https://firma.example/first-owner#token=")
	if !ok {
		t.Fatalf("link %q", link.Reveal())
	}
	return token
}

func firstOwner(token string) object {
	return object{"token": token, "email": "ayse@firma.example", "password": strong, "name": "Ayşe", "workspace_name": "Firma"}
}

// The link of the first start opens one account, even if sign-up is closed, and no link
// works after it.
func TestFirstOwner(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.SignUp = app.SignUpClosed }, func(t *testing.T, s *apptest.Server) {
		nobody := s.Client("")
		other, token := firstOwnerToken(t, s), firstOwnerToken(t, s)
		for _, wrong := range []string{"own_nonsense", secret.NewToken(secret.OwnerPrefix), secret.NewToken(secret.VerifyPrefix)} {
			nobody.Post(auth+"/first-owner", firstOwner(wrong)).Refused(422, "link_expired")
		}
		for field, bad := range map[string]string{"email": "ayse", "password": "ayse", "name": " ", "workspace_name": " "} {
			body := firstOwner(token)
			body[field] = bad
			nobody.Post(auth+"/first-owner", body).Refused(422, "validation_failed")
		}
		var v signin.Verified
		nobody.Post(auth+"/first-owner", firstOwner(token)).Want(200).Data(&v)
		if v.Email != "ayse@firma.example" || v.Workspace.Slug != "firma" {
			t.Errorf("opened %+v", v)
		}
		for _, used := range []string{token, other} {
			nobody.Post(auth+"/first-owner", firstOwner(used)).Refused(422, "link_expired")
		}
		in := signIn(s, "ayse@firma.example", strong)
		if in.Workspace == nil || in.Workspace.ID != v.Workspace.ID {
			t.Errorf("signed in %+v", in)
		}
		if link, err := s.Accounts.FirstOwnerLink(t.Context(), s.URL); err != nil || link.Reveal() != "" {
			t.Errorf("a link beside a workspace: %v", err)
		}
		if strings.Contains(s.Logs.String(), "own_") {
			t.Error("a token is in the log")
		}
	})
}

func TestFirstOwnerLinkExpires(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		nobody := s.Client("")
		old := firstOwnerToken(t, s)
		s.Clock.Advance(time.Hour)
		nobody.Post(auth+"/first-owner", firstOwner(old)).Refused(422, "link_expired")
		token := firstOwnerToken(t, s)
		s.Workspace("demo")
		nobody.Post(auth+"/first-owner", firstOwner(token)).Refused(422, "link_expired")
	})
}

// Of several people with a link each, one becomes the first owner.
func TestFirstOwnerOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		const people = 4
		var opened, refused sync.Map
		var wg sync.WaitGroup
		var tokens []string // all of them before the first is used
		for range people {
			tokens = append(tokens, firstOwnerToken(t, s))
		}
		for i, token := range tokens {
			body := firstOwner(token)
			body["email"] = string(rune('a'+i)) + "@firma.example"
			wg.Go(func() {
				_, err := s.Accounts.OpenFirstAccount(t.Context(), signin.FirstOwnerRequest{
					Token: body["token"].(string), Email: body["email"].(string), Password: strong, Name: "A", WorkspaceName: "Firma", Language: "tr",
				})
				if err == nil {
					opened.Store(i, true)
				} else {
					refused.Store(i, err)
				}
			})
		}
		wg.Wait()
		if n, err := s.Identity.Tenants(t.Context(), false); err != nil || n != 1 {
			t.Errorf("%d workspaces (%v)", n, err)
		}
		refused.Range(func(_, err any) bool {
			if !strings.Contains(err.(error).Error(), "link_expired") {
				t.Errorf("refused with %v", err)
			}
			return true
		})
	})
}
