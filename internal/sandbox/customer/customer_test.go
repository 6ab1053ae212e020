package customer_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	wire "konak/internal/provider/social"
	"konak/internal/sandbox/customer"
	"konak/internal/sandbox/social"
	"konak/internal/sandbox/telegram"
)

// openPage returns a page with one channel, Messenger, and the stand-in behind it.
func openPage(t *testing.T) (*customer.Page, *social.Server) {
	t.Helper()
	box := social.New(clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
	t.Cleanup(box.Close)
	box.AddApp(social.App{ID: "4711", Secret: "secret"})
	box.Add(social.Page{ID: "1", Name: "Demo", Token: "token", AppID: "4711"})
	page := customer.NewPage()
	box.OnSent = page.WatchPage
	page.Add(customer.Workspace{Slug: "demo", Name: "Demo", Channels: []customer.Channel{customer.OnPage(box, "1", false, "http://127.0.0.1")}})
	return page, box
}

// send posts a form to the page and returns the answer.
func send(t *testing.T, page http.Handler, fields url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name := range fields {
		part, err := form.CreateFormField(name)
		if name == "file" {
			part, err = form.CreateFormFile(name, "notes.txt")
		}
		if err == nil {
			_, err = io.WriteString(part, fields.Get(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, customer.Path+"?name=Elif", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	return w
}

func show(t *testing.T, page http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, customer.Path+"?name=Elif", http.NoBody))
	return w.Body.String()
}

func TestConversation(t *testing.T) {
	t.Parallel()
	page, box := openPage(t)
	for _, fields := range []url.Values{
		{"act": {"write"}, "text": {"Merhaba <script>"}}, {"act": {"write"}, "text": {"  "}},
	} {
		if w := send(t, page, fields, nil); w.Code != http.StatusSeeOther || strings.Contains(w.Header().Get("Location"), "failed") {
			t.Errorf("%v: %d to %s", fields, w.Code, w.Header().Get("Location"))
		}
	}
	text := show(t, page)
	if !strings.Contains(text, "Merhaba &lt;script&gt;") || strings.Count(text, `class="mine"`) != 1 {
		t.Errorf("the page is %s", text)
	}
	// The business's answers show up, and can be reacted to.
	who := customer.OnPage(box, "1", false, "").ID(customer.Person{Name: "Elif"})
	page.WatchPage("1", social.Sent{MessageID: "m_1", Platform: wire.ObjectPage, Outgoing: wire.Outgoing{Recipient: wire.Ref{ID: who}, Message: &wire.OutgoingMessage{Text: "Buyurun"}}})
	send(t, page, url.Values{"act": {"react"}, "message": {"m_1"}, "emoji": {"👍"}}, nil)
	if text := show(t, page); !strings.Contains(text, "Buyurun <span class=\"sign\">👍</span>") || !strings.Contains(text, "👎") {
		t.Errorf("the page is %s", text)
	}
	// The page reports a failure by a code, so that no link can put other words into it.
	for code, want := range map[string]bool{"cannot": true, "Call+0900": false} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, customer.Path+"?failed="+code, http.NoBody))
		if text := w.Body.String(); strings.Contains(text, `role="alert"`) != want || strings.Contains(text, "0900") {
			t.Errorf("%s: the page is %s", code, text)
		}
	}
	// The sample is a picture; a text that is sent as one is refused.
	if w := send(t, page, url.Values{"act": {"picture"}}, nil); strings.Contains(w.Header().Get("Location"), "failed") || !strings.Contains(show(t, page), "🖼") {
		t.Errorf("the sample picture went to %s", w.Header().Get("Location"))
	}
	if w := send(t, page, url.Values{"act": {"picture"}, "file": {"a text"}}, nil); !strings.Contains(w.Header().Get("Location"), "failed=no_picture") {
		t.Error("a text went as a picture")
	}
	// The links to other channels are in a landmark, as everything else is.
	if before, _, _ := strings.Cut(show(t, page), "</header>"); !strings.Contains(before, `<form method="get"`) {
		t.Error("the form stands outside of the header")
	}
	if w := send(t, page, url.Values{"act": {"fly"}}, nil); !strings.Contains(w.Header().Get("Location"), "failed=cannot") {
		t.Error("what the channel cannot do went well")
	}
}

