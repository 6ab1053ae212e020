package app_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/sandbox/customer"
)

// visitor plays the customer of a demo with a browser.
type visitor struct {
	t      *testing.T
	app    *app.App
	data   string
	server *httptest.Server
}

func openDemo(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{t: t, data: t.TempDir()}
	v.server = httptest.NewUnstartedServer(nil)
	cfg := app.Config{
		DB: dbtest.URL(t, db.SQLite), Data: v.data, Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost", SQLiteSync: "normal", Demo: true,
		PublicURL: "http://" + v.server.Listener.Addr().String(), WebhookAllow: []string{"127.0.0.0/8"},
	}
	var err error
	if v.app, err = app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{}); err != nil {
		t.Fatal(err)
	}
	v.server.Config.Handler = v.app.API.Handler()
	v.server.Start()
	t.Cleanup(func() {
		v.server.Close()
		if err := v.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// opens returns a page of the demo.
func (v *visitor) opens(query string) string {
	v.t.Helper()
	resp, err := http.Get(v.server.URL + customer.Path + query)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		v.t.Fatalf("%s: %d %s, %v", query, resp.StatusCode, text, err)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		v.t.Errorf("the policy is %q", policy)
	}
	return string(text)
}

// does submits a form of the page for a channel and returns the next page, which must show
// no failure.
func (v *visitor) does(channel string, fields url.Values) string {
	v.t.Helper()
	text := v.tries(channel, fields)
	if strings.Contains(text, `role="alert"`) {
		v.t.Fatalf("%s %v: %s", channel, fields, text)
	}
	return text
}

// tries submits a form of the page for a channel and returns the next page.
func (v *visitor) tries(channel string, fields url.Values) string {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name := range fields {
		if err := form.WriteField(name, fields.Get(name)); err != nil {
			v.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		v.t.Fatal(err)
	}
	resp, err := http.Post(v.server.URL+customer.Path+"?workspace=demo&channel="+channel+"&name=Elif", form.FormDataContentType(), &body)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		v.t.Fatalf("%s %v: %d %s, %v", channel, fields, resp.StatusCode, text, err)
	}
	return string(text)
}

// A visitor of the demo is the customer on each of its channels.
func TestDemoCustomer(t *testing.T) {
	t.Parallel()
	v := openDemo(t)
	for _, channel := range []string{"whatsapp", "telegram", "messenger", "instagram", "custom"} {
		page := v.does(channel, url.Values{"act": {"write"}, "text": {"Merhaba <b>" + channel}})
		if !strings.Contains(page, "Merhaba &lt;b&gt;"+channel) {
			t.Errorf("%s: the page does not show what was written: %s", channel, page)
		}
		v.does(channel, url.Values{"act": {"picture"}})
		if !strings.Contains(page, "What this channel lacks") || !strings.Contains(page, "The business sees you as") {
			t.Errorf("%s: the page does not say what the channel lacks: %s", channel, page)
		}
	}
	for channel, list := range map[string][]string{
		"whatsapp": {"sticker"}, "telegram": {"album", "sticker"}, "instagram": {"story-reply", "story-mention"},
	} {
		for _, what := range list {
			v.does(channel, url.Values{"act": {"more"}, "what": {what}})
		}
	}
	for channel, act := range map[string]string{"telegram": "delete", "whatsapp": "edit", "custom": "react", "messenger": "more"} {
		if page := v.tries(channel, url.Values{"act": {act}, "message": {"1"}, "what": {"album"}}); !strings.Contains(page, "The channel cannot do this") {
			t.Errorf("%s: %s went well", channel, act)
		}
	}
	v.does("whatsapp", url.Values{"act": {"call"}, "answer": {"agree"}})
	for _, does := range []string{customer.OwnerAnswers, customer.OwnerShares, customer.OwnerDeclines} {
		v.does("whatsapp", url.Values{"act": {"owner"}, "does": {does}})
	}
	if page := v.does("whatsapp", url.Values{"act": {"template"}, "name": {"acil_firsat"}, "language": {"tr"}, "answer": {"approve"}}); !strings.Contains(page, "<code>acil_firsat</code> tr: APPROVED") {
		t.Error("the template was not approved")
	}
	if page := v.does("whatsapp", url.Values{"act": {"by-hand"}, "by_hand": {"on"}}); !strings.Contains(page, `name="by_hand" value="off"`) {
		t.Error("templates do not wait for the visitor")
	}
	if page := v.does("telegram", url.Values{"act": {"provider"}, "provider": {customer.Meta}, "mode": {customer.ModeBroken}}); !strings.Contains(page, `value="broken" selected`) {
		t.Error("the provider is not broken")
	}
	for _, file := range []string{"/page.js", "/page.css", "/log?channel=custom"} {
		v.opens(file)
	}
	// The page is on the demo's own hosts. Somebody who points their own name here can read
	// nothing.
	for host, want := range map[string]int{
		"localhost:8080": 200, "demo.crm.localhost": 200, "192.0.2.7": 200, "[::1]": 200, "other.example": 404, "localhost.other.example:8080": 404,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			status, text := ask(t, method, v.server.URL+customer.Path, host)
			if method == http.MethodPost && want == 200 {
				want = 400 // an empty form
			}
			if status != want || want == 404 && strings.Contains(text, "Müşteri") {
				t.Errorf("%s %s: %d %s", method, host, status, text)
			}
		}
	}
}

