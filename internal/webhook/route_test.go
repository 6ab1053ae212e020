package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
	"konak/internal/webhook/signature"
)

const mailHooks = "/api/mail/v1/webhooks"

// deliveries returns an endpoint's history.
func deliveries(w *apptest.Workspace, id uuid.UUID) []webhook.Delivery {
	var list []webhook.Delivery
	w.Owner.Get(hooks + "/" + id.String() + "/events").Want(200).Data(&list)
	return list
}

func endpoint(w *apptest.Workspace, id uuid.UUID) webhook.Endpoint {
	var e webhook.Endpoint
	w.Owner.Get(hooks + "/" + id.String()).Want(200).Data(&e)
	return e
}

// exempt causes an event.
func exempt(w *apptest.Workspace, n int) {
	w.Owner.Post(exceptions, map[string]any{"email": fmt.Sprintf("a%d@example.com", n)}).Want(201)
}

func standard(secret, id, stamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte(id + "." + stamp + "."))
	m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

func TestRotation(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		path := hooks + "/" + e.ID.String() + "/rotate-secret"

		var now webhook.Registered
		w.Owner.Post(path, nil).Want(200).Data(&now)
		if now.Secret == e.Secret || !strings.HasPrefix(now.Secret, "whsec_") || now.ID != e.ID {
			t.Fatalf("got %+v", now)
		}
		exempt(w, 1)
		s.Settle()
		got := rcv.take()[0]
		if sig := got.header.Get("X-Service-Signature"); sig != signature.Sign(now.Secret, got.body) {
			t.Error("the old secret outlived the rotation")
		}
		id, stamp := got.header.Get("Webhook-Id"), got.header.Get("Webhook-Timestamp")
		if id != got.header.Get("X-Service-Delivery") || stamp != fmt.Sprint(s.Clock.Now().Unix()) {
			t.Errorf("id %s, timestamp %s", id, stamp)
		}
		if diff := cmp.Diff(standard(now.Secret, id, stamp, got.body), got.header.Get("Webhook-Signature")); diff != "" {
			t.Error(diff)
		}

		// With a grace period both secrets verify until it ends.
		var next webhook.Registered
		w.Owner.Post(path, map[string]any{"grace_seconds": 60}).Want(200).Data(&next)
		exempt(w, 2)
		s.Settle()
		got = rcv.take()[0]
		id, stamp = got.header.Get("Webhook-Id"), got.header.Get("Webhook-Timestamp")
		both := standard(now.Secret, id, stamp, got.body) + " " + standard(next.Secret, id, stamp, got.body)
		if diff := cmp.Diff(both, got.header.Get("Webhook-Signature")); diff != "" {
			t.Error(diff)
		}
		if got.header.Get("X-Service-Signature") != signature.Sign(now.Secret, got.body) {
			t.Error("the plain signature left the old secret before its time")
		}
		if at := endpoint(w, e.ID).OldSecretEnds; at == nil || !at.Equal(s.Clock.Now().Add(time.Minute)) {
			t.Errorf("the old secret is said to end at %v", at)
		}
		s.Clock.Advance(time.Minute)
		exempt(w, 3)
		s.Settle()
		if at := endpoint(w, e.ID).OldSecretEnds; at != nil {
			t.Errorf("an old secret that is over is still told of: %v", at)
		}
		got = rcv.take()[0]
		if got.header.Get("X-Service-Signature") != signature.Sign(next.Secret, got.body) {
			t.Error("the old secret outlived its grace")
		}
		w.Owner.Post(path, map[string]any{"grace_seconds": 604801}).Refused(422, "validation_failed")
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		path := hooks + "/" + e.ID.String() + "/status"
		w.Owner.Post(path, map[string]any{"status": "disabled"}).Refused(422, "validation_failed")
		w.Owner.Post(path, map[string]any{"status": "paused"}).Want(200)
		exempt(w, 1)
		s.Settle()
		if got := len(rcv.take()) + len(deliveries(w, e.ID)); got != 0 {
			t.Fatalf("a paused endpoint got %d deliveries", got)
		}
		w.Owner.Post(path, map[string]any{"status": "active"}).Want(200)
		exempt(w, 2)
		s.Settle()
		if got := len(rcv.take()); got != 1 {
			t.Fatalf("%d requests, want 1", got)
		}
		// The events that it missed are recovered.
		w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-31 * 24 * time.Hour).Format(time.RFC3339)}).Refused(422, "validation_failed")
		s.Clock.Advance(time.Second)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour).Format(time.RFC3339)}).Want(202)
		s.Settle()
		if got := rcv.take(); len(got) != 1 || !strings.Contains(string(got[0].body), "a1@example.com") {
			t.Fatalf("recovered %d", len(got))
		}
	})
}

