package api_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type formIn struct {
	Body struct {
		Text string `json:"text"`
	} `contentType:"application/x-www-form-urlencoded"`
}

// A body of another type than the route reads is refused and does not reach the handler. A
// page of another site can send a form without asking, but JSON only with permission.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	const form, text = "application/x-www-form-urlencoded", `{"text":"x"}`
	reached := 0
	h := open(t, func(a *api.API) {
		api.Handle(a, route("POST", "/api/test/json", "test-json"), func(context.Context, *textIn) (string, error) {
			reached++
			return "", nil
		})
		api.Handle(a, route("POST", "/api/test/form", "test-form"), func(context.Context, *formIn) (string, error) {
			reached++
			return "", nil
		})
	})
	for _, c := range []struct {
		path, kind, body string
		status           int
	}{
		{"/api/test/json", "application/json", text, 200},
		{"/api/test/json", "application/json; charset=utf-8", text, 200},
		{"/api/test/json", form, "text=x", 415},
		{"/api/test/json", form + "; charset=utf-8", "text=x", 415},
		{"/api/test/json", "text/plain", text, 415},
		{"/api/test/json", "multipart/form-data; boundary=x", text, 415},
		{"/api/test/form", form, "text=x", 200},
		{"/api/test/form", "application/json", text, 415},
		{"/api/test/form", "", "text=x", 415},
	} {
		reached = 0
		resp, body := h.do("POST", c.path, c.body, "Content-Type", c.kind)
		if resp.StatusCode != c.status || (reached == 1) != (c.status == 200) || c.status == 415 && !strings.Contains(body, `"unsupported_media_type"`) {
			t.Errorf("%s as %q: answered %d %s, reached %d times", c.path, c.kind, resp.StatusCode, body, reached)
		}
	}
}

// X-Forwarded-For is believed only from a trusted proxy, and only as far as trusted proxies
// wrote it.
func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	prefixes := func(list ...string) (out []netip.Prefix) {
		for _, p := range list {
			out = append(out, netip.MustParsePrefix(p))
		}
		return out
	}
	for name, c := range map[string]struct {
		trusted []netip.Prefix
		header  string
		want    string
	}{
		"no proxy is trusted":        {nil, "203.0.113.7", "127.0.0.1"},
		"another proxy is trusted":   {prefixes("10.0.0.0/8"), "203.0.113.7", "127.0.0.1"},
		"the proxy is trusted":       {prefixes("127.0.0.1/32"), "203.0.113.7", "203.0.113.7"},
		"no header":                  {prefixes("127.0.0.1/32"), "", "127.0.0.1"},
		"forged on the left":         {prefixes("127.0.0.1/32"), "192.0.2.1, 203.0.113.7", "203.0.113.7"},
		"two proxies":                {prefixes("127.0.0.1/32", "10.0.0.0/8"), "192.0.2.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"},
		"a proxy that is not listed": {prefixes("127.0.0.1/32"), "203.0.113.7, 10.1.2.3", "10.1.2.3"},
		"no address":                 {prefixes("127.0.0.1/32"), "203.0.113.7, unknown", "127.0.0.1"},
		"IPv6":                       {prefixes("127.0.0.1/32"), "2001:db8::1", "2001:db8::1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openWith(t, func(cfg *api.Config) { cfg.TrustedProxies = c.trusted }, func(a *api.API) {
				api.Handle(a, route("GET", "/api/test/ip", "test-ip"), func(ctx context.Context, _ *struct{}) (string, error) {
					return api.ClientIP(ctx), nil
				})
			})
			var header []string
			if c.header != "" {
				header = []string{"X-Forwarded-For", c.header}
			}
			if _, body := h.do("GET", "/api/test/ip", "", header...); !strings.Contains(body, `"data":"`+c.want+`"`) {
				t.Errorf("the address is %s, want %s", body, c.want)
			}
		})
	}
}

// An answer that is personal or shows a secret is not cached anywhere, and neither is an
// error.
func TestAnswersAreNotStored(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		for name, change := range map[string]func(*api.Route){
			"own":    func(*api.Route) {},
			"key":    func(rt *api.Route) { rt.Access = api.SessionOrKey },
			"public": func(rt *api.Route) { rt.Access, rt.Permission, rt.Licence = api.Public, "", "" },
			"secret": func(rt *api.Route) {
				rt.Access, rt.Permission, rt.Licence, rt.ShowsSecret = api.Public, "", "", true
			},
		} {
			rt := route("GET", "/api/test/"+name, "test-"+name)
			change(&rt)
			api.Handle(a, rt, func(context.Context, *struct{}) (string, error) { return "", nil })
		}
		gone := route("GET", "/api/test/gone", "test-gone")
		gone.Access, gone.Permission, gone.Licence, gone.Refusals = api.Public, "", "", []int{404}
		api.Handle(a, gone, func(context.Context, *struct{}) (string, error) { return "", fault.New(fault.NotFound) })
	})
	for path, want := range map[string]string{
		"/api/test/own": "no-store", "/api/test/key": "no-store", "/api/test/secret": "no-store", "/api/test/public": "",
		"/api/test/nothing": "no-store", "/api/test/gone": "no-store",
	} {
		if resp, _ := h.do("GET", path, ""); resp.Header.Get("Cache-Control") != want {
			t.Errorf("%s: %q, want %q", path, resp.Header.Get("Cache-Control"), want)
		}
	}
	if resp, _ := h.do("GET", "/api/test/public?x=1", ""); resp.StatusCode != 422 || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a refusal: %d %q", resp.StatusCode, resp.Header.Get("Cache-Control"))
	}
}

