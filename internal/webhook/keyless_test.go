package webhook_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/webhook"
)

// sight is one way in which a person came to see a text.
type sight struct{ way, text string }

// Nothing that readers of webhooks, of the audit log and of mails see, or that receivers
// get, opens a route that works without a credential: each id in it is tried on each route.
// A person who may change a webhook sees its keyless id.
func TestReadersSeeNoKeylessID(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, m := range []struct {
			base, history, deliveries string
			view                      perm.Permission
			keyless                   []string // methods and ends of paths
		}{
			{hooks, "/events", "/events", perm.SettingsView, []string{
				"GET /events", "POST /rotate-secret", "POST /status", "POST /test", "DELETE ",
			}},
			{mailHooks, "/deliveries", "/deliveries", perm.MailWebhooksView, []string{"GET /deliveries", "POST /test"}},
		} {
			rcv := newReceiver(t)
			var e webhook.Registered
			w.Owner.Post(m.base, map[string]any{"address": rcv.URL, "events": []string{webhook.PingTest}}).Want(201).Data(&e)
			path := m.base + "/" + e.ID.String()
			var queued webhook.Queued
			w.Owner.Post(path+"/test", nil).Want(200).Data(&queued)
			w.Owner.Post(path+"/recover", map[string]any{"since": s.Clock.Now().Add(-time.Hour)}).Want(202)
			w.Owner.Post(path+"/rotate-secret", nil).Want(200)
			s.Client("").Get(m.base + "/" + e.KeylessID.String() + m.history).Want(200)
			s.Settle()

			reader := member(t, s, w, "reader-"+strings.Split(m.base, "/")[2], m.view, perm.AuditView)
			var seen []sight
			look := func(who string, c *apptest.Client, paths ...string) {
				for _, p := range paths {
					seen = append(seen, sight{who + " " + p, string(c.Get(p).Want(200).Body)})
				}
			}
			one := m.base + m.deliveries + "/" + queued.DeliveryID.String()
			look("a reader", reader, m.base, path, path+m.history, one, path+"/recoveries", "/api/v1/auth/audit")
			look("a reading key", w.Key(false, m.view), path, path+m.history, one, path+"/recoveries")
			look("a test key", w.Key(true, perm.All()...), path)
			if m.base == hooks {
				look("a reader", reader, hooks+"/events")
				for _, d := range listen(t, s, w.Key(false, m.view), "", "0").next(1) {
					seen = append(seen, sight{"the stream", fmt.Sprintf("%+v", d)})
				}
			}
			got := rcv.take()
			if len(got) == 0 {
				t.Fatal("the receiver got nothing")
			}
			for _, r := range got {
				seen = append(seen, sight{"the receiver", fmt.Sprint(r.header) + string(r.body)})
			}
			mails, err := s.Mailer.Outbox(t.Context(), w.ID, db.Page{Limit: 100, After: db.First})
			if err != nil || len(mails.Rows) == 0 {
				t.Fatalf("%d mails, %v", len(mails.Rows), err)
			}
			for _, mail := range mails.Rows {
				text, err := json.Marshal(mail)
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, sight{"a mail", string(text)})
			}

			tried := 0
			for _, one := range seen {
				if strings.Contains(one.text, e.KeylessID.String()) {
					t.Errorf("%s shows the keyless id", one.way)
				}
				for _, id := range anID.FindAllString(one.text, -1) {
					for _, route := range m.keyless {
						method, end, _ := strings.Cut(route, " ")
						body := any(nil)
						if end == "/status" {
							body = map[string]any{"status": "paused"}
						}
						if r := s.Client("").Do(method, m.base+"/"+id+end, body); r.Status != 404 {
							t.Errorf("%s shows an id with which %s %s%s is a %d", one.way, method, m.base, end, r.Status)
						}
						tried++
					}
				}
			}
			if tried == 0 {
				t.Fatal("no id was tried")
			}

			// The same ids with a reader's credential: the permission decides.
			reader.Post(path+"/rotate-secret", nil).Refused(403, "forbidden")
			w.Key(false, m.view).Post(path+"/test", nil).Refused(403, "forbidden")

			// A person who may change the webhook sees it wherever the webhook is shown.
			for _, text := range []string{
				string(w.Owner.Get(m.base).Want(200).Body),
				string(w.Owner.Get(path).Want(200).Body),
				string(w.Owner.Do("PATCH", path, map[string]any{"description": "x"}).Want(200).Body),
				string(w.Owner.Post(path+"/status", map[string]any{"status": "paused"}).Want(200).Body),
				string(w.Owner.Post(path+"/rotate-secret", nil).Want(200).Body),
			} {
				if !strings.Contains(text, `"keyless_id":"`+e.KeylessID.String()+`"`) {
					t.Errorf("who may change it does not see the keyless id: %s", text)
				}
			}
			// It is a key and not a name: requests with a credential use the id.
			w.Owner.Get(m.base+"/"+e.KeylessID.String()).Refused(404, "not_found")
			if e.KeylessID.Version() != 4 || *e.KeylessID == e.ID || *e.KeylessID == uuid.Nil {
				t.Errorf("the keyless id is %s, the id %s", e.KeylessID, e.ID)
			}
		}
	})
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