func TestResend(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		first := rcv.take()[0]
		d := deliveries(w, e.ID)[0]
		var again webhook.Delivery
		w.Owner.Post(hooks+"/events/"+d.ID.String()+"/resend", nil).Want(200).Data(&again)
		if again.Status != webhook.Pending || again.ID != d.ID {
			t.Fatalf("got %+v", again)
		}
		s.Settle()
		second := rcv.take()[0]
		if string(first.body) != string(second.body) || first.header.Get("X-Service-Delivery") != second.header.Get("X-Service-Delivery") {
			t.Error("a resend is not the same delivery")
		}
		var detail struct {
			webhook.Delivery
			Body     json.RawMessage
			Attempts []webhook.Attempt `json:"attempt_list"`
			Count    int               `json:"attempts"`
			Headers  map[string]string
		}
		w.Owner.Get(hooks + "/events/" + d.ID.String()).Want(200).Data(&detail)
		if detail.Count != 2 || len(detail.Attempts) != 2 || detail.Attempts[1].Number != 2 || *detail.Attempts[0].StatusCode != 200 {
			t.Errorf("attempts %+v", detail.Attempts)
		}
		if diff := cmp.Diff(string(first.body), string(detail.Body)); diff != "" {
			t.Error(diff)
		}
		if detail.Headers["X-Service-Event"] != "dlp.exception.created" || detail.Headers["X-Service-Signature"] != "" {
			t.Errorf("headers %v", detail.Headers)
		}
		// The endpoint's id does not work as a delivery's.
		w.Owner.Post(hooks+"/events/"+e.ID.String()+"/resend", nil).Refused(404, "not_found")
		// The other module's routes do not see it.
		w.Owner.Post(mailHooks+"/deliveries/"+d.ID.String()+"/resend", nil).Refused(404, "not_found")
		w.Owner.Get(mailHooks+"/"+e.ID.String()+"/deliveries").Refused(404, "not_found")
	})
}

