package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// as makes a request as a caller and returns the code of its refusal, "" for none.
func (h *harness) as(who, method, path string) string {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+who)
	return h.codeOf(req)
}

// suspend suspends a workspace.
func suspend(t *testing.T, d *db.DB, tenant uuid.UUID) {
	t.Helper()
	if err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		tx.Wake(db.TopicSuspended)
		return tx.Exec(`UPDATE tenant SET suspended_at = $1 WHERE id = $2`, clock.At(tx.Now()), tenant)
	}); err != nil {
		t.Fatal(err)
	}
}

// held registers a route of a person's own account, and others whose path is checked.
func held(a *api.API) {
	open := func(path, id string) api.Route {
		rt := route("GET", path, id)
		rt.Permission, rt.Licence = api.Anyone, ""
		return rt
	}
	nothing := func(context.Context, *struct{}) (string, error) { return "", nil }
	api.Handle(a, open("/api/v1/auth/test", "test-own-account"), nothing)
	api.Handle(a, open("/api/test/other", "test-other"), nothing)
	agent := route("GET", "/api/test/agents/{id}", "test-agent")
	agent.Own, agent.Others = "id", perm.DLPManage
	api.Handle(a, agent, func(context.Context, *struct {
		ID api.ID `path:"id"`
	},
	) (string, error) {
		return "", nil
	})
	kind := route("GET", "/api/test/kinds/{thing}", "test-kind")
	kind.OneOf = map[string][]string{"thing": {"known"}}
	api.Handle(a, kind, func(context.Context, *struct {
		Thing string `path:"thing"`
	},
	) (string, error) {
		return "", nil
	})
}

// A caller who must set up a second step, or whose workspace is suspended, reaches only
// their own account. The session guard is asked for sessions and not for keys.
func TestRestrictedCallersReachOnlyTheirAccount(t *testing.T) {
	t.Parallel()
	var suspended uuid.UUID
	asked := 0
	h := openWith(t, func(cfg *api.Config) {
		suspended = dbtest.Tenant(t, cfg.DB, "suspended")
		suspend(t, cfg.DB, suspended)
		c := known()
		add := func(name string, change func(*caller.Caller)) {
			who := c["agent"]
			change(&who)
			c[name] = who
		}
		add("enrols", func(w *caller.Caller) { w.MustEnrol = true })
		add("suspended", func(w *caller.Caller) { w.TenantID = suspended })
		add("elsewhere", func(w *caller.Caller) { w.Licences = map[string]bool{"elsewhere": true, "mail": true} })
		add("manager", func(w *caller.Caller) { w.Perms = perm.NewSet(perm.DLPView, perm.DLPManage) })
		cfg.Auth = c
		cfg.SessionGuard = func(_ context.Context, _ string, who *caller.Caller) error {
			asked++
			if who.Licences["elsewhere"] {
				return fault.New(fault.Forbidden, "x")
			}
			return nil
		}
	}, func(a *api.API) { guarded(a); held(a) })
	for _, c := range []struct{ who, method, path, want string }{
		{"enrols", "GET", "/api/v1/auth/test", ""},
		{"enrols", "GET", "/api/test/other", "two_factor_required"},
		{"enrols", "POST", "/api/test/session", "two_factor_required"},
		{"suspended", "GET", "/api/v1/auth/test", ""},
		{"suspended", "GET", "/api/test/other", "workspace_suspended"},
		{"suspended", "POST", "/api/test/session", "workspace_suspended"},
		{"elsewhere", "POST", "/api/test/session", "forbidden"},
		{"agent", "GET", "/api/test/agents/" + uuid.Max.String(), ""},
		{"agent", "GET", "/api/test/agents/" + uuid.NewString(), "forbidden"},
		{"manager", "GET", "/api/test/agents/" + uuid.NewString(), ""},
		{"agent", "GET", "/api/test/kinds/known", ""},
		{"agent", "GET", "/api/test/kinds/other", "not_found"},
	} {
		if got := h.as(c.who, c.method, c.path); got != c.want {
			t.Errorf("%s %s as %s: %q, want %q", c.method, c.path, c.who, got, c.want)
		}
	}
	asked = 0
	if got := h.as("key", "POST", "/api/test/key"); got != "" || asked != 0 {
		t.Errorf("a key: %q, and the session guard was asked %d times", got, asked)
	}
}

// Every answer has headers against framing, sniffing and leaking referrers; HSTS is sent
// only over TLS.
func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	for _, secure := range []bool{false, true} {
		h := openWith(t, func(cfg *api.Config) { cfg.Auth, cfg.Secure, cfg.Fallback = known(), secure, page }, guarded)
		for path, want := range map[string]map[string]string{
			"/api/test/session": {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Referrer-Policy": ""},
			"/api/nothing":      {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"},
			"/inbox":            {"Content-Security-Policy": "", "Referrer-Policy": "same-origin"},
		} {
			want["X-Frame-Options"], want["X-Content-Type-Options"] = "DENY", "nosniff"
			want["Strict-Transport-Security"] = ""
			if secure {
				want["Strict-Transport-Security"] = "max-age=31536000"
			}
			resp, err := http.Get(h.url + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			for name, value := range want {
				if got := resp.Header.Get(name); got != value {
					t.Errorf("%s, secure %t: %s is %q, want %q", path, secure, name, got, value)
				}
			}
		}
	}
}

// A panic is answered with 500 and has no other effect; a handler can still abort the
// connection on purpose. A help center's host serves only the help center.
func TestPanicsAndHelpHosts(t *testing.T) {
	t.Parallel()
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "help") })
	h := openWith(t, func(cfg *api.Config) {
		cfg.HelpSite, cfg.HelpHosts = site, map[string]string{"help.example.com": "demo"}
	}, func(a *api.API) {
		a.Mux().Get("/panics", func(http.ResponseWriter, *http.Request) { panic("at the disco") })
		a.Mux().Get("/breaks", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		a.Mux().Get("/works", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "works") })
	})
	get := func(path, host string) (int, string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text), err
	}
	if status, text, err := get("/panics", ""); status != http.StatusInternalServerError || !strings.Contains(text, `"internal"`) {
		t.Errorf("a panic: %d, %s, %v", status, text, err)
	}
	if status, _, err := get("/breaks", ""); err == nil {
		t.Errorf("a connection that was broken off: %d", status)
	}
	for host, want := range map[string]string{"": "works", "demo.crm.localhost": "works", "demo.help.localhost": "help", "help.example.com": "help"} {
		if status, text, err := get("/works", host); status != http.StatusOK || text != want {
			t.Errorf("%q: %d, %s, %v; want %s", host, status, text, err, want)
		}
	}
}
