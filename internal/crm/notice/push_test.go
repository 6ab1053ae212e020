package notice_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/notice"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/perm"
	"konak/internal/sandbox/push"
)

const (
	conversations = "/api/crm/v1/conversations"
	subscriptions = "/api/crm/v1/me/push-subscriptions"
)

type object = map[string]any

// desk is a workspace with an agent, Selin, whose browser is subscribed and whose
// panel is closed.
type desk struct {
	*apptest.Workspace
	t       *testing.T
	s       *apptest.Server
	service *push.Service
	key     *apptest.Client // a customer's software
	selin   *apptest.Client
	selinID string
	browser push.Subscription
}

func openDesk(t *testing.T, s *apptest.Server) *desk {
	t.Helper()
	d := &desk{Workspace: s.Workspace("demo"), t: t, s: s, service: push.Start(s.Clock)}
	t.Cleanup(d.service.Close)
	d.key, d.selin = d.FullKey(), colleague(t, s, d.Workspace, "selin")
	var me struct {
		Membership struct {
			ID string `json:"id"`
		} `json:"membership"`
	}
	d.selin.Get("/api/v1/auth/me").Want(200).Data(&me)
	d.selinID = me.Membership.ID
	d.prefer(d.selin, func(*notice.Preferences) {})
	d.browser = d.subscribe(d.selin, d.service)
	return d
}

// prefer switches pushes on for an agent and applies a change of the preferences.
func (d *desk) prefer(c *apptest.Client, change func(*notice.Preferences)) {
	d.t.Helper()
	p := read(c)
	p.Push = true
	change(&p)
	c.Put(preferences, p).Want(200)
}

// subscribe subscribes a browser for an agent.
func (d *desk) subscribe(c *apptest.Client, service *push.Service) push.Subscription {
	d.t.Helper()
	var key notice.PushKey
	c.Get("/api/crm/v1/me/push-key").Want(200).Data(&key)
	sub, err := service.Subscribe(key.PublicKey)
	if err != nil {
		d.t.Fatal(err)
	}
	c.Post(subscriptions, sub).Want(201)
	return sub
}

// write opens a conversation like a customer.
func (d *desk) write() string {
	d.t.Helper()
	return d.key.Post("/api/crm/public/v1/conversations", object{
		"contact": object{"external_id": "k-1", "name": "Elif Kaya"}, "subject": "Kargo", "body": "Nerede kaldı?",
	}).Want(201).ID()
}

// received returns the titles of the pushes that a browser got, after running the workers.
func (d *desk) received(sub push.Subscription) []string {
	d.t.Helper()
	d.s.Settle()
	got, refused := d.service.Received(sub)
	if len(refused) > 0 {
		d.t.Errorf("the push service refused: %v", refused)
	}
	out := []string{}
	for _, text := range got {
		var m struct{ Title string }
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			d.t.Fatal(err)
		}
		out = append(out, m.Title)
	}
	return out
}

func (d *desk) wantPushes(why string, want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), d.received(d.browser)); diff != "" {
		d.t.Errorf("%s:\n%s", why, diff)
	}
}

const (
	waits    = "Bir müşteri yanıt bekliyor"
	wrote    = "Müşteri, konuşmanıza yazdı"
	assigned = "Size bir konuşma atandı"
	mentions = "Bir notta sizden söz edildi"
	others   = "Müşteri, bir iş arkadaşınızın konuşmasına yazdı"
)

