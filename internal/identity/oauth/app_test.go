package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/identity/oauth"
	"konak/internal/kit/api"
)

const (
	callback = "https://field.example.com/callback"
	// The example of RFC 7636, appendix B.
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func addApp(w *apptest.Workspace, change map[string]any) oauth.App {
	body := map[string]any{
		"name": "Field service", "redirect_uris": []string{callback, "http://127.0.0.1/cb"},
		"scopes": []string{"webhooks.read", "contacts.read"},
	}
	maps.Copy(body, change)
	var a oauth.App
	w.Owner.Post(auth+"/apps", body).Want(201).Data(&a)
	return a
}

func request(a oauth.App, changes ...map[string]any) map[string]any {
	body := map[string]any{
		"client_id": a.ClientID, "redirect_uri": callback, "response_type": "code", "state": "af0ifjsldkj",
		"scope": "webhooks.read", "code_challenge": challenge, "code_challenge_method": "S256",
	}
	for _, c := range changes {
		maps.Copy(body, c)
	}
	return body
}

// approve returns the query of the address that the page is to open.
func approve(t *testing.T, c *apptest.Client, a oauth.App, change map[string]any) url.Values {
	t.Helper()
	body := request(a, map[string]any{"decision": "approve"})
	maps.Copy(body, change)
	var to oauth.RedirectTo
	c.Post(auth+"/app/authorize", body).Want(200).Data(&to)
	u, err := url.Parse(to.RedirectTo)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func redeem(a oauth.App, code string, change map[string]any) map[string]any {
	body := map[string]any{
		"grant_type": "authorization_code", "client_id": a.ClientID, "code": code,
		"redirect_uri": callback, "code_verifier": verifier,
	}
	maps.Copy(body, change)
	return body
}

func TestAppFlow(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		a := addApp(w, nil)

		// The page can show the requested scopes before anybody signed in.
		var page oauth.Consent
		s.Client("").Post(auth+"/app/context", request(a, nil)).Want(200).Data(&page)
		if page.SignedIn || page.User.V != nil || len(page.Workspaces) != 0 || page.App.Publisher != "demo" ||
			page.Scopes[0].EN != "Read webhooks and the event catalog" || page.State != "af0ifjsldkj" {
			t.Errorf("got %+v", page)
		}
		w.Owner.Post(auth+"/app/context", request(a, nil)).Want(200).Data(&page)
		if !page.SignedIn || page.User.V.Email != "owner@demo.example" || len(page.Workspaces) != 1 || page.Workspaces[0].Granted || !page.Workspaces[0].Current {
			t.Errorf("got %+v", page)
		}

		q := approve(t, w.Owner, a, nil)
		if q.Get("state") != "af0ifjsldkj" || q.Get("iss") != "http://localhost" || !strings.HasPrefix(q.Get("code"), "ac_") {
			t.Errorf("got %v", q)
		}
		resp := s.Client("").Post(auth+"/app/token", redeem(a, q.Get("code"), nil)).Want(200)
		if resp.Header.Get("Cache-Control") != "no-store" {
			t.Error("a token may be cached")
		}
		var token oauth.Token
		resp.Data(&token)
		if token.TokenType != "Bearer" || token.Scope != "webhooks.read" || token.ExpiresIn != 30*24*3600 ||
			token.Session.Kind != "app" || token.Session.DeviceName != "Field service" || token.Workspace.Slug != "demo" {
			t.Errorf("got %+v", token)
		}

		// The app may do what was granted, and nothing that is personal.
		app := s.Client(token.AccessToken)
		app.Get(catalog).Want(200)
		app.Get(auth + "/me").Want(200)
		app.Get(keys).Refused(403, "forbidden")
		app.Get(auth+"/grants").Refused(403, "own_session_required")
		app.Post(auth+"/app/authorize", request(a, map[string]any{"decision": "approve"})).Refused(403, "own_session_required")
		app.Host("acme.erp.localhost").Get(catalog).Refused(401, "unauthenticated")

		w.Owner.Post(auth+"/app/context", request(a, nil)).Want(200).Data(&page)
		if !page.Workspaces[0].Granted {
			t.Error("the consent is not remembered")
		}
		var grants []oauth.Grant
		w.Owner.Get(auth + "/grants").Want(200).Data(&grants)
		if len(grants) != 1 || grants[0].App.Name != "Field service" || !cmp.Equal(grants[0].Scopes, []string{"webhooks.read"}) {
			t.Errorf("got %+v", grants)
		}
		one := auth + "/grants/" + grants[0].ID.String()
		w.Guest().Delete(one).Refused(404, "not_found") // somebody else's
		other.Owner.Delete(one).Refused(404, "not_found")
		w.Owner.Delete(one).Want(200)
		app.Get(catalog).Refused(401, "unauthenticated")
		w.Owner.Delete(one).Refused(404, "not_found")
		if strings.Contains(s.Logs.String(), token.AccessToken) || strings.Contains(s.Logs.String(), q.Get("code")) {
			t.Error("a secret is in the log")
		}
	})
}

