package webhook_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
	"konak/internal/webhook/signature"
)

// streamed is a message of the stream, with its id.
type streamed struct {
	id string
	webhook.StreamedDelivery
}

// listening is an open stream.
type listening struct {
	t     *testing.T
	lines *bufio.Scanner
}

func listen(t *testing.T, s *apptest.Server, c *apptest.Client, query, last string) *listening {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+hooks+"/stream"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token())
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != 200 {
		t.Fatalf("the stream answered %d", resp.StatusCode)
	}
	l := &listening{t, bufio.NewScanner(resp.Body)}
	for l.lines.Scan() && l.lines.Text() != ": ready" {
	}
	return l
}

// next reads that many deliveries.
func (l *listening) next(n int) (list []streamed) {
	l.t.Helper()
	id := ""
	for len(list) < n && l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "data":
			one := streamed{id: id}
			if err := json.Unmarshal([]byte(value), &one.StreamedDelivery); err != nil {
				l.t.Fatal(err)
			}
			list, id = append(list, one), ""
		}
	}
	if len(list) < n {
		l.t.Fatalf("the stream ended after %d of %d: %v", len(list), n, l.lines.Err())
	}
	return list
}

// A caller who may see webhooks and the events' data gets every delivery as its receiver
// gets it, and after a break continues without a gap.
func TestStream(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		key := w.Key(false, perm.SettingsView, perm.DLPView)
		secrets := map[string]string{}
		var first, foreign webhook.Registered
		for i := range 2 {
			e := register(w, "https://example.com/", "dlp.exception.created")
			if secrets[e.ID.String()] = e.Secret; i == 0 {
				first = e
			}
		}
		foreign = register(other, "https://example.com/", "dlp.exception.created")
		l := listen(t, s, key, "", "")
		exempt(other, 9)
		exempt(w, 1)
		s.Settle()
		got := l.next(2)
		for _, d := range got {
			secret := secrets[d.EndpointID.String()]
			if secret == "" || d.Headers["X-Service-Signature"] != signature.Sign(secret, []byte(d.Body)) ||
				d.Headers["X-Service-Delivery"] != d.DeliveryID.String() || !strings.Contains(d.Body, "a1@example.com") {
				t.Errorf("got %+v", d)
			}
		}
		// The id that a receiver resumes from moves when it has both.
		if diff := cmp.Diff([]string{"", "1"}, []string{got[0].id, got[1].id}); diff != "" {
			t.Error(diff)
		}
		exempt(w, 2)
		s.Settle()
		if again := listen(t, s, key, "", "1").next(2); !strings.Contains(again[0].Body, "a2@example.com") {
			t.Errorf("resumed with %+v", again)
		}
		only := listen(t, s, key, "?endpoint="+first.ID.String(), "0").next(2)
		for _, d := range only {
			if d.EndpointID != first.ID {
				t.Errorf("got %+v", d)
			}
		}

		path := hooks + "/stream"
		key.Get(path+"?endpoint="+foreign.ID.String()).Refused(422, "validation_failed")
		key.Get(path+"?endpoint=mine").Refused(422, "validation_failed")
		key.Header("Last-Event-ID", "-1").Get(path).Refused(422, "validation_failed")
		s.Client("").Get(path).Refused(401, "unauthenticated")
		w.Guest().Get(path).Refused(403, "forbidden")
	})
}

// A stream ends with the key that opened it.
func TestStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.StreamCheck = time.Hour }, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var key struct{ ID, Key string }
		w.Owner.Post("/api/v1/auth/api-keys", map[string]any{
			"name": "dev", "scopes": []string{"webhooks.read"}, "environment": "live",
		}).Want(201).Data(&key)
		l := listen(t, s, s.Client(key.Key), "", "")
		w.Owner.Delete("/api/v1/auth/api-keys/" + key.ID).Want(200)
		for l.lines.Scan() {
		}
		if err := l.lines.Err(); err != nil {
			t.Errorf("the stream of a revoked key was not ended: %v", err)
		}
	})
}