// Each kind of event reaches the browsers of those who want it, signed and encrypted, with
// nothing that the customer wrote.
func TestPush(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		id := d.write()
		s.Settle()
		got, refused := d.service.Received(d.browser)
		want := []string{`{"title":"` + waits + `","conversation_id":"` + id + `"}`}
		if diff := cmp.Diff(want, got); diff != "" || len(refused) > 0 {
			t.Errorf("refused %v, got:\n%s", refused, diff)
		}

		one := conversations + "/" + id
		d.Owner.Post(one+"/assign", object{"owner_id": d.selinID}).Want(200)
		d.wantPushes("assigned by another", assigned)
		d.Owner.Post(one+"/reply-as-customer", object{"body": "Hâlâ bekliyorum"}).Want(200)
		d.wantPushes("the customer of one's own", wrote)
		d.Owner.Post(one+"/reply-as-agent", object{"body": "Bakar mısın?", "message_type": "note", "mentions": []string{d.selinID}}).Want(200)
		d.wantPushes("called in a note", mentions)

		d.Owner.Post(one+"/reply-as-agent", object{"body": "Yolda."}).Want(200)
		d.selin.Post(one+"/assign", object{"owner_id": d.Member}).Want(200)
		d.selin.Post(one+"/assign", object{"owner_id": d.selinID}).Want(200)
		d.wantPushes("what one did oneself, or a colleague wrote")

		d.Owner.Post(one+"/assign", object{"owner_id": d.Member}).Want(200)
		d.Owner.Post(one+"/reply-as-customer", object{"body": "Alo?"}).Want(200)
		d.wantPushes("a colleague's conversation that nobody asked for")
		d.prefer(d.selin, func(p *notice.Preferences) { p.Events = notice.Events{Others: true} })
		d.Owner.Post(one+"/reply-as-customer", object{"body": "Alo?"}).Want(200)
		d.wantPushes("a colleague's conversation that was asked for", others)
		d.write()
		d.wantPushes("what waits is not wanted")
	})
}

// Nothing is pushed that is not wanted, of a test, or emitted by hand.
func TestUnwantedNoticesAreNotPushed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		d.prefer(d.selin, func(p *notice.Preferences) { p.Push = false })
		d.write()
		d.wantPushes("pushes are off")

		// The test clock's time is within these hours.
		now := s.Clock.Now().UTC()
		d.prefer(d.selin, func(p *notice.Preferences) {
			p.QuietHours = notice.QuietHours{Enabled: true, From: now.Add(-time.Hour).Format("15:04"), Until: now.Add(time.Hour).Format("15:04"), TimeZone: "UTC"}
		})
		d.write()
		d.wantPushes("in quiet hours")

		d.prefer(d.selin, func(p *notice.Preferences) { p.QuietHours.Enabled = false })
		d.Key(true, perm.All()...).Post("/api/crm/public/v1/conversations", object{
			"contact": object{"external_id": "k-2", "name": "Deneme"}, "subject": "x", "body": "x",
		}).Want(201)
		d.wantPushes("of a test key")

		d.Owner.Post("/api/erp/v1/webhooks/emit", object{"event": "conversation.created", "data": object{"id": uuid.NewString()}}).Want(202)
		if _, err := s.Dispatcher.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := countJobs(t, s); n != 0 {
			t.Errorf("what was announced by hand left %d jobs", n)
		}

		socket := watch(t, s, d.selin)
		d.write()
		d.wantPushes("while a panel is open")
		_ = socket.CloseNow()
		d.waitUntilGone()
		d.write()
		d.wantPushes("after the panel was closed", waits)
	})
}

// watch opens a panel's stream and returns when it is open.
func watch(t *testing.T, s *apptest.Server, c *apptest.Client) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.URL+"/api/v1/socket", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Token()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	if _, _, err := conn.Read(ctx); err != nil { // ready
		t.Fatal(err)
	}
	return conn
}

// waitUntilGone waits until the server saw the end of Selin's stream, and longer than
// reloading a page takes.
func (d *desk) waitUntilGone() {
	d.t.Helper()
	for range 10_000 {
		if !d.s.Live.IsConnected(d.ID, uuid.MustParse(d.selinID)) {
			return
		}
		d.Owner.Get("/api/crm/v1/presence").Want(200) // meanwhile the end arrives
		d.s.Clock.Advance(time.Second)
	}
	d.t.Fatal("the stream does not end")
}