func TestAppDenied(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		q := approve(t, w.Owner, a, map[string]any{"decision": "deny"})
		if q.Get("error") != "access_denied" || q.Get("state") != "af0ifjsldkj" || q.Get("iss") == "" || q.Has("code") {
			t.Errorf("got %v", q)
		}
		s.Client("").Post(auth+"/app/authorize", request(a, map[string]any{"decision": "approve"})).Refused(401, "unauthenticated")
	})
}

// An invalid parameter is a 400, on every one of the three.
func TestAppParameters(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		for _, tc := range []struct {
			code   string
			change map[string]any
		}{
			{"invalid_client", map[string]any{"client_id": "app_nobody"}},
			{"invalid_redirect_uri", map[string]any{"redirect_uri": callback + "/"}},
			{"invalid_redirect_uri", map[string]any{"redirect_uri": "http://127.0.0.1:1234/other"}},
			{"unsupported_response_type", map[string]any{"response_type": "token"}},
			{"invalid_parameter", map[string]any{"code_challenge_method": "plain"}},
			{"invalid_parameter", map[string]any{"code_challenge": "short"}},
			{"invalid_parameter", map[string]any{"nonce": "unknown"}},
			{"invalid_parameter", map[string]any{"client_id": 7}},
			{"invalid_scope", map[string]any{"scope": "conversations.write"}},
		} {
			s.Client("").Post(auth+"/app/context", request(a, tc.change)).Refused(400, tc.code)
			w.Owner.Post(auth+"/app/authorize", request(a, tc.change, map[string]any{"decision": "approve"})).Refused(400, tc.code)
		}
		body := request(a, nil)
		delete(body, "code_challenge")
		s.Client("").Post(auth+"/app/context", body).Refused(400, "invalid_parameter")
		w.Owner.Post(auth+"/app/authorize", request(a, map[string]any{"decision": "perhaps"})).Refused(400, "invalid_parameter")
		// Another person's workspace looks like one that does not exist.
		other := s.Workspace("acme")
		for _, id := range []string{other.ID.String(), uuid.NewString()} {
			w.Owner.Post(auth+"/app/authorize", request(a, map[string]any{"decision": "approve", "workspace_id": id})).Refused(422, "validation_failed")
		}
		s.Client("ses_forged").Post(auth+"/app/context", request(a, nil)).Refused(401, "unauthenticated")
		// The port of a loopback address may be any free one.
		s.Client("").Post(auth+"/app/context", request(a, map[string]any{"redirect_uri": "http://127.0.0.1:51234/cb"})).Want(200)
		s.Client("").Post(auth+"/app/token", `{`).Refused(400, "bad_request")
		s.Client("").Post(auth+"/app/token", map[string]any{}).Refused(400, "invalid_parameter")
	})
}

