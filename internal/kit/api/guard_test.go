package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/perm"
)

// callers authenticates those in the map by the name that they send as token.
type callers map[string]caller.Caller

// Authenticate implements api.Authenticator.
func (c callers) Authenticate(_ context.Context, token string) (*caller.Caller, error) {
	who, ok := c[token]
	if !ok {
		return nil, fault.New(fault.Unauthenticated)
	}
	return &who, nil
}

// Recheck implements api.Authenticator.
func (c callers) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	return c.Authenticate(ctx, token)
}

// known returns callers of each kind, each with one thing that others lack.
func known() callers {
	agent := caller.Caller{
		Kind: caller.Agent, Slug: "demo", ID: uuid.Max, UserID: uuid.Max, SessionID: uuid.Max,
		Perms: perm.NewSet(perm.DLPView), Licences: map[string]bool{"mail": true}, VerifiedAt: dbtest.Start.Add(-api.StepUpAge),
	}
	c := callers{"agent": agent}
	add := func(name string, change func(*caller.Caller)) {
		who := agent
		change(&who)
		c[name] = who
	}
	add("key", func(w *caller.Caller) { w.Kind, w.UserID, w.SessionID = caller.APIKey, uuid.Nil, uuid.Nil })
	add("unpermitted", func(w *caller.Caller) { w.Perms = perm.NewSet() })
	add("unlicensed", func(w *caller.Caller) { w.Licences = map[string]bool{"crm": true} })
	add("delegated", func(w *caller.Caller) { w.Delegated = true })
	add("bound", func(w *caller.Caller) { w.Resource = "/api/test/either" })
	add("stale", func(w *caller.Caller) { w.VerifiedAt = w.VerifiedAt.Add(-time.Second) })
	return c
}

// guarded registers a route of each kind that the guard distinguishes.
func guarded(a *api.API) {
	for name, change := range map[string]func(*api.Route){
		"session": func(*api.Route) {},
		"key":     func(rt *api.Route) { rt.Access = api.Key },
		"either":  func(rt *api.Route) { rt.Access = api.SessionOrKey },
		"keyless": func(rt *api.Route) { rt.Access = api.Keyless },
		"public":  func(rt *api.Route) { rt.Access, rt.Permission, rt.Licence = api.Public, "", "" },
		"own":     func(rt *api.Route) { rt.Permission = api.Anyone },
		"lent":    func(rt *api.Route) { rt.Permission, rt.Delegable = api.Anyone, true },
		"stepup":  func(rt *api.Route) { rt.StepUp = true },
		"guess":   func(rt *api.Route) { rt.Limit = api.Credentials },
		"guesses": func(rt *api.Route) {
			rt.Access, rt.Permission, rt.Licence, rt.Limit = api.Public, "", "", api.Credentials
		},
		"mailing":   func(rt *api.Route) { rt.Access, rt.Permission, rt.Licence, rt.Limit = api.Public, "", "", api.Mailing },
		"unlimited": func(rt *api.Route) { rt.Limit = api.Unlimited },
	} {
		rt := route("POST", "/api/test/"+name, "test-"+name)
		change(&rt)
		api.Handle(a, rt, func(context.Context, *struct{}) (string, error) { return "", nil })
	}
}

// The guard refuses each caller for the one thing that they lack, and admits the others.
func TestGuard(t *testing.T) {
	t.Parallel()
	h := openWith(t, func(cfg *api.Config) { cfg.Auth = known() }, guarded)
	const crossSite = "cross-site"
	for _, c := range []struct {
		route, who, host, site string
		want                   string // the code, "" for success
	}{
		{"session", "agent", "", "", ""},
		{"session", "key", "", "", "session_required"},
		{"session", "nobody", "", "", "unauthenticated"},
		{"session", "", "", "", "unauthenticated"},
		{"session", "unpermitted", "", "", "forbidden"},
		{"session", "unlicensed", "", "", "not_licensed"},
		{"session", "delegated", "", "", ""},
		{"session", "agent", "demo.crm.localhost", "", ""},
		{"session", "agent", "acme.crm.localhost", "", "unauthenticated"},
		{"session", "agent", "", crossSite, ""}, // a browser sends no such header by itself
		{"session", "cookie agent", "", "", ""},
		{"session", "cookie agent", "", crossSite, "cross_origin"},
		{"key", "key", "", "", ""},
		{"key", "agent", "", "", "key_required"},
		{"either", "key", "", "", ""},
		{"either", "agent", "", "", ""},
		{"keyless", "", "", "", ""},
		{"keyless", "", "", crossSite, "cross_origin"},
		{"keyless", "nobody", "", "", "unauthenticated"},
		{"keyless", "unpermitted", "", "", "forbidden"},
		{"public", "", "", "", ""},
		{"public", "", "", crossSite, "cross_origin"},
		{"own", "agent", "", "", ""},
		{"own", "unpermitted", "", "", ""},
		{"own", "delegated", "", "", "own_session_required"},
		{"lent", "delegated", "", "", ""},
		{"either", "bound", "", "", ""},
		{"session", "bound", "", "", "unauthenticated"},
		{"keyless", "bound", "", "", "unauthenticated"},
		{"own", "bound", "", "", "unauthenticated"},
		{"stepup", "agent", "", "", ""},
		{"stepup", "stale", "", "", "step_up_required"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/api/test/"+c.route, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			req.Host = c.host
		}
		if name, ok := strings.CutPrefix(c.who, "cookie "); ok {
			req.AddCookie(&http.Cookie{Name: api.CookieName, Value: name})
		} else if c.who != "" {
			req.Header.Set("Authorization", "Bearer "+c.who)
		}
		if c.site != "" {
			req.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := h.codeOf(req); got != c.want {
			t.Errorf("%s as %q at %q from %q: %q, want %q", c.route, c.who, c.host, c.site, got, c.want)
		}
	}
}

// codeOf makes a request and returns the code of its error, "" for none.
func (h *harness) codeOf(req *http.Request) string {
	h.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var body struct{ Error *struct{ Code string } }
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		h.t.Fatal(err)
	}
	if body.Error == nil {
		return ""
	}
	return body.Error.Code
}

