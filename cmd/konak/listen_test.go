package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
	"konak/internal/webhook/signature"
)

// A developer's server gets what the endpoint would, and can verify it.
func TestListenForwards(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	w := s.Workspace("demo")
	var e webhook.Registered
	w.Owner.Post("/api/erp/v1/webhooks", map[string]any{"address": "https://example.com/", "events": []string{"dlp.exception.created"}}).Want(201).Data(&e)

	type request struct {
		header http.Header
		body   []byte
	}
	got := make(chan request, 1)
	local := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- request{r.Header, b}
	}))
	t.Cleanup(local.Close)

	ctx, stop := context.WithCancel(t.Context())
	out := &apptest.Buffer{}
	done := make(chan error, 1)
	l := listenCmd{Forward: local.URL + "/hook", Server: s.URL, Token: w.Key(false, perm.SettingsView, perm.DLPView).Token()}
	go func() { done <- l.Run(ctx, out) }()
	printed := func(what string) {
		t.Helper()
		for deadline := time.After(20 * time.Second); !strings.Contains(out.String(), what); {
			select {
			case <-deadline:
				t.Fatalf("printed %q", out.String())
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
	printed("listening")
	w.Owner.Post("/api/mail/v1/dlp/exceptions", map[string]any{"email": "a@example.com"}).Want(201)
	if _, err := s.Dispatcher.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := <-got
	if r.header.Get("X-Service-Signature") != signature.Sign(e.Secret, r.body) || r.header.Get("X-Service-Event") != "dlp.exception.created" ||
		!bytes.Contains(r.body, []byte("a@example.com")) {
		t.Errorf("got %v\n%s", r.header, r.body)
	}
	printed("-> 200")
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestListenRefusals(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, db.SQLite)
	weak := s.Workspace("demo").Key(false, perm.DLPView).Token()
	for want, l := range map[string]listenCmd{
		"for this. An API key needs the scope webhooks.read.": {Server: s.URL, Token: weak},
		"--token":   {Server: s.URL},
		"--forward": {Server: s.URL, Token: "x", Forward: "localhost:3000"},
		"answered 401: Sign in, or send a valid token": {Server: s.URL, Token: "key_live_wrong"},
	} {
		if err := l.Run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
