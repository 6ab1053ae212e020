package webhook_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
)

// The catalog depends on the licence, and registration depends on the catalog; its older
// address answers alike. Seeing it needs no right to change anything.
func TestCatalogNarrows(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		names := func(path string) (out []string) {
			var list []webhook.CatalogEntry
			w.Key(false, perm.SettingsView).Get(path).Want(200).Data(&list)
			for _, e := range list {
				out = append(out, e.Name)
			}
			return out
		}
		all := names(hooks + "/catalog")
		var english, turkish []webhook.CatalogEntry
		w.Owner.Get(hooks + "/catalog").Want(200).Data(&english)
		w.Owner.Header("Accept-Language", "tr-TR,tr;q=0.9").Get(hooks + "/catalog").Want(200).Data(&turkish)
		for i, e := range english {
			if e.Description == "" || turkish[i].Description == "" || e.Description == turkish[i].Description {
				t.Errorf("%s: %q, %q", e.Name, e.Description, turkish[i].Description)
			}
		}
		if diff := cmp.Diff(all, names("/api/v1/webhooks/catalog")); diff != "" {
			t.Error(diff)
		}
		for _, name := range []string{
			"conversation.created", "conversation.replied", "conversation.closed", "conversation.snoozed",
			"contact.created", "contact.updated", "contact.deleted", webhook.PingTest, "dlp.exception.created",
		} {
			if !slices.Contains(all, name) {
				t.Errorf("the catalog has no %s", name)
			}
		}
		w.Guest().Get(hooks+"/catalog").Refused(403, "forbidden")
		w.Key(false, perm.EventsEmit).Get("/api/v1/webhooks/catalog").Refused(403, "forbidden")
		s.Client("").Get("/api/v1/webhooks/catalog").Refused(401, "unauthenticated")

		setLicences(t, s, w.ID, "crm", "erp")
		w.Owner = w.SignIn("owner@demo.example")
		if now := names(hooks + "/catalog"); slices.Contains(now, "dlp.exception.created") || !slices.Contains(now, "contact.created") || !slices.Contains(now, webhook.PingTest) {
			t.Errorf("without the mail licence it has %v", now)
		}
		w.Owner.Post(hooks, map[string]any{"address": "https://example.com/", "events": []string{"dlp.exception.created"}}).Refused(400, "unknown_event")
		w.Owner.Post(hooks+"/emit", map[string]any{"event": "dlp.exception.created", "data": map[string]any{}}).Refused(400, "unknown_event")
		setLicences(t, s, w.ID, "crm")
		w.Owner = w.SignIn("owner@demo.example")
		w.Owner.Get(hooks+"/catalog").Refused(403, "not_licensed")
		w.Owner.Post(hooks, map[string]any{"address": "https://example.com/", "events": []string{"contact.created"}}).Refused(403, "not_licensed")
	})
}

// Registering and changing needs erp.settings.manage, seeing needs erp.settings.view, and a
// credential without them is refused even on routes that need none.
func TestPermissions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", webhook.PingTest)
		path := hooks + "/" + e.ID.String()
		w.Guest().Post(hooks, map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}).Refused(403, "forbidden")
		see := w.Key(false, perm.SettingsView)
		see.Get(path + "/events").Want(200)
		see.Get(hooks + "/events").Want(200)
		for _, act := range []string{"/rotate-secret", "/test"} {
			if f := see.Post(path+act, nil).Refused(403, "forbidden"); f.Permission != "erp.settings.manage" {
				t.Errorf("%s: %+v", act, f)
			}
		}
		see.Post(path+"/status", map[string]any{"status": "paused"}).Refused(403, "forbidden")
		see.Post(path+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour)}).Refused(403, "forbidden")
		see.Post(hooks+"/emit", map[string]any{"event": webhook.PingTest, "data": map[string]any{}}).Refused(403, "forbidden")
		see.Delete(path).Refused(403, "forbidden")
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.SecretLast4 != e.SecretLast4 {
			t.Errorf("got %+v", got)
		}
	})
}

// Events that an endpoint subscribed to while it could do not keep a person from changing
// its other settings.
func TestChangeAfterALicenceEnded(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", "dlp.exception.created", "contact.created")
		path := hooks + "/" + e.ID.String()
		setLicences(t, s, w.ID, "crm", "erp")
		w.Owner = w.SignIn("owner@demo.example")
		var got webhook.Endpoint
		w.Owner.Do("PATCH", path, map[string]any{
			"address": "https://example.com/moved", "events": []string{"dlp.exception.created", "contact.created", "contact.updated"},
		}).Want(200).Data(&got)
		if got.Address != "https://example.com/moved" || len(got.Events) != 3 {
			t.Errorf("got %+v", got)
		}
		w.Owner.Do("PATCH", path, map[string]any{"events": []string{"dlp.exception.deleted"}}).Refused(400, "unknown_event")
	})
}

