package telegram_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/tooltest"
	"konak/internal/sandbox/telegram"
)

const root = "../../.."

var elif = telegram.Person{ID: 5551234567, Name: "Elif Kaya"}

// serve starts the stand-in with one bot.
func serve(t *testing.T) (*telegram.Server, string) {
	t.Helper()
	s := telegram.New(clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)))
	s.Add(telegram.Bot{ID: 42, Name: "Demo", Username: "demo_bot", Token: "42:token"})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	return s, server.URL
}

// drive runs a script of a third-party client and compares its output.
func drive(t *testing.T, pkg, address string, want map[string]any, more ...string) {
	t.Helper()
	args := append([]string{address, "42:token", "5551234567"}, more...)
	var got map[string]any
	if err := json.Unmarshal([]byte(tooltest.RunNode(t, root, pkg, "testdata/"+pkg+".cjs", args...)), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s understood %v, want %v", pkg, got, want)
	}
}

func methodsOf(list []telegram.Sent) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Method)
	}
	return strings.Join(out, " ")
}

// A bot of a third-party library works with the stand-in as with Telegram: updates,
// answers, reactions, files, refusals and pauses.
func TestGrammy(t *testing.T) {
	t.Parallel()
	s, address := serve(t)
	s.Say(42, elif, "Siparişim nerede?")
	s.Fail("sendVoice", 429, "Too Many Requests: retry after 7", 7)
	file := s.File([]byte("%PDF-1.4"))
	drive(t, "grammy", address, map[string]any{
		"username": "demo_bot", "heard": "Siparişim nerede?", "photo": true, "album": 2.0, "file": "%PDF-1.4",
		"refused": 400.0, "wrongToken": 401.0, "retryAfter": 7.0,
	}, file)
	sent := s.Sent(42)
	if got := methodsOf(sent); got != "sendMessage setMessageReaction sendPhoto sendMediaGroup sendMediaGroup" {
		t.Fatalf("sent %s", got)
	}
	if sent[0].Buttons[0].CallbackData != "yes" || sent[1].Emoji != "👍" || sent[2].Files[0].Name != "a.png" || sent[4].Files[0].Name != "c.png" {
		t.Errorf("sent %+v", sent)
	}
}

// The webhook of another library gets what customers write, with the secret token.
func TestTelegraf(t *testing.T) {
	t.Parallel()
	s, address := serve(t)
	s.Say(42, elif, "/start")
	drive(t, "telegraf", address, map[string]any{"username": "demo_bot", "sent": "Merhaba", "webhook": true, "heard": []any{"/start", "Kapıda mı?"}})
	sent := s.Sent(42)
	if got := methodsOf(sent); got != "sendMessage sendDocument" || sent[1].Files[0].Name != "fatura.pdf" || sent[1].Text != "Fatura" {
		t.Errorf("sent %s: %+v", got, sent)
	}
}