func TestEmit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		in := map[string]any{"event": "dlp.exception.created", "data": map[string]any{"id": "42"}}
		var out webhook.Emitted
		w.Key(false, perm.EventsEmit).Post(hooks+"/emit", in).Want(202).Data(&out)
		s.Settle()
		got := rcv.take()
		if len(got) != 1 || !strings.Contains(string(got[0].body), out.EventID) || !strings.Contains(string(got[0].body), `"object":{"id":"42"}`) {
			t.Fatalf("got %d: %s", len(got), got[0].body)
		}
		// A key of the test environment writes the event and sends nothing, even next to
		// live deliveries.
		w.Key(true, perm.EventsEmit).Post(hooks+"/emit", in).Want(202)
		s.Settle()
		if got := rcv.take(); len(got) != 0 || len(deliveries(w, e.ID)) != 1 {
			t.Errorf("a test key caused %d requests", len(got))
		}
		w.Key(true, perm.EventsEmit).Post(hooks+"/emit", in).Want(202)
		w.Key(false, perm.EventsEmit).Post(hooks+"/emit", in).Want(202)
		s.Settle()
		if got := rcv.take(); len(got) != 1 || len(deliveries(w, e.ID)) != 2 {
			t.Errorf("a test key and a live one caused %d requests", len(got))
		}
		test := w.Key(true, perm.SettingsManage)
		var queued webhook.Queued
		test.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200).Data(&queued)
		if queued.DeliveryID != nil {
			t.Error("a test key queued a delivery")
		}
		test.Post(hooks+"/events/"+deliveries(w, e.ID)[0].ID.String()+"/resend", nil).Refused(409, "test_environment")
		test.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour)}).Refused(409, "test_environment")
		// Nor does it change live endpoints.
		test.Post(hooks+"/"+e.ID.String()+"/rotate-secret", nil).Refused(409, "test_environment")
		test.Post(hooks+"/"+e.ID.String()+"/status", map[string]any{"status": "paused"}).Refused(409, "test_environment")
		test.Delete(hooks+"/"+e.ID.String()).Refused(409, "test_environment")
		// A recovery does not send its events either.
		s.Clock.Advance(time.Second)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour)}).Want(202)
		s.Settle()
		if got := rcv.take(); len(got) != 0 || len(deliveries(w, e.ID)) != 2 {
			t.Errorf("a recovery sent %d events of a test key", len(got))
		}
		unknown := w.Owner.Post(hooks+"/emit", map[string]any{"event": "dlp.exception.craeted", "data": map[string]any{}}).Refused(400, "unknown_event")
		if diff := cmp.Diff(map[string][]string{"event": {"unknown_event"}}, unknown.Fields); diff != "" {
			t.Error(diff)
		}
		w.Owner.Post(hooks+"/emit", map[string]any{"event": "ping.test"}).Refused(422, "validation_failed")
		if diff := cmp.Diff([]string{
			"dlp.exception.created", "dlp.exception.created", "dlp.exception.created", "dlp.exception.created", webhook.PingTest,
		}, w.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEventsList(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		up, down := newReceiver(t), newReceiver(t)
		down.answer(500)
		a := register(w, up.URL, "dlp.exception.created")
		b := register(w, down.URL, "dlp.exception.created")
		for i := range 3 {
			exempt(w, i)
			s.Clock.Advance(time.Millisecond)
		}
		s.Settle()
		var all []webhook.Delivery
		resp := w.Owner.Get(hooks + "/events?limit=4").Want(200).Data(&all)
		var rest []webhook.Delivery
		w.Owner.Get(hooks + "/events?limit=4&cursor=" + resp.NextCursor()).Want(200).Data(&rest)
		if len(all) != 4 || len(rest) != 2 {
			t.Fatalf("pages of %d and %d", len(all), len(rest))
		}
		w.Owner.Post(hooks+"/"+a.ID.String()+"/test", nil).Want(200)
		s.Settle()
		one := "/" + a.ID.String() + "/events"
		for query, want := range map[string]int{
			"/events?status=delivered": 4, "/events?status=failed": 3, "/events?status=pending": 0, "/events?status=exhausted": 0,
			"/events?event_type=ping.test": 1, "/events?event_type=contact.created": 0,
			"/events?status=failed&event_type=ping.test": 0, "/events?status=delivered&event_type=dlp.exception.created": 3,
			one + "?status=delivered": 4, one + "?status=failed": 0, one + "?status=pending": 0,
			one + "?event_type=ping.test": 1, one + "?event_type=dlp.exception.created&status=delivered": 3,
			"/" + b.ID.String() + "/events?status=failed": 3,
		} {
			var list []webhook.Delivery
			w.Owner.Get(hooks + query).Want(200).Data(&list)
			if len(list) != want {
				t.Errorf("%s: %d, want %d", query, len(list), want)
			}
		}
		// A narrowed list continues after its cursor.
		var head, tail []webhook.Delivery
		resp = w.Owner.Get(hooks + one + "?event_type=dlp.exception.created&limit=2").Want(200).Data(&head)
		w.Owner.Get(hooks + one + "?event_type=dlp.exception.created&limit=2&cursor=" + resp.NextCursor()).Want(200).Data(&tail)
		if len(head) != 2 || len(tail) != 1 || tail[0].ID == head[1].ID {
			t.Errorf("pages of %d and %d", len(head), len(tail))
		}
		w.Owner.Get(hooks+"/events?status=lost").Refused(422, "validation_failed")
		w.Owner.Get(hooks+one+"?status=lost").Refused(422, "validation_failed")
		w.Owner.Get(hooks+one+"?cursor=lost").Refused(422, "validation_failed")
		// One endpoint's history runs from the newest to the oldest event.
		var order []string
		for _, d := range deliveries(w, a.ID)[1:] { // without the test
			order = append(order, d.EventID)
		}
		for i, d := range deliveries(w, b.ID) {
			if d.EventID != order[i] || i > 0 && d.EventID > order[i-1] {
				t.Errorf("out of order: %v", order)
			}
		}
	})
}

