package whatsapp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/whatsapp"
)

// callback accepts posts and answers the challenge.
type callback struct {
	mu  sync.Mutex
	got []wire.Messages
	bad int
}

func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if r.URL.Query().Get("hub.verify_token") == "ours" {
			_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	var hook wire.Webhook
	var m wire.Messages
	if r.Header.Get(graph.SignatureHeader) != graph.Sign("secret", body) || json.Unmarshal(body, &hook) != nil || json.Unmarshal(hook.Entry[0].Changes[0].Value, &m) != nil {
		c.bad++
		return
	}
	c.got = append(c.got, m)
}

func post(t *testing.T, to, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// A stand-in that stores a file keeps its state over a restart, and posts what customers
// and the service do, signed and in order.
func TestStateSurvivesRestart(t *testing.T) {
	t.Parallel()
	now := clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	path := filepath.Join(t.TempDir(), "sandbox.json")
	ours := &callback{}
	receiver := httptest.NewServer(ours)
	t.Cleanup(receiver.Close)
	start := func() (*whatsapp.Server, string) {
		s, err := whatsapp.Open(now, path)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		t.Cleanup(s.Close)
		return s, server.URL + "/" + graph.Version
	}
	s, at := start()
	s.Add(whatsapp.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 555 01 01"}}})
	if status := post(t, at+"/1/subscribed_apps", `{"override_callback_uri":"`+receiver.URL+`","verify_token":"guessed"}`); status != 400 {
		t.Errorf("a callback that is not ours: %d", status)
	}
	if status := post(t, at+"/1/subscribed_apps", `{"override_callback_uri":"`+receiver.URL+`","verify_token":"ours"}`); status != 200 {
		t.Errorf("ours: %d", status)
	}
	if _, err := s.Say("11", whatsapp.Customer{ID: "905321234567", Name: "Elif"}, "Merhaba"); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	s.Close()

	s, at = start()
	text := `{"messaging_product":"whatsapp","to":"905321234567","type":"text","text":{"body":"Buyurun"}}`
	if status := post(t, at+"/11/messages", text); status != 200 {
		t.Errorf("an answer: %d", status)
	}
	now.Advance(25 * time.Hour)
	if status := post(t, at+"/11/messages", text); status != 200 {
		t.Errorf("a late answer: %d", status)
	}
	if status := post(t, strings.TrimSuffix(at, "/"+graph.Version)+"/sandbox/11/messages", `{"from":"905321234567","text":"Buradayım"}`); status != 200 {
		t.Errorf("a customer over HTTP: %d", status)
	}
	s.Settle()
	ours.mu.Lock()
	defer ours.mu.Unlock()
	var seen []string
	for _, m := range ours.got {
		for _, in := range m.Messages {
			seen = append(seen, in.Text.Body)
		}
		for _, st := range m.Statuses {
			seen = append(seen, st.Status)
		}
	}
	if got := strings.Join(seen, " "); got != "Merhaba sent delivered failed Buradayım" || ours.bad != 0 {
		t.Errorf("posted %q, %d that were not signed", got, ours.bad)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := whatsapp.Open(now, path); err == nil {
		t.Error("a file that cannot be read was read")
	}
}