// The owner of an account on Telegram adds the bot, keeps it from answering and removes it
// again.
func TestTelegramBusinessAccount(t *testing.T) {
	t.Parallel()
	box := telegram.New(clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
	t.Cleanup(box.Close)
	box.Add(telegram.Bot{ID: 7, Name: "Demo", Username: "demo_bot", Token: "7:token"})
	page := customer.NewPage()
	channel := customer.OnTelegram(box, 7)
	page.Add(customer.Workspace{Slug: "demo", Name: "Demo", Channels: []customer.Channel{channel}})
	if text := show(t, page); !strings.Contains(text, `value="ended"`) {
		t.Errorf("the page is %s", text)
	}
	connection := "demo" + channel.ID(customer.Person{Name: "Elif"})
	for state, want := range map[string]string{
		customer.BusinessOn: `"can_reply":true`, customer.BusinessPaused: `"is_enabled":true`, customer.BusinessEnded: `"is_enabled":false`,
	} {
		send(t, page, url.Values{"act": {"business"}, "state": {state}}, nil)
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/bot7:token/getBusinessConnection", strings.NewReader("business_connection_id="+connection))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		box.ServeHTTP(w, r)
		if got := w.Body.String(); !strings.Contains(got, want) || strings.Contains(got, `"can_reply":true`) != (state == customer.BusinessOn) {
			t.Errorf("%s: %s", state, got)
		}
	}
}

// Another site cannot make a visitor's browser act.
func TestCrossSiteRequestsAreRefused(t *testing.T) {
	t.Parallel()
	page, _ := openPage(t)
	w := send(t, page, url.Values{"act": {"write"}, "text": {"x"}}, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	if w.Code != http.StatusForbidden || strings.Contains(show(t, page), `class="mine"`) {
		t.Errorf("another site's form: %d", w.Code)
	}
}

func TestProvidersMisbehave(t *testing.T) {
	t.Parallel()
	page, _ := openPage(t)
	guarded := page.Guard(customer.Meta, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	ask := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(ctx))
		return w.Code
	}
	for mode, want := range map[string]int{customer.ModeFull: 429, customer.ModeBroken: 500, "": 204} {
		send(t, page, url.Values{"act": {"provider"}, "provider": {customer.Meta}, "mode": {mode}}, nil)
		if got := ask(t.Context()); got != want {
			t.Errorf("%q answers %d, want %d", mode, got, want)
		}
	}
	// A slow provider does not answer callers who give up.
	send(t, page, url.Values{"act": {"provider"}, "provider": {customer.Meta}, "mode": {customer.ModeSlow}}, nil)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if got := ask(over); got == 204 {
		t.Error("a slow provider answered at once")
	}
}

// Agents' answers on a custom channel arrive as deliveries and are shown once.
func TestAnswersOfACustomChannel(t *testing.T) {
	t.Parallel()
	page := customer.NewPage()
	page.Add(customer.Workspace{Slug: "demo", Name: "Demo", Channels: []customer.Channel{{
		Kind: "custom", Name: "App", Account: "a1", ID: func(p customer.Person) string { return p.Name },
		Write: func(customer.Person, string) (string, error) { return "1", nil },
	}}})
	deliver := func(body string) int {
		w := httptest.NewRecorder()
		page.ReceiveAnswer(w, httptest.NewRequest(http.MethodPost, customer.AppPath+"a1", strings.NewReader(body)))
		return w.Code
	}
	const answer = `{"type":"channel.message","data":{"object":{"id":"m1","external_id":"Elif","body":"Buyurun","files":[{}]}}}`
	for _, body := range []string{answer, answer, `{"type":"channel.csat_requested","data":{"object":{"id":"s1","external_id":"Elif","body":"?"}}}`} {
		if code := deliver(body); code != http.StatusNoContent {
			t.Errorf("%s: %d", body, code)
		}
	}
	if code := deliver(`{`); code != http.StatusBadRequest {
		t.Errorf("garbage: %d", code)
	}
	if text := show(t, page); strings.Count(text, "Buyurun 📎") != 1 || strings.Count(text, `class="theirs"`) > 1 {
		t.Errorf("the page is %s", text)
	}
}