func TestMailWebhooks(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		var e webhook.Registered
		w.Owner.Post(mailHooks, map[string]any{"address": rcv.URL, "events": []string{"dlp.exception.created"}}).Want(201).Data(&e)
		path := mailHooks + "/" + e.ID.String()
		var list []webhook.Endpoint
		if w.Owner.Get(mailHooks).Want(200).Data(&list); len(list) != 1 {
			t.Fatalf("%d endpoints", len(list))
		}
		if w.Owner.Get(hooks).Want(200).Data(&list); len(list) != 0 {
			t.Fatal("ERP lists mail's endpoint")
		}
		nobody := s.Client("").Host("demo.mail.localhost")
		var queued webhook.Queued
		keyless := mailHooks + "/" + e.KeylessID.String()
		nobody.Post(keyless+"/test", nil).Want(200).Data(&queued)
		s.Settle()
		got := rcv.take()
		if len(got) != 1 || got[0].header.Get("X-Service-Event") != webhook.PingTest || got[0].header.Get("X-Service-Delivery") != queued.DeliveryID.String() {
			t.Fatalf("got %+v", got)
		}
		var history []webhook.Delivery
		if nobody.Get(keyless + "/deliveries").Want(200).Data(&history); len(history) != 1 || history[0].Status != webhook.Delivered {
			t.Fatalf("got %+v", history)
		}
		nobody.Post(mailHooks+"/deliveries/"+queued.DeliveryID.String()+"/resend", nil).Want(200)
		s.Settle()
		if n := len(rcv.take()); n != 1 {
			t.Errorf("the resend made %d requests", n)
		}
		nobody.Post(keyless+"/rotate-secret", nil).Refused(401, "unauthenticated")
		nobody.Delete(keyless).Refused(401, "unauthenticated")
		w.Owner.Post(path+"/rotate-secret", nil).Want(200)
		w.Owner.Delete(path).Want(200)
		nobody.Get(keyless+"/deliveries").Refused(404, "not_found")
	})
}

