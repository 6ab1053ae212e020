package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// gate accepts "good" with one permission and one licence, and "weak" with none.
type gate struct{ tenant uuid.UUID }

// Authenticate implements api.Authenticator.
func (g gate) Authenticate(_ context.Context, token string) (*caller.Caller, error) {
	who := &caller.Caller{Kind: caller.Agent, TenantID: g.tenant, Slug: "demo", ID: uuid.Max, Licences: map[string]bool{"mail": true}}
	switch token {
	case "good":
		who.Perms = perm.NewSet(perm.DLPView)
	case "weak":
	default:
		return nil, fault.New(fault.Unauthenticated)
	}
	return who, nil
}

// Recheck implements api.Authenticator.
func (g gate) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	return g.Authenticate(ctx, token)
}

type harness struct {
	t   *testing.T
	api *api.API
	url string
}

func open(t *testing.T, register func(a *api.API)) *harness {
	t.Helper()
	return openWith(t, func(*api.Config) {}, register)
}

func openWith(t *testing.T, change func(*api.Config), register func(a *api.API)) *harness {
	t.Helper()
	d := dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start))
	h := &harness{t: t}
	cfg := api.Config{
		DB: d, Log: slog.New(slog.DiscardHandler), Clock: d.Clock(), Auth: gate{dbtest.Tenant(t, d, "demo")}, Domain: "localhost",
	}
	change(&cfg)
	h.api = api.New(cfg)
	register(h.api)
	server := httptest.NewServer(h.api.Handler())
	h.url = server.URL
	t.Cleanup(func() {
		h.api.Drain()
		server.Close()
	})
	return h
}

func (h *harness) do(method, path, body string, header ...string) (*http.Response, string) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusNotModified {
		if err := h.api.Check(method, req.URL.Path, resp.StatusCode, text); err != nil {
			h.t.Error(err)
		}
	}
	return resp, string(text)
}

func route(method, path, id string) api.Route {
	return api.Route{
		Method: method, Path: path, ID: id, Tag: "Test", Summary: "A test", Access: api.Session, Permission: perm.DLPView, Licence: "mail",
	}
}

type socketIn struct {
	Word string `query:"word" maxLength:"10"`
}

