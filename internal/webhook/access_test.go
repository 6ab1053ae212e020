package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
)

// A delivery's id is in receivers' logs. Without a credential it resends, and no answer
// reveals the endpoint or what is sent to it.
func TestDeliveryIDAllowsOnlyResend(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.Close() // so that the error text of the attempt names its address
		nobody := s.Client("")
		for base, deliveries := range map[string]string{hooks: "/events/", mailHooks: "/deliveries/"} {
			var e webhook.Registered
			w.Owner.Post(base, map[string]any{"address": rcv.URL, "events": []string{"dlp.exception.created"}}).Want(201).Data(&e)
			var queued webhook.Queued
			w.Owner.Post(base+"/"+e.ID.String()+"/test", nil).Want(200).Data(&queued)
			s.Settle()
			path := base + deliveries + queued.DeliveryID.String()
			nobody.Get(path).Refused(401, "unauthenticated")
			body := string(nobody.Post(path+"/resend", nil).Want(200).Body)
			if !strings.Contains(body, queued.DeliveryID.String()) || !strings.Contains(body, `"status":"pending"`) {
				t.Errorf("%s: the resend answered %s", base, body)
			}
			for what, secret := range map[string]string{"endpoint's id": e.ID.String(), "address": strings.TrimPrefix(rcv.URL, "http://"), "body": "evt_"} {
				if strings.Contains(body, secret) {
					t.Errorf("%s: the resend tells the %s: %s", base, what, body)
				}
			}
			var d webhook.Detail
			if w.Owner.Get(path).Want(200).Data(&d); d.EndpointID != e.ID || *d.LastError == "" || strings.Contains(*d.LastError, "127.0.0.1") {
				t.Errorf("%s: who may see webhooks sees %+v", base, d)
			}
		}
	})
}

// member signs in a person who has exactly these permissions.
func member(t *testing.T, s *apptest.Server, w *apptest.Workspace, name string, ps ...perm.Permission) *apptest.Client {
	t.Helper()
	role := identity.Role{Name: "role-" + name, Title: name, Permissions: ps}
	if _, err := s.Identity.SetRole(w.Context(), role); err != nil {
		t.Fatal(err)
	}
	email := name + "@" + w.Slug + ".example"
	if err := s.Identity.AddMember(t.Context(), w.ID, name, email, apptest.Password, role.Name); err != nil {
		t.Fatal(err)
	}
	return w.SignIn(email)
}

// A person who subscribes to an event, or redirects an endpoint's events to another
// address, must be allowed to see their data.
func TestSubscribingNeedsThePermission(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, c := range []struct {
			base, event, other string
			missing            perm.Permission
			who                *apptest.Client
		}{
			{
				hooks, "conversation.created", "conversation.closed", perm.ConversationsView,
				member(t, s, w, "erp", perm.SettingsView, perm.SettingsManage),
			},
			{
				mailHooks, "dlp.exception.created", "dlp.exception.deleted", perm.DLPView,
				member(t, s, w, "mail", perm.MailWebhooksView, perm.MailWebhooksManage),
			},
		} {
			refused := func(r *apptest.Response) {
				t.Helper()
				if f := r.Refused(403, "forbidden"); f.Permission != string(c.missing) || len(f.Fields["events"]) != 1 {
					t.Errorf("got %+v, want %s", f, c.missing)
				}
			}
			in := map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest, c.event}}
			refused(c.who.Post(c.base, in))
			c.who.Post(c.base, map[string]any{"address": "https://example.com/", "events": []string{webhook.PingTest}}).Want(201)

			var e webhook.Registered
			w.Owner.Post(c.base, in).Want(201).Data(&e)
			path := c.base + "/" + e.ID.String()
			refused(c.who.Do("PATCH", path, map[string]any{"events": []string{c.event, c.other}}))
			refused(c.who.Do("PATCH", path, map[string]any{"address": "https://example.com/elsewhere"}))
			c.who.Do("PATCH", path, map[string]any{"description": "the same", "events": []string{c.event}}).Want(200)
			c.who.Do("PATCH", path, map[string]any{"events": []string{webhook.PingTest}, "address": "https://example.com/elsewhere"}).Want(200)
			w.Owner.Do("PATCH", path, map[string]any{"events": []string{c.event, c.other}, "address": "https://example.com/"}).Want(200)
		}
	})
}

// History and stream show bodies to callers who may see the event's data. Every delivery is
// live, so a key of the test environment finds none.
func TestBodiesAreHidden(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("got a1@example.com")) }))
		t.Cleanup(rcv.Close)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		path := hooks + "/events/" + deliveries(w, e.ID)[0].ID.String()
		blind, seeing := w.Key(false, perm.SettingsView), w.Key(false, perm.SettingsView, perm.DLPView)
		test := w.Key(true, perm.All()...)

		for _, c := range []struct {
			who    *apptest.Client
			hidden bool
		}{{blind, true}, {seeing, false}} {
			var d webhook.Detail
			body := string(c.who.Get(path).Want(200).Data(&d).Body)
			if d.BodyHidden != c.hidden || len(d.AttemptList) != 1 || strings.Contains(body, "a1@example.com") == c.hidden ||
				(string(d.Body) == "null") != c.hidden || (d.AttemptList[0].Answer == "") != c.hidden {
				t.Errorf("hidden %v: got %s", c.hidden, body)
			}
			got := listen(t, s, c.who, "", "0").next(1)[0]
			if got.BodyHidden != c.hidden || (got.Body == "") != c.hidden || (got.Headers["X-Service-Signature"] == "") != c.hidden ||
				got.Headers["X-Service-Delivery"] != d.ID.String() {
				t.Errorf("hidden %v: the stream brings %+v", c.hidden, got)
			}
		}

		for _, list := range []string{hooks + "/events", hooks + "/" + e.ID.String() + "/events"} {
			var rows []webhook.Delivery
			if test.Get(list).Want(200).Data(&rows); len(rows) != 0 {
				t.Errorf("%s shows a test key %+v", list, rows)
			}
		}
		test.Get(path).Refused(404, "not_found")
		test.Get(hooks + "/" + e.ID.String()).Want(200) // configuration stays readable
		s.Webhook.SetHeartbeat(20 * time.Millisecond)
		l := listen(t, s, test, "", "0")
		for l.lines.Scan() && l.lines.Text() != ": alive" {
			if strings.HasPrefix(l.lines.Text(), "data") {
				t.Errorf("the stream brings a test key %s", l.lines.Text())
			}
		}
	})
}
