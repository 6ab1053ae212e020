package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity/oauth"
)

const register = "/oauth/register"

func registerClient(t *testing.T, s *apptest.Server) (c oauth.RegisteredClient) {
	t.Helper()
	s.Client("").Post(register, map[string]any{
		"client_name": "  Test \u202e agent ", "redirect_uris": []string{"http://127.0.0.1/cb"}, "token_endpoint_auth_method": "client_secret_basic", "software_id": "x",
	}).Want(201).Whole(&c)
	return c
}

// clientRequest is a registered client's request, with a person's decision unless it is
// empty.
func clientRequest(client, decision string) map[string]any {
	body := map[string]any{
		"client_id": client, "redirect_uri": "http://127.0.0.1:4711/cb", "response_type": "code", "code_challenge": challenge, "code_challenge_method": "S256",
	}
	if decision != "" {
		body["decision"] = decision
	}
	return body
}

// tokenOf gets a token for a client.
func tokenOf(t *testing.T, s *apptest.Server, person *apptest.Client, client string) string {
	t.Helper()
	var to oauth.RedirectTo
	person.Post(auth+"/app/authorize", clientRequest(client, "approve")).Want(200).Data(&to)
	_, code, _ := strings.Cut(to.RedirectTo, "code=")
	code, _, _ = strings.Cut(code, "&")
	var token oauth.BareToken
	s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").Post("/oauth/token",
		"grant_type=authorization_code&client_id="+client+"&code="+code+"&redirect_uri=http://127.0.0.1:4711/cb&code_verifier="+verifier).Want(200).Whole(&token)
	return token.AccessToken
}

// A client registers itself, people of any workspace grant it access and revoke it, and it
// is shown as belonging to nobody.
func TestRegisteredClient(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		first, second := s.Workspace("demo"), s.Workspace("other")
		var meta oauth.ServerMetadata
		s.Client("").Get("/.well-known/oauth-authorization-server").Want(200).Whole(&meta)
		if !strings.HasSuffix(meta.RegistrationEndpoint, register) {
			t.Errorf("registration at %q", meta.RegistrationEndpoint)
		}
		c := registerClient(t, s)
		if c.Name != "Test agent" || c.AuthMethod != "none" || !slices.Equal(c.GrantTypes, []string{"authorization_code"}) || !strings.Contains(c.Scope, "conversations.read") || c.IssuedAt == 0 {
			t.Errorf("registered %+v", c)
		}
		var consent oauth.Consent
		first.Owner.Post(auth+"/app/context", clientRequest(c.ClientID, "")).Want(200).Data(&consent)
		if !consent.App.SelfRegistered || consent.App.Publisher != "127.0.0.1" || len(consent.Workspaces) != 1 {
			t.Errorf("the page shows %+v", consent)
		}
		one, two := tokenOf(t, s, first.Owner, c.ClientID), tokenOf(t, s, second.Owner, c.ClientID)
		s.Client(one).Get("/api/crm/v1/contacts").Want(200)
		s.Client(one).Get(catalog).Want(403) // a scope that no tool needs
		var grants []oauth.Grant
		first.Owner.Get(auth + "/grants").Want(200).Data(&grants)
		if len(grants) != 1 || !grants[0].App.SelfRegistered || grants[0].App.Name != "Test agent" || grants[0].App.Publisher != "127.0.0.1" {
			t.Fatalf("granted %+v", grants)
		}
		first.Owner.Delete(auth + "/grants/" + grants[0].ID.String()).Want(200)
		s.Client(one).Get("/api/crm/v1/contacts").Want(401)
		s.Client(two).Get("/api/crm/v1/contacts").Want(200)
		s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").Post("/oauth/revoke", "token="+two+"&client_id="+c.ClientID).Want(200)
		s.Client(two).Get("/api/crm/v1/contacts").Want(401)
		// No workspace's list of apps contains it, and none can change it.
		var apps []oauth.App
		if first.Owner.Get(auth + "/apps").Want(200).Data(&apps); len(apps) != 0 {
			t.Errorf("the workspace's apps are %+v", apps)
		}
	})
}

// Addresses that could lead a code astray are not registered.
func TestRegistrationRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		refused := func(name string, body map[string]any, code string) {
			t.Helper()
			var got struct{ Error string }
			if s.Client("").Post(register, body).Want(400).Whole(&got); got.Error != code {
				t.Errorf("%s: %q, want %q", name, got.Error, code)
			}
		}
		good := []string{"https://agent.example/cb"}
		for _, uri := range []string{
			"http://agent.example/cb", "com.example.agent:/cb", "javascript:alert(1)", "https://agent.example/cb#x", "https://u:p@agent.example/", "https://*.example/", "//agent.example", "",
		} {
			refused(uri, map[string]any{"redirect_uris": []string{good[0], uri}}, "invalid_redirect_uri")
		}
		refused("none", map[string]any{}, "invalid_redirect_uri")
		refused("implicit", map[string]any{"redirect_uris": good, "grant_types": []string{"implicit"}}, "invalid_client_metadata")
		refused("a token", map[string]any{"redirect_uris": good, "response_types": []string{"token"}}, "invalid_client_metadata")
		refused("an unknown scope", map[string]any{"redirect_uris": good, "scope": "everything"}, "invalid_client_metadata")
		c := registerClient(t, s)
		owner := s.Workspace("demo").Owner
		for name, change := range map[string]map[string]any{
			"another address": {"redirect_uri": "http://127.0.0.1/other"}, "a scope that was not registered": {"scope": "webhooks.read"}, "another server": {"resource": "https://other.example/mcp"},
			"no challenge": {"code_challenge": ""}, "a plain challenge": {"code_challenge_method": "plain"}, "another client": {"client_id": "app_x"},
		} {
			body := clientRequest(c.ClientID, "approve")
			for k, v := range change {
				body[k] = v
			}
			if got := owner.Post(auth+"/app/authorize", body); got.Status != 400 {
				t.Errorf("%s: %d", name, got.Status)
			}
		}
		s.Client("").Post(auth+"/app/authorize", clientRequest(c.ClientID, "approve")).Want(401)
	})
}

// One address can register few clients, and unused ones are removed after a month.
func TestRegistrationIsBounded(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(c *app.Config) { c.LimitFactor = 1 }, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		unused, used := registerClient(t, s), registerClient(t, s)
		status := 201
		for n := 0; status == 201 && n < 20; n++ {
			status = s.Client("").Post(register, map[string]any{"redirect_uris": []string{fmt.Sprintf("https://agent.example/%d", n)}}).Status
		}
		if status != 429 {
			t.Errorf("the last registration: %d", status)
		}
		clean := func() {
			t.Helper()
			if _, err := s.OAuth.Clean(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		known := func(c oauth.RegisteredClient) bool {
			return s.Client("").Post(auth+"/app/context", clientRequest(c.ClientID, "")).Status == 200
		}
		s.Clock.Advance(20 * 24 * time.Hour)
		owner := w.SignIn("owner@demo.example")
		token := tokenOf(t, s, owner, used.ClientID)
		clean()
		if !known(unused) || !known(used) {
			t.Error("removed before its time")
		}
		s.Clock.Advance(11 * 24 * time.Hour)
		clean()
		if known(unused) || !known(used) {
			t.Errorf("after a month: unused %t, used %t", known(unused), known(used))
		}
		s.Clock.Advance(20 * 24 * time.Hour)
		clean()
		if known(used) {
			t.Error("kept without a token for a month")
		}
		s.Client(token).Get("/api/crm/v1/contacts").Want(401)
	})
}