func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a, b := addApp(w, nil), addApp(w, map[string]any{"name": "Another"})
		nobody := s.Client("")
		code := approve(t, w.Owner, a, nil).Get("code")
		sum := sha256.Sum256([]byte(strings.Repeat("x", 42)))
		for name, change := range map[string]map[string]any{
			"another app":      {"client_id": b.ClientID},
			"another address":  {"redirect_uri": "http://127.0.0.1/cb"},
			"another verifier": {"code_verifier": strings.Repeat("x", 43)},
			"short verifier":   {"code_verifier": strings.Repeat("x", 42)},
			"the challenge":    {"code_verifier": challenge},
			"made-up code":     {"code": "ac_" + base64.RawURLEncoding.EncodeToString(sum[:])},
		} {
			if nobody.Post(auth+"/app/token", redeem(a, code, change)).Status != 400 {
				t.Error(name)
			}
		}
		nobody.Post(auth+"/app/token", redeem(a, code, map[string]any{"grant_type": "password"})).Refused(400, "unsupported_grant_type")
		// None of that used up the code.
		nobody.Post(auth+"/app/token", redeem(a, code, nil)).Want(200)

		// Sixty seconds, exactly as in the platform document.
		last := approve(t, w.Owner, a, nil).Get("code")
		s.Clock.Advance(60*time.Second - time.Microsecond)
		nobody.Post(auth+"/app/token", redeem(a, last, nil)).Want(200)
		late := approve(t, w.Owner, a, nil).Get("code")
		s.Clock.Advance(60 * time.Second)
		nobody.Post(auth+"/app/token", redeem(a, late, nil)).Refused(400, "invalid_grant")

		taken := approve(t, w.Owner, a, nil).Get("code")
		w.Owner.Delete(auth + "/apps/" + a.ID.String()).Want(200)
		nobody.Post(auth+"/app/token", redeem(a, taken, nil)).Refused(400, "invalid_grant")
		nobody.Post(auth+"/app/context", request(a, nil)).Refused(400, "invalid_client")
	})
}

// A code that is used twice gives one session, which the second use ends: the first user
// may have been the thief.
func TestCodeUsedTwice(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		code := approve(t, w.Owner, a, nil).Get("code")
		answers := make([]*apptest.Response, 8)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = s.Client("").Post(auth+"/app/token", redeem(a, code, nil)) })
		}
		wg.Wait()
		var token oauth.Token
		opened := 0
		for _, r := range answers {
			if r.Status == 200 {
				opened++
				r.Data(&token)
			} else {
				r.Refused(400, "invalid_grant")
			}
		}
		if opened != 1 {
			t.Fatalf("%d sessions were opened", opened)
		}
		s.Client(token.AccessToken).Get(catalog).Refused(401, "unauthenticated")
	})
}