// ask calls an address under the name of a host, "" for its own.
func ask(t *testing.T, method, address, host string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = cmp.Or(host, req.Host)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// The page exists only in a demo.
func TestCustomerPageExistsOnlyInDemo(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	for _, path := range []string{customer.Path, customer.Path + "/log", customer.Path + "/page.js", customer.AppPath + "1"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for _, host := range []string{"", "demo.crm.localhost"} {
				if status, text := ask(t, method, s.URL+path, host); strings.Contains(text, "Müşteri") || strings.Contains(text, "mesaj yok") || strings.Contains(text, "refresh()") || method == http.MethodPost && status < 400 {
					t.Errorf("%s %s answers %d %s", method, path, status, text)
				}
			}
		}
	}
}

// asks calls the API with a token, "" for none, and returns the answer's data.
func (v *visitor) asks(method, address, token, body string, data any) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer := struct{ Data any }{data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != 200 {
		v.t.Fatalf("%s %s: %d, %v", method, address, resp.StatusCode, err)
	}
}

// A person who signs up with Meta in the demo and shares its number still gets the messages
// of its customers.
func TestDemoSignUp(t *testing.T) {
	t.Parallel()
	v := openDemo(t)
	var session struct {
		Token string `json:"session_token"`
	}
	v.asks(http.MethodPost, v.server.URL+"/api/v1/auth/sign-in", "", `{"email":"owner@demo.localhost","password":"konak-demo-password"}`, &session)
	var begun struct{ URL string }
	v.asks(http.MethodGet, v.server.URL+"/api/crm/v1/channels/partner/oauth/start", session.Token, "", &begun)
	var connected struct{ Accounts []struct{ Kind string } }
	v.asks(http.MethodGet, begun.URL+"&answer=agree&business=100000000000001", "", "", &connected)
	if len(connected.Accounts) != 1 || connected.Accounts[0].Kind != "whatsapp" {
		t.Fatalf("connected are %+v", connected)
	}
	v.does("whatsapp", url.Values{"act": {"write"}, "text": {"Hâlâ orada mısınız?"}})
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		var list []struct{ Preview string }
		v.asks(http.MethodGet, v.server.URL+"/api/crm/v1/conversations?channel=whatsapp&limit=1", session.Token, "", &list)
		if len(list) == 1 && list[0].Preview == "Hâlâ orada mısınız?" {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the message did not arrive; the newest conversation is %+v", list)
		}
	}
}
