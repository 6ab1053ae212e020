package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
)

const (
	hooks      = "/api/erp/v1/webhooks"
	exceptions = "/api/mail/v1/dlp/exceptions"
)

// receiver is a customer's server.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	status int
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{req.Header.Clone(), body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) take() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

func register(w *apptest.Workspace, address string, events ...string) webhook.Registered {
	var e webhook.Registered
	w.Owner.Post(hooks, map[string]any{"address": address, "events": events}).Want(201).Data(&e)
	return e
}

// One event from the gate to the customer's server, signed.
func TestSignedDelivery(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		register(other, rcv.URL, "dlp.exception.deleted")
		w.Owner.Post(exceptions, map[string]any{"email": "a@example.com"}).Want(201)
		s.Settle()
		got := rcv.take()
		if len(got) != 1 {
			t.Fatalf("%d requests, want 1", len(got))
		}
		m := hmac.New(sha256.New, []byte(e.Secret))
		m.Write(got[0].body)
		if sig := got[0].header.Get("X-Service-Signature"); sig != hex.EncodeToString(m.Sum(nil)) {
			t.Errorf("signature %q does not fit the body", sig)
		}
		var body struct {
			Type     string `json:"type"`
			Sequence int    `json:"sequence"`
			Tenant   struct {
				Slug string `json:"slug"`
			} `json:"tenant"`
			Actor struct {
				Type string `json:"type"`
				ID   string `json:"id"`
			} `json:"actor"`
			Data struct {
				Object struct {
					Email string `json:"email"`
				} `json:"object"`
			} `json:"data"`
		}
		if err := json.Unmarshal(got[0].body, &body); err != nil {
			t.Fatal(err)
		}
		if body.Type != "dlp.exception.created" || body.Sequence != 1 || body.Tenant.Slug != "demo" ||
			body.Actor.Type != "agent" || body.Actor.ID != w.Member.String() || body.Data.Object.Email != "a@example.com" {
			t.Errorf("body %s", got[0].body)
		}
		var history []webhook.Delivery
		w.Owner.Get(hooks + "/" + e.ID.String() + "/events").Want(200).Data(&history)
		if len(history) != 1 || history[0].Status != webhook.Delivered || history[0].ID.String() != got[0].header.Get("X-Service-Delivery") {
			t.Errorf("history %+v", history)
		}
	})
}

func TestRetry(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(503)
		e := register(w, rcv.URL, webhook.PingTest)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		s.Settle()
		first := rcv.take()
		history := func() webhook.Delivery {
			var h []webhook.Delivery
			w.Owner.Get(hooks + "/" + e.ID.String() + "/events").Want(200).Data(&h)
			return h[0]
		}
		if d := history(); d.Status != webhook.Failed || *d.LastStatusCode != 503 || *d.LastErrorClass != "status" || len(first) != 1 {
			t.Fatalf("after a 503: %+v, %d requests", d, len(first))
		}
		s.Settle()
		if n := len(rcv.take()); n != 0 {
			t.Fatalf("%d requests before the next attempt is due", n)
		}
		rcv.answer(204)
		s.Clock.Advance(7 * time.Second)
		s.Settle()
		second := rcv.take()
		if d := history(); d.Status != webhook.Delivered || d.Attempts != 2 {
			t.Fatalf("after a 204: %+v", d)
		}
		if diff := cmp.Diff(string(first[0].body), string(second[0].body)); diff != "" {
			t.Errorf("the bytes of two attempts differ:\n%s", diff)
		}
	})
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Post(hooks, map[string]any{"address": "https://example.com/", "events": []string{"dlp.exception.craeted"}}).Refused(400, "unknown_event")
		for address, code := range map[string]string{
			"ftp://example.com/":       "https_required",
			"example.com":              "invalid_address",
			"https://u:p@example.com/": "credentials_in_address",
			"https://example.com/#x":   "invalid_address",
		} {
			got := w.Owner.Post(hooks, map[string]any{"address": address, "events": []string{webhook.PingTest}}).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{"address": {code}}, got.Fields); diff != "" {
				t.Errorf("%s: %s", address, diff)
			}
		}
		// The secret is shown once: a repeat with the same key does not show it again.
		c := w.Owner.Header("Idempotency-Key", "k")
		in := map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}
		c.Post(hooks, in).Want(201)
		c.Post(hooks, in).Refused(409, "idempotency_replay")
		var list []map[string]any
		w.Owner.Get(hooks).Want(200).Data(&list)
		if len(list) != 1 || list[0]["secret"] != nil {
			t.Errorf("list %v", list)
		}
	})
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		w.Owner.Get(hooks + "/catalog").Want(200)
		w.Key(false, perm.SettingsView).Get(hooks + "/catalog").Want(200)
		s.Client("").Get(hooks+"/catalog").Refused(401, "unauthenticated")
	})
}

// An endpoint's keyless id is enough for its own routes, on the bare host and on the
// tenant's.
func TestKeyless(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", webhook.PingTest)
		path := hooks + "/" + e.KeylessID.String()
		nobody := s.Client("")
		nobody.Get(path + "/events").Want(200)
		nobody.Host("demo.erp.localhost").Get(path + "/events").Want(200)
		s.Client("ses_wrong").Get(path+"/events").Refused(401, "unauthenticated")
		nobody.Delete(path).Want(200)
		nobody.Delete(path).Refused(404, "not_found")
	})
}

// An internal address is refused when it is registered; the address that a name resolves to
// is refused when it is dialled.
func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, address := range []string{
			"https://10.0.0.1/", "https://[fd00::1]/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/latest",
			"https://[64:ff9b::a00:1]/", "http://10.0.0.1/",
		} {
			got := w.Owner.Post(hooks, map[string]any{"address": address, "events": []string{webhook.PingTest}}).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{"address": {"inside_address"}}, got.Fields); diff != "" || got.Reason == "" {
				t.Errorf("%s: %s (%s)", address, diff, got.Reason)
			}
		}
		for _, address := range []string{"https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/"} {
			got := w.Owner.Post(hooks, map[string]any{"address": address, "events": []string{webhook.PingTest}}).Refused(422, "validation_failed")
			if diff := cmp.Diff(map[string][]string{"address": {"invalid_address"}}, got.Fields); diff != "" {
				t.Errorf("%s: %s", address, diff)
			}
		}
		got := w.Owner.Post(hooks, map[string]any{"address": "http://8.8.8.8/", "events": []string{webhook.PingTest}}).Refused(422, "validation_failed")
		if diff := cmp.Diff(map[string][]string{"address": {"https_required"}}, got.Fields); diff != "" {
			t.Error(diff)
		}
	})
}