// Pushes end with the session, the permission and the browser's subscription.
func TestPushEndsWithSessionAndPermission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(d *desk)
		left int // subscriptions
	}{
		"sign-out":      {func(d *desk) { d.selin.Post("/api/v1/auth/sign-out", nil).Want(200) }, 0},
		"idle for long": {func(d *desk) { d.s.Clock.Advance(13 * time.Hour) }, 0},
		"suspension":    {func(d *desk) { d.Owner.Post("/api/crm/v1/agents/"+d.selinID+"/suspension", nil).Want(200) }, 0},
		"gone":          {func(d *desk) { d.service.Answer(http.StatusGone) }, 0},
		"not found":     {func(d *desk) { d.service.Answer(http.StatusNotFound) }, 0},
		"taken over":    {func(d *desk) { d.Owner.Post(subscriptions, d.browser).Want(201) }, 1},
		"without rights": {func(d *desk) {
			d.Owner.Put("/api/v1/auth/roles", object{"name": "agent", "permissions": []string{}}).Want(200)
		}, 1},
		"without a second step": {func(d *desk) {
			d.inTx(func(tx *db.Tx) error {
				return tx.Exec(`UPDATE tenant SET require_two_factor = true WHERE id = $1`, d.ID)
			})
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apptest.Run(t, func(t *testing.T, s *apptest.Server) {
				d := openDesk(t, s)
				d.write()
				d.wantPushes("before", waits)
				c.end(d)
				d.write()
				d.wantPushes("after")
				d.service.Answer(0)
				d.write()
				d.wantPushes("later")
				if left := countSubscriptions(t, s, d); left != c.left {
					t.Errorf("%d subscriptions are left, want %d", left, c.left)
				}
			})
		})
	}
}

// Without the licence nothing is pushed, and no subscription is lost.
func TestPushWithoutLicence(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		d.write()
		if _, err := s.Dispatcher.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Identity.SetLicences(t.Context(), d.Slug, nil); err != nil {
			t.Fatal(err)
		}
		d.wantPushes("after the licence ended")
		if left := countSubscriptions(t, s, d); left != 1 {
			t.Errorf("%d subscriptions are left", left)
		}
	})
}

// inTx runs a change in the workspace.
func (d *desk) inTx(fn func(tx *db.Tx) error) {
	d.t.Helper()
	if err := d.s.DB.Tenant(d.ID).InTx(d.Context(), fn); err != nil {
		d.t.Fatal(err)
	}
}

func countSubscriptions(t *testing.T, s *apptest.Server, d *desk) int {
	t.Helper()
	n, err := db.Read(t.Context(), s.DB.Tenant(d.ID), func(r *db.Reader) (int, error) {
		return db.One(r, db.Scalar[int], `SELECT count(*) FROM push_subscription WHERE tenant_id = $1`, r.Tenant())
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A push that a push service refuses is dropped or tried again, the subscription stays, and
// no dead job is left behind.
func TestPushRefused(t *testing.T) {
	t.Parallel()
	for status, again := range map[int]bool{400: false, 403: false, 413: false, 429: true, 500: true, 503: true} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t, db.SQLite)
			d := openDesk(t, s)
			d.service.Answer(status)
			d.write()
			d.wantPushes("refused")
			d.service.Answer(0)
			s.Clock.Advance(time.Minute)
			var later []string
			if again {
				later = []string{waits}
			}
			d.wantPushes("a minute later", later...)
			d.write()
			d.wantPushes("the next", waits)
		})
	}
	t.Run("for long", func(t *testing.T) {
		t.Parallel()
		s := apptest.New(t, db.SQLite)
		d := openDesk(t, s)
		d.service.Answer(500)
		d.write()
		for range 4 {
			s.Settle()
			s.Clock.Advance(time.Minute)
		}
		d.service.Answer(0)
		d.wantPushes("three times was enough")
		if n := countJobs(t, s); n != 0 {
			t.Errorf("%d jobs are left", n)
		}
	})
}