// changing is an authenticator whose only caller can be changed, and which can be
// unavailable.
type changing struct {
	mu     sync.Mutex
	who    caller.Caller
	away   error
	looked chan struct{} // signals a check while it was unavailable
}

// Authenticate implements api.Authenticator.
func (c *changing) Authenticate(context.Context, string) (*caller.Caller, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := c.who
	return &who, nil
}

// Recheck implements api.Authenticator.
func (c *changing) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	c.mu.Lock()
	away := c.away
	c.mu.Unlock()
	if away != nil {
		select {
		case c.looked <- struct{}{}:
		default:
		}
		return nil, away
	}
	return c.Authenticate(ctx, token)
}

// A stream is checked against its watcher's current rights: it continues with other rights
// and in an outage, and ends when the permission or licence that it needs is lost, or the
// workspace is suspended.
func TestStreamEndsWithItsPermission(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*caller.Caller){
		"permission": func(w *caller.Caller) { w.Perms = perm.NewSet() },
		"licence":    func(w *caller.Caller) { w.Licences = nil },
		"suspension": func(*caller.Caller) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			auth := &changing{who: known()["agent"], looked: make(chan struct{}, 1)}
			streams := api.NewOpenStreams()
			var d *db.DB
			h := openWith(t, func(cfg *api.Config) {
				d, cfg.Auth, cfg.Streams, cfg.StreamCheck = cfg.DB, auth, streams, time.Hour
				auth.who.TenantID = dbtest.Tenant(t, d, "acme")
			}, func(a *api.API) {
				api.HandleEvents(a, route("GET", "/api/test/events", "test-events"),
					func(context.Context, *struct{}) (func(context.Context, *api.Sender) error, error) {
						return func(ctx context.Context, s *api.Sender) error {
							if err := s.Comment("ready"); err != nil {
								return err
							}
							for !api.Watcher(ctx).Can(perm.ConversationsView) { // until the new right has arrived
								select {
								case <-ctx.Done():
									return ctx.Err()
								case <-time.After(time.Millisecond):
								}
							}
							if err := s.Comment("sees more"); err != nil {
								return err
							}
							<-ctx.Done()
							return ctx.Err()
						}, nil
					})
			})
			change := func(fn func(*caller.Caller)) {
				auth.mu.Lock()
				fn(&auth.who)
				auth.mu.Unlock()
			}
			ended := make(chan struct{})
			defer close(ended)
			go func() { // a check in progress may have read the old state
				for {
					streams.Recheck(func([sha256.Size]byte, *caller.Caller) bool { return true })
					select {
					case <-ended:
						return
					case <-time.After(10 * time.Millisecond):
					}
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/api/test/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = bearer("any")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			lines := bufio.NewScanner(resp.Body)
			until := func(want string) bool {
				for lines.Scan() {
					if lines.Text() == want {
						return true
					}
				}
				return false
			}
			if !until(": ready") {
				t.Fatal("the stream did not begin")
			}
			change(func(*caller.Caller) { auth.away = errors.New("the database does not answer") })
			select {
			case <-auth.looked:
			case <-ctx.Done():
				t.Fatal("nobody looked at once")
			}
			change(func(w *caller.Caller) { auth.away, w.Perms = nil, perm.NewSet(perm.DLPView, perm.ConversationsView) })
			if !until(": sees more") {
				t.Fatal("the stream ended although its watcher may see more")
			}
			if name == "suspension" {
				suspend(t, d, auth.who.TenantID)
			}
			change(take)
			if until("") {
				for lines.Scan() {
				}
			}
			if err := lines.Err(); err != nil {
				t.Errorf("the stream did not end: %v", err)
			}
		})
	}
}

// Streams are counted per session, and for an API key as a whole.
func TestStreamsOfTwoSessions(t *testing.T) {
	t.Parallel()
	two := known()
	other := two["agent"]
	other.SessionID[0]--
	two["another session"] = other
	h := openWith(t, func(cfg *api.Config) { cfg.Auth = two }, talk)
	for range api.StreamsPerCredential {
		if _, _, err := h.dial("/api/test/socket?word=x", bearer("agent")); err != nil {
			t.Fatal(err)
		}
	}
	if _, resp, err := h.dial("/api/test/socket?word=x", bearer("agent")); err == nil || resp.StatusCode != 429 {
		t.Errorf("a socket more was opened: %v", err)
	}
	if _, _, err := h.dial("/api/test/socket?word=x", bearer("another session")); err != nil {
		t.Errorf("the person's other session cannot watch: %v", err)
	}
}