// noted allows everything except one policy and records what was counted.
type noted struct {
	mu     sync.Mutex
	taken  []string
	refuse string
}

// Take implements limit.Limiter.
func (n *noted) Take(_ context.Context, p limit.Policy, k limit.Key) limit.Result {
	n.mu.Lock()
	defer n.mu.Unlock()
	whose := "other"
	switch k {
	case limit.Key(uuid.Max):
		whose = "caller"
	case limit.OfIP("127.0.0.1"):
		whose = "address"
	}
	n.taken = append(n.taken, p.Name+" of "+whose)
	return limit.Result{Policy: p, Allowed: p.Name != n.refuse, Remaining: 1, RetryAfter: time.Second}
}

// Rates are settings: the headers show them, and if there is one for a workspace, all its
// people and keys are counted together.
func TestRates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rates           api.Rates
		who, want, code string
	}{
		{api.Rates{}, "key", `"key";q=600;w=60`, ""},
		{api.Rates{}, "agent", `"account";q=1200;w=60`, ""},
		{api.Rates{Key: 7}, "key", `"key";q=7;w=60`, ""},
		{api.Rates{Account: 8}, "agent", `"account";q=8;w=60`, ""},
		{api.Rates{Workspace: 9}, "agent", `"account";q=1200;w=60, "workspace";q=9;w=60`, "rate_limited"},
		{api.Rates{Workspace: 9}, "key", `"key";q=600;w=60, "workspace";q=9;w=60`, "rate_limited"},
	} {
		h := openWith(t, func(cfg *api.Config) {
			cfg.Auth, cfg.Limits, cfg.Rates = known(), &noted{refuse: "workspace"}, c.rates
		}, guarded)
		resp, body := h.do("POST", "/api/test/either", "", "Authorization", "Bearer "+c.who)
		if got := resp.Header.Get("RateLimit-Policy"); got != c.want || c.code != "" && !strings.Contains(body, c.code) {
			t.Errorf("%+v as %s: %s, want %s; %s", c.rates, c.who, got, c.want, body)
		}
	}
}

// Every call is counted against all limits that apply, and refused if one of them is
// exhausted.
func TestEveryApplicableLimitCounts(t *testing.T) {
	t.Parallel()
	counts := &noted{}
	h := openWith(t, func(cfg *api.Config) { cfg.Auth, cfg.Limits = known(), counts }, guarded)
	for _, c := range []struct{ route, who, want string }{
		{"session", "agent", "account of caller"},
		{"either", "key", "key of caller"},
		{"session", "nobody", "refused of address"},
		{"keyless", "", "keyless of address"},
		{"keyless", "agent", "account of caller"},
		{"public", "", "ip of address"},
		{"guess", "agent", "account of caller, credentials-account of caller"},
		{"guesses", "", "ip of address, credentials-ip of address"},
		{"mailing", "", "ip of address, mailing-ip of address"},
		{"unlimited", "agent", ""},
		{"unlimited", "nobody", ""},
	} {
		call := func() string {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/api/test/"+c.route, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.who != "" {
				req.Header.Set("Authorization", "Bearer "+c.who)
			}
			return h.codeOf(req)
		}
		counts.taken, counts.refuse = nil, ""
		call()
		taken := slices.Clone(counts.taken)
		if got := strings.Join(taken, ", "); got != c.want {
			t.Errorf("%s as %q: counted %q, want %q", c.route, c.who, got, c.want)
		}
		for _, one := range taken {
			counts.refuse, _, _ = strings.Cut(one, " ")
			if got := call(); got != "rate_limited" {
				t.Errorf("%s as %q: %q although %s has come to its end", c.route, c.who, got, counts.refuse)
			}
		}
	}
}