func TestApps(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		a := addApp(w, nil)
		one := auth + "/apps/" + a.ID.String()
		var got oauth.App
		w.Owner.Get(one).Want(200).Data(&got)
		if got.ClientID != a.ClientID || !cmp.Equal(got.Scopes, []string{"contacts.read", "webhooks.read"}) || *got.CreatedBy != w.Member {
			t.Errorf("got %+v", got)
		}
		var list []oauth.App
		w.Owner.Get(auth + "/apps").Want(200).Data(&list)
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
		for _, uri := range []string{"http://field.example.com/cb", "https://x.example/#part", "javascript:alert(1)", "field", "https://me@x.example/", "https://*.evil.example/", "https://a,b.example/"} {
			w.Owner.Do("PATCH", one, map[string]any{"redirect_uris": []string{uri}}).Refused(422, "validation_failed")
		}
		w.Owner.Do("PATCH", one, map[string]any{"scopes": []string{"everything"}}).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", one, map[string]any{"name": " "}).Refused(422, "validation_failed")

		// An app belongs to its own workspace until it is made public.
		public := request(a, map[string]any{"decision": "approve"})
		other.Owner.Post(auth+"/app/authorize", public).Refused(422, "validation_failed")
		w.Owner.Do("PATCH", one, map[string]any{"public": true, "redirect_uris": []string{callback, "com.example.field:/callback"}}).Want(200).Data(&got)
		if !got.Public || len(got.RedirectURIs) != 2 {
			t.Errorf("got %+v", got)
		}
		code := approve(t, other.Owner, a, nil).Get("code")
		var token oauth.Token
		s.Client("").Post(auth+"/app/token", redeem(a, code, nil)).Want(200).Data(&token)
		app := s.Client(token.AccessToken)
		app.Host("acme.erp.localhost").Get(catalog).Want(200)
		var grants []oauth.Grant
		other.Owner.Get(auth + "/grants").Want(200).Data(&grants)
		if len(grants) != 1 || grants[0].App.Publisher != "demo" {
			t.Errorf("got %+v", grants)
		}

		// The app follows its person only to workspaces where they granted it as much as
		// here.
		var second identity.OwnWorkspace
		other.Owner.Post(auth+"/workspaces", map[string]any{"name": "Two", "slug": "two"}).Want(201).Data(&second)
		there := map[string]any{"workspace_id": second.Workspace.ID}
		app.Post(auth+"/app/switch-workspace", there).Refused(404, "not_found")
		approve(t, other.Owner, a, map[string]any{"workspace_id": second.Workspace.ID, "scope": "contacts.read"})
		app.Post(auth+"/app/switch-workspace", there).Refused(404, "not_found")
		approve(t, other.Owner, a, map[string]any{"workspace_id": second.Workspace.ID})
		var moved identity.SignedIn
		app.Post(auth+"/app/switch-workspace", there).Want(200).Data(&moved)
		app = s.Client(moved.Token)
		app.Host("two.erp.localhost").Get(catalog).Want(200)
		app.Get(keys).Refused(403, "forbidden")

		s.Clock.Advance(api.StepUpAge + time.Second)
		w.Owner.Get(one).Want(200)
		w.Owner.Do("PATCH", one, map[string]any{"public": false}).Refused(403, "step_up_required")
		w.Owner.Delete(one).Refused(403, "step_up_required")
		w.Owner.Post(auth+"/apps", map[string]any{"name": "x", "redirect_uris": []string{callback}, "scopes": []string{"contacts.read"}}).Refused(403, "step_up_required")
		w.SignIn("owner@demo.example").Delete(one).Want(200)
		app.Get(catalog).Refused(401, "unauthenticated") // everywhere
		other.Owner.Get(auth + "/grants").Want(200).Data(&grants)
		if len(grants) != 0 {
			t.Errorf("got %+v", grants)
		}
	})
}

// The page and the list of consents say whether a token opens only the MCP server.
func TestConsentNamesTheResource(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		const tools = "http://localhost/mcp"
		is := func(got *string, want string) {
			t.Helper()
			if (got == nil) != (want == "") || got != nil && *got != want {
				t.Errorf("got %v, want %q", got, want)
			}
		}
		granted := func(want string) {
			t.Helper()
			var grants []oauth.Grant
			if w.Owner.Get(auth + "/grants").Want(200).Data(&grants); len(grants) != 1 {
				t.Fatalf("got %+v", grants)
			}
			is(grants[0].Resource, want)
		}
		for _, asked := range []string{"", tools} {
			var page oauth.Consent
			s.Client("").Post(auth+"/app/context", request(a, map[string]any{"resource": asked})).Want(200).Data(&page)
			is(page.Resource, asked)
		}
		token := func(resource string) (out oauth.Token) {
			code := approve(t, w.Owner, a, map[string]any{"resource": resource}).Get("code")
			s.Client("").Post(auth+"/app/token", redeem(a, code, nil)).Want(200).Data(&out)
			return out
		}
		token(tools)
		granted(tools)
		whole := token("")
		granted("")
		v := url.Values{"token": {whole.AccessToken}, "client_id": {a.ClientID}}
		s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").Post("/oauth/revoke", v.Encode()).Want(200)
		granted(tools)
	})
}