// A workspace can switch the keyless routes off; a credential that is sent
// must always be good.
func TestKeylessRoutesCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		e := register(w, "https://example.com/", webhook.PingTest)
		path, keyless := hooks+"/"+e.ID.String(), hooks+"/"+e.KeylessID.String()
		nobody := s.Client("")
		var queued webhook.Queued
		nobody.Post(keyless+"/test", nil).Want(200).Data(&queued)
		nobody.Get(keyless + "/events").Want(200)
		nobody.Post(keyless+"/status", map[string]any{"status": "paused"}).Want(200)
		nobody.Host("acme.erp.localhost").Get(keyless+"/events").Refused(404, "not_found")
		other.Owner.Get(path+"/events").Refused(404, "not_found")
		w.Guest().Get(path+"/events").Refused(403, "forbidden")

		var audited []string
		read := func(r *db.Reader) (err error) {
			audited, err = db.All(r, db.Scalar[string], `SELECT action FROM audit_log WHERE tenant_id = $1 AND actor_kind = 'system' ORDER BY id`, w.ID)
			return err
		}
		if err := s.DB.Tenant(w.ID).Read(t.Context(), read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"webhook.tested", "webhook.history_read", "webhook.status"}, audited); diff != "" {
			t.Error(diff)
		}

		w.Owner.Do("PUT", hooks+"/settings", map[string]any{"keyless": false}).Want(200)
		nobody.Get(keyless+"/events").Refused(401, "unauthenticated")
		nobody.Post(keyless+"/rotate-secret", nil).Refused(401, "unauthenticated")
		nobody.Post(hooks+"/events/"+queued.DeliveryID.String()+"/resend", nil).Refused(401, "unauthenticated")
		w.Owner.Get(path + "/events").Want(200)
		nobody.Get(hooks+"/"+uuid.NewString()+"/events").Refused(404, "not_found")
	})
}

// Guessing ids is hopeless and also conspicuous: the calls of strangers are limited.
func TestKeylessLimit(t *testing.T) {
	t.Parallel()
	s := apptest.NewWith(t, func(cfg *app.Config) { cfg.LimitFactor = 1 })
	nobody := s.Client("")
	for range 60 {
		nobody.Get(hooks + "/" + uuid.NewString() + "/events").Want(404)
	}
	if f := nobody.Get(hooks+"/"+uuid.NewString()+"/events").Refused(429, "rate_limited"); f.Reason != "keyless" {
		t.Errorf("got %+v", f)
	}
	s.Clock.Advance(time.Minute)
	nobody.Get(hooks + "/" + uuid.NewString() + "/events").Want(404)
}

func TestChange(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		old, now := newReceiver(t), newReceiver(t)
		e := register(w, old.URL, webhook.PingTest)
		path := hooks + "/" + e.ID.String()
		w.Owner.Do("PATCH", path, map[string]any{"events": []string{"nope"}}).Refused(400, "unknown_event")
		w.Owner.Do("PATCH", path, map[string]any{"address": "https://10.0.0.1"}).Refused(422, "validation_failed")
		var got webhook.Endpoint
		w.Owner.Do("PATCH", path, map[string]any{"address": now.URL, "rate_limit": 5, "strict_order": true}).Want(200).Data(&got)
		if got.Address != now.URL || *got.RateLimit != 5 || !got.StrictOrder || len(got.Events) != 1 {
			t.Errorf("got %+v", got)
		}
		w.Owner.Post(path+"/test", nil).Want(200)
		s.Settle()
		if sent := now.take(); len(sent) != 1 || sent[0].header.Get("X-Service-Signature") != signature.Sign(e.Secret, sent[0].body) {
			t.Errorf("got %d", len(sent))
		}
		if len(old.take()) != 0 {
			t.Error("the old address still gets deliveries")
		}
	})
}

// A deleted endpoint leaves no rows behind, however many it had.
func TestDeleteLeavesNoRows(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, newReceiver(t).URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
		exempt(w, 2)
		s.Settle()
		var left int
		err := s.DB.Tenant(w.ID).Read(t.Context(), func(r *db.Reader) (err error) {
			left, err = db.One(r, db.Scalar[int], `SELECT (SELECT count(*) FROM webhook_delivery WHERE tenant_id = $1)
				+ (SELECT count(*) FROM webhook_endpoint WHERE tenant_id = $1) + (SELECT count(*) FROM webhook_lane WHERE tenant_id = $1)`, w.ID)
			return err
		})
		if err != nil || left != 0 {
			t.Errorf("%d rows left, %v", left, err)
		}
	})
}

func TestEndpointLimit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for range 20 {
			register(w, "https://example.com/", webhook.PingTest)
		}
		w.Owner.Post(hooks, map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}).Refused(422, "limit_reached")
		w.Owner.Post(mailHooks, map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}).Want(201)
	})
}
