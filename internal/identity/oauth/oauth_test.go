package oauth_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"konak/internal/app/apptest"
	"konak/internal/identity/oauth"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// consentPage does what the panel's page does: it takes the query that /oauth/authorize
// sent it and returns the app's return address.
func consentPage(t *testing.T, c *apptest.Client, query url.Values) *url.URL {
	t.Helper()
	body := map[string]any{"decision": "approve"}
	for name := range query {
		body[name] = query.Get(name)
	}
	var to oauth.RedirectTo
	c.Post(auth+"/app/authorize", body).Want(200).Data(&to)
	u, err := url.Parse(to.RedirectTo)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestOAuthGo goes through the flow with the usual Go client.
func TestOAuthGo(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		conf := &oauth2.Config{
			ClientID: a.ClientID, RedirectURL: "http://127.0.0.1:4711/cb", Scopes: []string{"webhooks.read", "contacts.read"},
			Endpoint: oauth2.Endpoint{AuthURL: s.URL + "/oauth/authorize", TokenURL: s.URL + "/oauth/token"},
		}
		verifier := oauth2.GenerateVerifier()
		start, err := url.Parse(conf.AuthCodeURL("st&te=ğ", oauth2.S256ChallengeOption(verifier)))
		if err != nil {
			t.Fatal(err)
		}
		sent := s.Client("").Get(start.RequestURI()).Want(302)
		page, err := url.Parse(sent.Header.Get("Location"))
		if err != nil || page.Path != "/consent" || page.Host != "localhost" {
			t.Fatalf("sent to %s", page)
		}
		back := consentPage(t, w.Owner, page.Query())
		if back.Host != "127.0.0.1:4711" || back.Query().Get("state") != "st&te=ğ" {
			t.Errorf("sent back to %s", back)
		}
		token, err := conf.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := conf.Client(t.Context(), token).Get(s.URL + catalog)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("status %d", resp.StatusCode)
		}
		// The same code again: the client understands the refusal.
		_, err = conf.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || refused.ErrorCode != "invalid_grant" {
			t.Errorf("got %v", err)
		}
		s.Client(token.AccessToken).Get(catalog).Refused(401, "unauthenticated")
	})
}