// A disabled endpoint is tried at once when it gets a new address.
func TestNewAddressIsTriedAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		old, now := newReceiver(t), newReceiver(t)
		old.answer(410)
		e := register(w, old.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		exempt(w, 2)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Disabled || *got.DisabledErrorClass != "status" {
			t.Fatalf("got %+v", got)
		}
		path := hooks + "/" + e.ID.String()
		w.Owner.Do("PATCH", path, map[string]any{"description": "the same address"}).Want(200)
		s.Settle()
		if n := len(old.take()); n != 1 {
			t.Errorf("%d requests to the old address", n)
		}
		w.Owner.Do("PATCH", path, map[string]any{"address": now.URL}).Want(200)
		s.Settle()
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.DisabledErrorClass != nil || len(now.take()) != 2 || len(old.take()) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// A delivery can be queued again from every state, and arrives.
func TestResendFromEveryState(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		id := deliveries(w, e.ID)[0].ID
		for _, from := range []string{webhook.Delivered, webhook.Failed, webhook.Exhausted, webhook.Pending} {
			err := s.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`UPDATE webhook_delivery SET status = $3, next_at = $4 WHERE tenant_id = $1 AND id = $2`,
					w.ID, id, from, s.Clock.Now().Add(time.Hour).UnixMicro())
			})
			if err != nil {
				t.Fatal(err)
			}
			rcv.take()
			var d webhook.Resent
			s.Client("").Post(hooks+"/events/"+id.String()+"/resend", nil).Want(200).Data(&d)
			if d.Status != webhook.Pending || d.ID != id {
				t.Errorf("from %s: %+v", from, d)
			}
			s.Settle()
			if d := deliveries(w, e.ID)[0]; d.Status != webhook.Delivered || len(rcv.take()) != 1 {
				t.Errorf("from %s: %+v", from, d)
			}
		}
	})
}

// Mail shows the newest hundred deliveries and no further page.
func TestMailHistory(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		var e webhook.Registered
		w.Owner.Post(mailHooks, map[string]any{"address": rcv.URL, "events": []string{"dlp.exception.created"}}).Want(201).Data(&e)
		path := mailHooks + "/" + e.ID.String()
		w.Owner.Post(path+"/test", nil).Want(200)
		s.Settle()
		s.Clock.Advance(time.Second)
		emitMany(t, s, w, 103)
		s.Settle()
		var list []webhook.Delivery
		resp := w.Owner.Get(path + "/deliveries").Want(200).Data(&list)
		if len(list) != 100 || resp.NextCursor() != "" {
			t.Fatalf("%d listed, then %q", len(list), resp.NextCursor())
		}
		for i, d := range list {
			if d.EventType == webhook.PingTest || i > 0 && d.CreatedAt.After(list[i-1].CreatedAt.Time) {
				t.Fatalf("row %d is %+v", i, d)
			}
		}
		if w.Owner.Get(path + "/deliveries?event_type=ping.test&status=delivered").Want(200).Data(&list); len(list) != 1 {
			t.Errorf("%d tests listed", len(list))
		}
		w.Owner.Get(path+"/deliveries?status=lost").Refused(422, "validation_failed")
	})
}

// Mails link to the endpoint's page in the panel, and say in the reader's language what is
// wrong.
func TestNotices(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var e webhook.Registered
		w.Owner.Post(mailHooks, map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}).Want(201).Data(&e)
		w.Owner.Post(mailHooks+"/"+e.ID.String()+"/rotate-secret", nil).Want(200)
		w.Owner.Delete(mailHooks + "/" + e.ID.String()).Want(200)
		s.Settle()
		list, err := s.Mailer.Outbox(t.Context(), w.ID, db.Page{Limit: 100, After: db.First})
		if err != nil || len(list.Rows) != 2 {
			t.Fatalf("%d mails, %v", len(list.Rows), err)
		}
		if text := list.Rows[1].Text; !strings.Contains(text, "/mail/webhooks/"+e.ID.String()) {
			t.Errorf("the mail about the rotation: %s", text)
		}
		if text := list.Rows[0].Text; !strings.Contains(text, "/mail/webhooks") || strings.Contains(text, e.ID.String()) {
			t.Errorf("the mail about the deletion: %s", text)
		}
	})
	code := 503
	for _, n := range []webhook.Notice{
		{Class: "status", Code: &code, Reason: "the receiver answered 503"},
		{Class: "dns", Reason: "the host name cannot be resolved"},
		{Class: "connect", Reason: "connection refused"},
		{Class: "tls", Reason: "x509: unknown authority"},
		{Class: "timeout", Reason: "the receiver did not answer in time"},
		{Class: "refused_address", Reason: "the address is not on the public internet"},
		{Class: "body", Reason: "unexpected EOF"},
	} {
		for _, kind := range []string{webhook.NoticeDisabled, webhook.NoticeGivenUp} {
			n.Kind, n.Module, n.Address = kind, webhook.Channel, "https://example.com/"
			_, en := n.Text("en")
			_, tr := n.Text("tr")
			if !strings.Contains(en[0], n.Reason) || strings.Contains(tr[0], n.Reason) || !strings.Contains(tr[0], "son hata: ") {
				t.Errorf("%s: %q, %q", n.Class, en[0], tr[0])
			}
			if n.Path() != "/crm/channels" {
				t.Errorf("got %s", n.Path())
			}
		}
	}
}

// A history that is narrowed to rare deliveries is read in bounded steps: a page may be
// empty, and leads to the next until everything was searched.
func TestFilteredHistoryIsReadInSteps(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, newReceiver(t).URL, "dlp.exception.created", "dlp.exception.deleted")
		w.Owner.Post(hooks+"/emit", map[string]any{"event": "dlp.exception.deleted", "data": map[string]any{"id": "1"}}).Want(202)
		for range 11 {
			emitMany(t, s, w, 500)
		}
		dispatch(t, s)
		for _, path := range []string{hooks + "/" + e.ID.String() + "/events", hooks + "/events"} {
			var first, second []webhook.Delivery
			resp := w.Owner.Get(path + "?event_type=dlp.exception.deleted").Want(200).Data(&first)
			if len(first) != 0 || resp.NextCursor() == "" {
				t.Fatalf("%s: the first page holds %v, and then comes %q", path, first, resp.NextCursor())
			}
			resp = w.Owner.Get(path + "?event_type=dlp.exception.deleted&cursor=" + resp.NextCursor()).Want(200).Data(&second)
			if len(second) != 1 || resp.NextCursor() != "" {
				t.Errorf("%s: the second page holds %v, and then comes %q", path, second, resp.NextCursor())
			}
		}
	})
}