// countJobs counts the jobs of this module.
func countJobs(t *testing.T, s *apptest.Server) int {
	t.Helper()
	n, err := db.Read(t.Context(), s.DB.System("test"), func(r *db.Reader) (int, error) {
		return db.One(r, db.Scalar[int], `SELECT count(*) FROM job WHERE kind LIKE 'notice.%'`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A push service that does not answer is put on hold, others are not, and pushes that are
// too old by then are dropped.
func TestSilentPushService(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		arrived := d.service.Hang()
		send := func(age time.Duration) error {
			var kind jobs.Kind
			for _, kind = range s.Notices.Jobs() {
				if kind.PerAccount > 0 {
					break
				}
			}
			// The request times out once the service has the push.
			ctx, cancel := context.WithCancelCause(caller.With(t.Context(), &caller.Caller{Kind: caller.System, TenantID: d.ID}))
			defer cancel(nil)
			go func() {
				select {
				case <-arrived:
					cancel(context.DeadlineExceeded)
				case <-ctx.Done():
				}
			}()
			id := subscriptionOf(t, s, d)
			return kind.Handler(ctx, &jobs.Job{
				TenantID: d.ID, CreatedAt: clock.At(s.Clock.Now().Add(-age)), Attempts: 1,
				Payload: []byte(`{"subscription_id":"` + id.String() + `","kind":"waiting","conversation_id":"` + uuid.NewString() + `"}`),
			})
		}
		if err := send(0); !errors.Is(err, jobs.ErrHold) {
			t.Errorf("a silent service: %v", err)
		}
		if err := send(10 * time.Minute); err != nil {
			t.Errorf("an old push: %v", err)
		}
		d.service.Resume()
	})
}

func subscriptionOf(t *testing.T, s *apptest.Server, d *desk) uuid.UUID {
	t.Helper()
	id, err := db.Read(t.Context(), s.DB.Tenant(d.ID), func(r *db.Reader) (uuid.UUID, error) {
		return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM push_subscription WHERE tenant_id = $1`, r.Tenant())
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		d := openDesk(t, s)
		valid := d.browser
		for code, change := range map[string]func(*push.Subscription){
			"endpoint.inside_address":  func(n *push.Subscription) { n.Endpoint = "https://10.0.0.1/push" },
			"endpoint.https_required":  func(n *push.Subscription) { n.Endpoint = "ftp://push.example.com/" },
			"endpoint.invalid_address": func(n *push.Subscription) { n.Endpoint = "https://" },
			"keys.invalid":             func(n *push.Subscription) { n.Keys.Auth = "x" },
		} {
			n := valid
			change(&n)
			field, want, _ := strings.Cut(code, ".")
			if got := d.selin.Post(subscriptions, n).Refused(422, "validation_failed").Fields[field]; len(got) != 1 || got[0] != want {
				t.Errorf("%s: got %v", code, got)
			}
		}
		guest := d.Guest()
		guest.Get("/api/crm/v1/me/push-key").Refused(403, "forbidden")
		guest.Post(subscriptions, valid).Refused(403, "forbidden")

		// Agents can remove their own subscription, but nobody else's.
		own := subscriptions + "/" + subscriptionOf(t, s, d).String()
		d.Owner.Delete(own).Refused(404, "not_found")
		d.selin.Delete(own).Want(200)
		d.selin.Delete(own).Refused(404, "not_found")
		d.write()
		d.wantPushes("after the subscription was removed")

		// The key stays, and belongs to the workspace.
		var first, second, other notice.PushKey
		d.selin.Get("/api/crm/v1/me/push-key").Want(200).Data(&first)
		d.Owner.Get("/api/crm/v1/me/push-key").Want(200).Data(&second)
		s.Workspace("other").Owner.Get("/api/crm/v1/me/push-key").Want(200).Data(&other)
		if first != second || first == other || first.PublicKey == "" {
			t.Errorf("the keys are %v, %v and %v", first, second, other)
		}

		// Beyond ten, the oldest is removed.
		oldest := d.subscribe(d.selin, d.service)
		for range 10 {
			s.Clock.Advance(time.Second)
			d.browser = d.subscribe(d.selin, d.service)
		}
		d.write()
		d.wantPushes("the newest", waits)
		if got := d.received(oldest); len(got) > 0 {
			t.Errorf("the oldest of eleven got %v", got)
		}
	})
}