// TestOAuthNode goes through the flow with a strict client off the shelf: it
// finds the server by its metadata, and checks iss, state and every answer.
func TestOAuthNode(t *testing.T) {
	t.Parallel()
	node, err := osexec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the flow is not tried with oauth4webapi")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "web/node_modules/oauth4webapi")); err != nil {
		t.Fatal("web/node_modules is not installed: run scripts/ensure-node-modules, as make test-go does")
	}
	s := apptest.NewPublic(t, db.SQLite)
	w := s.Workspace("demo")
	a := addApp(w, nil)
	page := http.NewServeMux()
	page.HandleFunc("POST /", func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		u, err := url.Parse(string(b))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(rw, consentPage(t, w.Owner, u.Query()).String())
	})
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	cmd := osexec.CommandContext(t.Context(), node, filepath.Join(root, "web/scripts/oauth-client.mjs"))
	cmd.Env = append(os.Environ(), "ISSUER="+s.URL, "CLIENT_ID="+a.ClientID, "REDIRECT_URI="+callback, "BROWSER="+server.URL, "RESOURCE="+s.URL+catalog)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Scope  string `json:"scope"`
		Status int    `json:"status"`
		Second string `json:"second"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got.Scope != "webhooks.read" || got.Status != 200 || got.Second != "invalid_grant" {
		t.Errorf("got %+v", got)
	}
}

func TestOAuthRoutes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a := addApp(w, nil)
		// A page of another site may call these: a browser says so.
		there := s.Client("").Header("Origin", "https://field.example.com").Header("Sec-Fetch-Site", "cross-site")

		meta := there.Get("/.well-known/oauth-authorization-server").Want(200)
		var m oauth.ServerMetadata
		if err := json.Unmarshal(meta.Body, &m); err != nil {
			t.Fatal(err)
		}
		if m.Issuer != "http://localhost" || m.TokenEndpoint != "http://localhost/oauth/token" || !m.ResponseIss || m.ChallengeMethods[0] != "S256" {
			t.Errorf("got %+v", m)
		}
		if meta.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Error("the metadata is not open")
		}
		ask := there.Do("OPTIONS", "/oauth/token", nil).Want(204)
		if ask.Header.Get("Access-Control-Allow-Methods") != "POST" || ask.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("got %v", ask.Header)
		}
		form := there.Header("Content-Type", "application/x-www-form-urlencoded")
		refused := func(r *apptest.Response, status int, code string) {
			t.Helper()
			var e struct {
				Error       string `json:"error"`
				Description string `json:"error_description"`
			}
			if err := json.Unmarshal(r.Want(status).Body, &e); err != nil || e.Error != code || e.Description == "" {
				t.Errorf("got %s, want %s", r.Body, code)
			}
			if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("got %v", r.Header)
			}
		}
		refused(form.Post("/oauth/token", ""), 400, "invalid_request")
		refused(form.Post("/oauth/token", "grant_type=authorization_code"), 400, "invalid_request")
		refused(form.Post("/oauth/token", "code=a&code=b"), 400, "invalid_request")
		refused(form.Post("/oauth/token", "grant_type=refresh_token&refresh_token=x&client_id="+a.ClientID), 400, "unsupported_grant_type")
		refused(there.Post("/oauth/token", map[string]any{"grant_type": "authorization_code"}), 400, "invalid_request")
		values := func(change map[string]any) string {
			v := url.Values{}
			for name, x := range redeem(a, "ac_none", change) {
				v.Set(name, x.(string))
			}
			return v.Encode()
		}
		refused(form.Post("/oauth/token", values(map[string]any{"grant_type": "password"})), 400, "unsupported_grant_type")
		refused(form.Post("/oauth/token", values(map[string]any{"resource": "http://localhost/mcp"})), 400, "invalid_grant")
		refused(form.Post("/oauth/token", values(map[string]any{"resource": "https://evil.example/mcp"})), 400, "invalid_target")
		// A form is no way into the rest of the API.
		w.Owner.Header("Content-Type", "application/x-www-form-urlencoded").Post(keys, "name=x").Refused(415, "unsupported_media_type")

		// The document's own exchange is open too, in its envelope.
		code := approve(t, w.Owner, a, nil).Get("code")
		if r := there.Post(auth+"/app/token", redeem(a, code, nil)).Want(200); r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Error("app/token is not open")
		}
		there.Post(auth+"/sign-in", map[string]any{"email": "a", "password": "b"}).Refused(403, "cross_origin")

		// Errors of a request are sent back to the app, unless the app or the address
		// itself is invalid.
		location := func(change map[string]any) *url.URL {
			v := url.Values{}
			for name, x := range request(a, change) {
				v.Set(name, x.(string))
			}
			u, err := url.Parse(s.Client("").Get("/oauth/authorize?" + v.Encode()).Want(302).Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		for code, change := range map[string]map[string]any{
			"invalid_scope":             {"scope": "conversations.write"},
			"unsupported_response_type": {"response_type": "token"},
			"invalid_request":           {"code_challenge_method": "plain"},
			"invalid_target":            {"resource": "https://evil.example/mcp"},
		} {
			u := location(change)
			if !strings.HasPrefix(u.String(), callback) || u.Query().Get("error") != code || u.Query().Get("state") == "" || u.Query().Get("iss") == "" {
				t.Errorf("%s: sent to %s", code, u)
			}
		}
		for _, change := range []map[string]any{{"client_id": "app_nobody"}, {"redirect_uri": "https://evil.example/"}} {
			if u := location(change); u.Path != "/consent" || u.Host != "localhost" {
				t.Errorf("sent to %s", u)
			}
		}
		for resource, known := range map[string]bool{
			"http://localhost": true, "http://localhost/mcp": true, "http://demo.crm.localhost/mcp": true,
			"http://demo.crm.localhost/api": false, "http://a.b.crm.localhost/mcp": false, "http://.crm.localhost/mcp": false, "https://localhost/mcp": false,
			"http://u@localhost/mcp": false, "http://localhost/mcp?x=1": false,
		} {
			if u := location(map[string]any{"resource": resource}); (u.Path == "/consent") != known {
				t.Errorf("%s: sent to %s", resource, u)
			}
		}
		s.Client("").Get("/oauth/nothing").Refused(404, "unknown_address")
	})
}

// An app ends the token that it was given, and no other.
func TestOAuthRevoke(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		a, other := addApp(w, nil), addApp(w, map[string]any{"name": "Another"})
		var m oauth.ServerMetadata
		if err := json.Unmarshal(s.Client("").Get("/.well-known/oauth-authorization-server").Want(200).Body, &m); err != nil || m.RevocationEndpoint != "http://localhost/oauth/revoke" {
			t.Errorf("got %+v, %v", m, err)
		}
		token := func() string {
			var out oauth.Token
			code := approve(t, w.Owner, a, nil).Get("code")
			s.Client("").Post(auth+"/app/token", redeem(a, code, nil)).Want(200).Data(&out)
			return out.AccessToken
		}
		revoke := func(client, token string) *apptest.Response {
			v := url.Values{"token": {token}, "client_id": {client}, "token_type_hint": {"access_token"}}
			return s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").Post("/oauth/revoke", v.Encode())
		}
		one, two := token(), token()
		s.Client(one).Get(catalog).Want(200)
		if r := revoke(other.ClientID, one).Want(400); !strings.Contains(string(r.Body), `"invalid_grant"`) {
			t.Errorf("got %s", r.Body)
		}
		if r := revoke(a.ClientID, "").Want(400); !strings.Contains(string(r.Body), `"invalid_request"`) {
			t.Errorf("got %s", r.Body)
		}
		s.Client(one).Get(catalog).Want(200)
		revoke(a.ClientID, one).Want(200)
		revoke(a.ClientID, one).Want(200) // it is gone, which is what was asked for
		revoke(a.ClientID, "nonsense").Want(200)
		s.Client(one).Get(catalog).Refused(401, "unauthenticated")
		s.Client(two).Get(catalog).Want(200)
		revoke(a.ClientID, w.Owner.Token()).Want(200) // no app's
		w.Owner.Get(auth + "/me").Want(200)
	})
}

// A key without permission is told which scope it needs, at the door and inside.
func TestRefusalNamesTheScopeOfAKey(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		scope := func(r *apptest.Response) string {
			var body struct {
				Error struct{ Permission, Scope *string }
			}
			if err := json.Unmarshal(r.Want(403).Body, &body); err != nil {
				t.Fatal(err)
			}
			if body.Error.Scope == nil {
				return ""
			}
			return *body.Error.Scope
		}
		if got := scope(w.Key(false, perm.ContactsView).Get(catalog)); got != "webhooks.read" {
			t.Errorf("scope %q", got)
		}
		if got := scope(w.Guest().Post(auth+"/apps", map[string]any{})); got != "" {
			t.Errorf("a person was told the scope %q", got)
		}
	})
}

// A client that is refused learns where to ask for a token, on each host.
func TestResourceMetadata(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	s.Workspace("demo")
	var server oauth.ServerMetadata
	s.Client("").Get("/.well-known/oauth-authorization-server").Want(200).Whole(&server)
	for host, want := range map[string]string{"": "http://localhost", "demo.crm.localhost": "http://demo.crm.localhost"} {
		c := s.Client("").Host(host)
		address := want + "/.well-known/oauth-protected-resource/mcp"
		if got := c.Post("/mcp", "{}").Want(401).Header.Get("WWW-Authenticate"); !strings.Contains(got, `resource_metadata="`+address+`"`) {
			t.Errorf("%s: %s", host, got)
		}
		for _, path := range []string{"", "/mcp"} {
			var m oauth.ResourceMetadata
			c.Get("/.well-known/oauth-protected-resource" + path).Want(200).Whole(&m)
			if m.Resource != want+"/mcp" || m.AuthorizationServers[0] != "http://localhost" || len(m.ScopesSupported) == 0 {
				t.Errorf("%s%s: %+v", host, path, m)
			}
			for _, scope := range m.ScopesSupported {
				if !slices.Contains(server.ScopesSupported, scope) {
					t.Errorf("%s is a scope of the resource and not of its authorization server", scope)
				}
			}
		}
	}
}
