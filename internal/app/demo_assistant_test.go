package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/crm/assistant"
	"konak/internal/crm/channel/widget"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// In the demo's live chat a visitor gets an answer from the help center with its source, or
// a person if there is no answer, in both languages.
func TestDemoAssistant(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(dbtest.Start)
	a, err := app.Open(t.Context(), app.Config{
		DB: dbtest.URL(t, db.SQLite), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost", SQLiteSync: "normal", Demo: true,
	}, slog.New(slog.DiscardHandler), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	for slug, questions := range map[string][]demoQuestion{
		"demo": {
			{"Ürünü nasıl iade edebilirim?", "14 gün", "Kaynak: Ürünü nasıl iade ederim?\nhttp"},
			{"How do I return an item?", "14 days", "Source: How do I return an item?\nhttp"},
			{"Genel müdürünüzün adı ne?", "Sizi bir temsilciye aktarıyorum", ""},
			{"What are your opening hours?", "handing you over to a colleague", ""},
		},
		"acme": {
			{"Can we extend our trial?", "14 days", "Source: Can I extend my trial?\nhttp"},
			{"Is there a dark mode?", "handing you over to a colleague", ""},
		},
	} {
		askDemo(t, a, c, slug, questions)
	}
}

type demoQuestion struct{ text, says, source string }

// askDemo asks questions in the live chat of a demo workspace, each as a new visitor.
func askDemo(t *testing.T, a *app.App, c *clock.Fake, slug string, questions []demoQuestion) {
	t.Helper()
	id, err := a.Identity.TenantBySlug(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	account, err := a.Channels.Get(caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: id}), widget.Name, app.DemoAccount(id, widget.Name))
	if err != nil {
		t.Fatal(err)
	}
	var set struct{ Key string }
	if err := account.Read(&set); err != nil {
		t.Fatal(err)
	}
	call := func(method, path, token string, body, out any) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/api/crm/widget/v1/"+set.Key+path, bytes.NewReader(text))
		r.Header.Set("Origin", "https://www."+slug+".example")
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		a.API.Handler().ServeHTTP(w, r)
		if w.Code >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		answer := struct{ Data any }{out}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	answer := func() {
		t.Helper()
		payload, err := db.Read(t.Context(), a.DB.Tenant(id), func(r *db.Reader) (string, error) {
			return db.One(r, db.Scalar[string], `SELECT payload FROM job WHERE tenant_id = $1 AND kind = $2
				ORDER BY created_at DESC, id DESC LIMIT 1`, id, assistant.AnswerJob)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Assistant.Jobs()[0].Handler(t.Context(), &jobs.Job{TenantID: id, Payload: []byte(payload)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range questions {
		var session struct {
			VisitorToken string `json:"token"`
		}
		call("POST", "/session", "", map[string]any{}, &session)
		call("POST", "/messages", session.VisitorToken, map[string]any{"body": q.text, "message_id": fmt.Sprint("m", i)}, &struct{}{})
		c.Advance(3 * time.Second)
		answer()
		var list []widget.Message
		call("GET", "/messages", session.VisitorToken, nil, &list)
		if len(list) != 2 || list[0].From != "bot" || !strings.Contains(list[0].Body, q.says) || !strings.Contains(list[0].Body, q.source) {
			t.Errorf("%q: got %+v", q.text, list)
		}
	}
}
