package mcp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/tooltest"
)

// The official client connects with only the server's address: it registers itself, a
// person approves, and it can do what they may and no more.
func TestClientRegistersItself(t *testing.T) {
	t.Parallel()
	s := apptest.NewPublic(t, db.SQLite)
	w := s.Workspace("demo")
	id, _ := begin(w, "Siparişim nerede?")
	s.Settle()
	type whole struct {
		Approved, Resource, Found, Client, Scope, Token string
		Tools                                           []string
	}
	connect := func(token string) (got whole) {
		t.Helper()
		out := tooltest.RunNode(t, "../../..", "@modelcontextprotocol/sdk", "testdata/register.cjs", s.URL+"/mcp", token)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return got
	}
	got := connect(w.Owner.Token())
	slices.Sort(got.Tools)
	if got.Approved != "yes" || got.Resource != s.URL+"/mcp" || !strings.Contains(got.Found, id) || !slices.Equal(got.Tools, allTools) {
		t.Errorf("the owner's client saw %+v", got)
	}
	// The token is valid for this resource only: the API, through which the person may
	// send, does not accept it.
	for _, path := range []string{crm + "/conversations", crm + "/conversations/" + id, "/api/v1/auth/me"} {
		r := s.Client(got.Token).Get(path)
		if f := r.Refused(401, "unauthenticated"); f.Reason != "wrong_resource" || !strings.Contains(r.Header.Get("WWW-Authenticate"), "invalid_token") {
			t.Errorf("%s: %+v, %v", path, f, r.Header)
		}
	}
	s.Client(got.Token).Post(crm+"/conversations/"+id+"/reply-as-agent", map[string]any{"body": "Merhaba"}).Want(401)

	// The official client in Go does the same with such a token.
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(got.Token)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != len(allTools) {
		t.Errorf("the Go client: %v", err)
	}
	found, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_conversations", Arguments: map[string]any{}})
	if err != nil || found.IsError || !strings.Contains(found.Content[0].(*sdk.TextContent).Text, id) {
		t.Errorf("the Go client: %+v, %v", found, err)
	}
	_ = session.Close()
	var lines []identity.AuditLine
	w.Owner.Get("/api/v1/auth/audit?action=mcp.called").Want(200).Data(&lines)
	if len(lines) == 0 || lines[0].Details.(map[string]any)["app"] != "Test agent" {
		t.Errorf("the audit log does not name the app: %+v", lines)
	}

	// A person with few permissions cannot pass on more than those.
	if err := s.Identity.AddMember(t.Context(), w.ID, "Guest", "few@demo.example", apptest.Password, identity.RoleGuest); err != nil {
		t.Fatal(err)
	}
	few := w.SignIn("few@demo.example")
	code := approveFor(t, few, s, got.Client)
	token := redeem(t, s, got.Client, code, "").Want(200)
	var given struct {
		AccessToken string `json:"access_token"`
	}
	token.Whole(&given)
	if names := listed(t, s.Client(given.AccessToken)); len(names) != 0 {
		t.Errorf("a guest's client is offered %v", names)
	}
	// A token whose code was requested without a resource is valid for the API and for this
	// server; the redeemed token can be for less than the code, but not for more.
	for _, c := range []struct {
		authorized, redeemed string
		status, api, tools   int
	}{
		{"", "", 200, 200, 200},
		{"", s.URL, 200, 200, 200},
		{"", s.URL + "/mcp", 200, 401, 200},
		{s.URL, s.URL + "/mcp", 200, 401, 200},
		{s.URL + "/mcp", "", 200, 401, 200},
		{s.URL + "/mcp", s.URL + "/mcp", 200, 401, 200},
		{s.URL + "/mcp", s.URL, 400, 0, 0},
	} {
		r := redeem(t, s, got.Client, approveTo(t, w.Owner, got.Client, c.authorized), c.redeemed).Want(c.status)
		if c.status != 200 {
			continue
		}
		var token struct {
			AccessToken string `json:"access_token"`
		}
		r.Whole(&token)
		s.Client(token.AccessToken).Get(crm + "/conversations").Want(c.api)
		send(s.Client(token.AccessToken), map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).Want(c.tools)
	}
	// A token can only be requested for this server, and a code redeemed only by its
	// client.
	redeem(t, s, got.Client, approveFor(t, few, s, got.Client), "https://other.example/mcp").Want(400)
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// approveFor makes a person approve a client and returns the code.
func approveFor(t *testing.T, person *apptest.Client, s *apptest.Server, client string) string {
	t.Helper()
	return approveTo(t, person, client, s.URL+"/mcp")
}

// approveTo is approveFor with the resource that the token is for.
func approveTo(t *testing.T, person *apptest.Client, client, resource string) string {
	t.Helper()
	var to struct {
		RedirectTo string `json:"redirect_to"`
	}
	person.Post("/api/v1/auth/app/authorize", map[string]any{
		"client_id": client, "redirect_uri": "http://127.0.0.1:9/callback", "response_type": "code", "resource": resource,
		"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256", "decision": "approve",
	}).Want(200).Data(&to)
	_, rest, _ := strings.Cut(to.RedirectTo, "code=")
	code, _, _ := strings.Cut(rest, "&")
	return code
}

func redeem(t *testing.T, s *apptest.Server, client, code, resource string) *apptest.Response {
	t.Helper()
	form := "grant_type=authorization_code&client_id=" + client + "&code=" + code + "&redirect_uri=http://127.0.0.1:9/callback&code_verifier=" + verifier
	if resource != "" {
		form += "&resource=" + resource
	}
	return s.Client("").Header("Content-Type", "application/x-www-form-urlencoded").Post("/oauth/token", form)
}