// talk is a socket that sends one word and then waits for its end.
func talk(a *api.API) {
	api.HandleSocket(a, route("GET", "/api/test/socket", "test-socket"),
		func(_ context.Context, in *socketIn) (func(context.Context, *api.Socket) error, error) {
			if in.Word == "forbidden" {
				return nil, fault.Invalid("word", "not_allowed")
			}
			return func(ctx context.Context, s *api.Socket) error {
				if err := s.Send([]byte(`"` + in.Word + `"`)); err != nil {
					return err
				}
				if in.Word == "enough" {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}, nil
		})
}

func (h *harness) dial(path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	h.t.Cleanup(cancel)
	conn, resp, err := websocket.Dial(ctx, h.url+path, &websocket.DialOptions{HTTPHeader: header})
	if err == nil {
		h.t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, resp, err
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func read(t *testing.T, conn *websocket.Conn) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, b, err := conn.Read(ctx)
	return string(b), err
}

func TestSocket(t *testing.T) {
	t.Parallel()
	h := open(t, talk)
	conn, resp, err := h.dial("/api/test/socket?word=enough", bearer("good"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Traceparent") == "" {
		t.Errorf("answered %d %v", resp.StatusCode, resp.Header)
	}
	if got, err := read(t, conn); err != nil || got != `"enough"` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := read(t, conn); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("ended with %v", err)
	}
}

// A refusal is an ordinary answer, before the connection is upgraded.
func TestSocketRefuses(t *testing.T) {
	t.Parallel()
	h := open(t, talk)
	cookie := func(more ...string) http.Header {
		header := http.Header{"Cookie": {api.CookieName + "=good"}}
		for i := 0; i < len(more); i += 2 {
			header.Set(more[i], more[i+1])
		}
		return header
	}
	for name, tc := range map[string]struct {
		path   string
		header http.Header
		status int
		code   string
	}{
		"nobody":             {"/api/test/socket", http.Header{}, 401, "unauthenticated"},
		"a forged token":     {"/api/test/socket", bearer("forged"), 401, "unauthenticated"},
		"without permission": {"/api/test/socket", bearer("weak"), 403, "forbidden"},
		"another site":       {"/api/test/socket", cookie("Origin", "https://evil.example"), 403, "cross_origin"},
		"another host of ours that browsers tell apart": {"/api/test/socket", cookie("Sec-Fetch-Site", "same-site"), 403, "cross_origin"},
		"a bad parameter": {"/api/test/socket?word=01234567890", bearer("good"), 422, "validation_failed"},
		"a wrong one":     {"/api/test/socket?word=forbidden", bearer("good"), 422, "validation_failed"},
		"an unknown one":  {"/api/test/socket?words=x", bearer("good"), 422, "validation_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, resp, err := h.dial(tc.path, tc.header)
			if err == nil || resp == nil {
				t.Fatalf("opened: %v", err)
			}
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != tc.status || !strings.Contains(string(body), `"code":"`+tc.code+`"`) {
				t.Errorf("answered %d %s", resp.StatusCode, body)
			}
		})
	}
	t.Run("no WebSocket", func(t *testing.T) {
		t.Parallel()
		resp, body := h.do("GET", "/api/test/socket", "")
		if resp.StatusCode != 426 || !strings.Contains(body, `"upgrade_required"`) || resp.Header.Get("Upgrade") != "websocket" {
			t.Errorf("answered %d %s %v", resp.StatusCode, body, resp.Header)
		}
	})
	t.Run("its own page", func(t *testing.T) {
		t.Parallel()
		if _, _, err := h.dial("/api/test/socket", cookie("Origin", h.url)); err != nil {
			t.Error(err)
		}
	})
}

// A client that sends on a send-only socket is disconnected.
func TestSocketTakesNoMessages(t *testing.T) {
	t.Parallel()
	h := open(t, talk)
	for _, n := range []int{10, 100_000} {
		conn, _, err := h.dial("/api/test/socket?word=x", bearer("good"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, conn); err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(t.Context(), websocket.MessageText, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, conn); err == nil {
			t.Errorf("%d bytes were taken", n)
		}
	}
}

// A server that stops tells its sockets so, and waits for them to end.
func TestDrainEndsSockets(t *testing.T) {
	t.Parallel()
	h := open(t, talk)
	conn, _, err := h.dial("/api/test/socket?word=x", bearer("good"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, conn); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		h.api.Drain()
		close(drained)
	}()
	if _, err := read(t, conn); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("ended with %v", err)
	}
	<-drained
	if _, resp, err := h.dial("/api/test/socket?word=x", bearer("good")); err == nil || resp.StatusCode != 503 {
		t.Errorf("a draining server opened a socket: %v", err)
	}
}

func TestSocketDocument(t *testing.T) {
	t.Parallel()
	h := open(t, talk)
	b, err := h.api.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	got := doc.Paths["/api/test/socket"]["get"].Responses
	for _, status := range []string{"101", "401", "403", "422", "426"} {
		if got[status] == nil {
			t.Errorf("the document has no %s", status)
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	value := "one"
	h := open(t, func(a *api.API) {
		rt := route("GET", "/api/test/polled", "test-polled")
		rt.ETag, rt.Refusals = true, []int{404}
		api.Handle(a, rt, func(context.Context, *struct{}) (map[string]string, error) {
			if value == "" {
				return nil, fault.New(fault.NotFound)
			}
			return map[string]string{"value": value}, nil
		})
		list := route("GET", "/api/test/list", "test-list")
		list.ETag = true
		api.HandleList(a, list, func(_ context.Context, in *api.Paged) (db.List[string], error) {
			out := db.List[string]{Rows: []string{value}}
			if in.Cursor == "" {
				out.Next = &db.Key{Sort: 1}
			}
			return out, nil
		})
	})
	for _, path := range []string{"/api/test/polled", "/api/test/list"} {
		value = "one"
		first, _ := h.do("GET", path, "")
		tag := first.Header.Get("ETag")
		if first.StatusCode != 200 || !strings.HasPrefix(tag, `W/"`) || first.Header.Get("Cache-Control") != "private, no-cache" {
			t.Fatalf("answered %d %v", first.StatusCode, first.Header)
		}
		for _, has := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
			same, body := h.do("GET", path, "", "If-None-Match", has)
			if same.StatusCode != 304 || body != "" || same.Header.Get("ETag") != tag {
				t.Errorf("%s: answered %d %q %v", has, same.StatusCode, body, same.Header)
			}
		}
		if other, _ := h.do("GET", path, "", "If-None-Match", `"x"`); other.StatusCode != 200 {
			t.Errorf("answered %d", other.StatusCode)
		}
		value = "two"
		if changed, _ := h.do("GET", path, "", "If-None-Match", tag); changed.StatusCode != 200 || changed.Header.Get("ETag") == tag {
			t.Errorf("answered %d %v", changed.StatusCode, changed.Header)
		}
	}
	value = ""
	if gone, _ := h.do("GET", "/api/test/polled", "", "If-None-Match", "*"); gone.StatusCode != 404 || gone.Header.Get("ETag") != "" {
		t.Errorf("a refusal was answered %d %v", gone.StatusCode, gone.Header)
	}
}

type textIn struct {
	Name string `query:"name"`
	Body struct {
		Text  string            `json:"text"`
		List  []string          `json:"list,omitempty"`
		Free  map[string]string `json:"free,omitempty"`
		Inner struct {
			Text string `json:"text,omitempty"`
		} `json:"inner,omitempty"`
	}
}

// Characters that PostgreSQL cannot store are refused as an error of their field.
func TestUnstorableCharactersAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t, func(a *api.API) {
		rt := route("POST", "/api/test/text", "test-text")
		rt.TakesKey = true
		api.Handle(a, rt, func(_ context.Context, in *textIn) (string, error) { return in.Body.Text, nil })
		old := route("GET", "/api/test/old/{name}", "test-old")
		old.Invalid400, old.Refusals = true, []int{400}
		api.Handle(a, old, func(_ context.Context, in *struct {
			Name string `path:"name" example:"x"`
			Q    string `query:"q"`
		},
		) (string, error) {
			return in.Name, nil
		})
	})
	nul := `\u0000`
	for _, tc := range []struct{ query, body, field string }{
		{"", `{"text":"a` + nul + `b"}`, "text"},
		{"", `{"text":"","list":["x","` + nul + `"]}`, "list[1]"},
		{"", `{"text":"","free":{"k":"` + nul + `"}}`, "free.k"},
		{"", `{"text":"","free":{"` + nul + `":"v"}}`, "free"},
		{"", `{"text":"","inner":{"text":"\\\\` + nul + `"}}`, "inner.text"},
		{"?name=a%00", `{"text":""}`, "name"},
		{"?name=%ff", `{"text":""}`, "name"},
		{"?name=%C3%28", `{"text":""}`, "name"},
	} {
		resp, body := h.do("POST", "/api/test/text"+tc.query, tc.body)
		if resp.StatusCode != 422 || !strings.Contains(body, fmt.Sprintf(`"fields":{"%s":["invalid_character"]}`, tc.field)) {
			t.Errorf("%s %s: %d %s", tc.query, tc.body, resp.StatusCode, body)
		}
	}
	for _, body := range []string{`{"text":"\\u0000"}`, `{"text":"\\\\u0000 ı"}`, `{"text":"%00"}`} {
		if resp, got := h.do("POST", "/api/test/text?name=%C4%B1", body); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
	if resp, body := h.do("POST", "/api/test/text", "{\"text\":\"\x00\"}"); resp.StatusCode != 400 {
		t.Errorf("a raw NUL: %d %s", resp.StatusCode, body)
	}
	for path, status := range map[string]int{"/api/test/old/x?q=%00": 400, "/api/test/old/%00": 404, "/api/test/old/%ff": 404, "/api/test/old/" + url.PathEscape("ışık"): 200} {
		if resp, body := h.do("GET", path, ""); resp.StatusCode != status {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}
