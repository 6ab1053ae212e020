package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// wait lets time pass, after which the owner signs in again.
func wait(s *apptest.Server, w *apptest.Workspace, d time.Duration) {
	s.Clock.Advance(d)
	if d > time.Hour {
		w.Owner = w.SignIn("owner@" + w.Slug + ".example")
	}
}

// Down for the first attempts, then back: everything arrives.
func TestOutageLosesNoDelivery(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(500)
		e := register(w, rcv.URL, "dlp.exception.created")
		for i := range 3 {
			exempt(w, i)
		}
		for range 6 { // 3 × 6 attempts: enough to be disabled in between
			s.Settle()
			wait(s, w, 31*time.Minute)
		}
		rcv.answer(200)
		rcv.take()
		for range 3 {
			s.Settle()
			wait(s, w, 13*time.Hour)
		}
		got := map[string]bool{}
		for _, r := range rcv.take() {
			got[string(r.body)] = true
		}
		if len(got) != 3 {
			t.Fatalf("%d of 3 arrived: %+v", len(got), deliveries(w, e.ID))
		}
		for _, d := range deliveries(w, e.ID) {
			if d.Status != webhook.Delivered || d.NextAttemptAt != nil {
				t.Errorf("%+v", d)
			}
		}
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.DisabledReason != nil || got.Failures != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Ten failures in a row disable an endpoint. Its deliveries wait without using up attempts,
// one is sent as a probe, and the first success re-enables it.
func TestDisabledEndpointIsProbed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(503)
		e := register(w, rcv.URL, "dlp.exception.created")
		for i := range 12 {
			exempt(w, i)
		}
		s.Settle()
		if n := len(rcv.take()); n < 10 || n > 12 {
			t.Fatalf("%d attempts before it was disabled", n)
		}
		off := endpoint(w, e.ID)
		if off.Status != webhook.Disabled || *off.DisabledStatusCode != 503 || *off.DisabledReason != "the receiver answered 503" ||
			!off.NextProbeAt.Equal(s.Clock.Now().Add(time.Minute)) {
			t.Fatalf("got %+v", off)
		}
		// Events are still recorded; only probes are sent, at growing intervals.
		exempt(w, 100)
		s.Settle()
		for _, minutes := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
			s.Clock.Advance(minutes*time.Minute - time.Second)
			s.Settle()
			if n := len(rcv.take()); n != 0 {
				t.Fatalf("%d requests before the probe was due", n)
			}
			s.Clock.Advance(time.Second)
			s.Settle()
			if n := len(rcv.take()); n != 1 {
				t.Fatalf("%d requests as a probe after %s", n, minutes*time.Minute)
			}
		}
		// A delivery that failed before does not wait for its own next attempt.
		rcv.answer(200)
		s.Clock.Advance(30 * time.Minute)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.DisabledAt != nil {
			t.Errorf("got %+v", got)
		}
		for _, d := range deliveries(w, e.ID) {
			if d.Status != webhook.Delivered {
				t.Errorf("%+v", d)
			}
		}
		if diff := cmp.Diff([]string{"A webhook is not responding and was disabled"}, mailSubjects(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

// If a person enables an endpoint, everything that waits is sent at once.
func TestEnabledByHand(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(503)
		e := register(w, rcv.URL, "dlp.exception.created")
		for i := range 12 {
			exempt(w, i)
		}
		s.Settle()
		rcv.take()
		rcv.answer(200)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
		s.Settle()
		if n := len(rcv.take()); n != 12 {
			t.Errorf("%d of 12 were sent", n)
		}
	})
}

// mailSubjects returns the subjects of the mails to a workspace, oldest first.
func mailSubjects(t *testing.T, s *apptest.Server, w *apptest.Workspace) []string {
	t.Helper()
	list, err := s.Mailer.Outbox(t.Context(), w.ID, db.Page{Limit: 100, After: db.First})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, k := range list.Rows {
		out = append(out, english(k.Subject))
	}
	slices.Reverse(out)
	return out
}

// english returns the English subject of a notice in either language.
func english(subject string) string {
	for _, kind := range []string{webhook.NoticeRotated, webhook.NoticeDeleted, webhook.NoticeDisabled, webhook.NoticeGivenUp} {
		n := webhook.Notice{Kind: kind}
		en, _ := n.Text("en")
		if tr, _ := n.Text("tr"); subject == tr {
			return en
		}
	}
	return subject
}

func TestGoneEndpoint(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(410)
		e := register(w, rcv.URL, webhook.PingTest)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Disabled || *got.DisabledStatusCode != 410 {
			t.Fatalf("got %+v", got)
		}
		// A test probes at once, and a person can enable it.
		rcv.answer(200)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Active {
			t.Errorf("got %+v", got)
		}
	})
}

// An endpoint that is dead for days is given up, except for one probe a day for a week;
// then only a person re-enables it, and what it missed is recovered.
func TestLongDeadEndpointIsGivenUp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(500)
		e := register(w, rcv.URL, "dlp.exception.created")
		for i := range 20 {
			exempt(w, i)
		}
		for range 60 { // five days of probes
			s.Settle()
			s.Clock.Advance(2*time.Hour + time.Minute)
		}
		s.Settle()
		wait(s, w, 2*time.Hour)
		if diff := cmp.Diff([]string{
			"A webhook is not responding and was disabled", "A webhook is not responding and was disabled",
			"A webhook has not responded for days and stays disabled",
		}, mailSubjects(t, s, w)); diff != "" {
			t.Fatal(diff)
		}
		rcv.take()
		probes := 0
		for range 10 {
			wait(s, w, 24*time.Hour)
			s.Settle()
			probes += len(rcv.take())
		}
		if got := endpoint(w, e.ID); probes != 7 || got.Status != webhook.Disabled || got.NextProbeAt != nil {
			t.Fatalf("%d probes, %+v", probes, got)
		}
		exempt(w, 50) // of this nothing is recorded any more
		s.Settle()
		rcv.answer(200)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
		s.Clock.Advance(time.Second)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": s.Clock.Now().Add(-20 * 24 * time.Hour)}).Want(202)
		s.Settle()
		got := map[string]bool{}
		for _, r := range rcv.take() {
			got[string(r.body)] = true
		}
		if len(got) != 21 {
			t.Errorf("%d of 21 arrived in the end", len(got))
		}
	})
}

func TestScheduleAndExhaustion(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(500)
		e := register(w, rcv.URL, webhook.PingTest)
		var queued webhook.Queued
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200).Data(&queued)
		want := []time.Duration{
			5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
			5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		}
		for i, span := range want {
			s.Settle()
			d := deliveries(w, e.ID)[0]
			if d.Attempts != i+1 || d.Status != webhook.Failed {
				t.Fatalf("attempt %d: %+v", i+1, d)
			}
			// It keeps its own schedule, whatever the endpoint's probes do.
			next := d.NextAttemptAt.Sub(s.Clock.Now())
			if i < 9 && (next < span*8/10 || next > span*12/10) {
				t.Errorf("after attempt %d it waits %s, not %s ± 20 %%", i+1, next, span)
			}
			wait(s, w, span*12/10)
			if endpoint(w, e.ID).Status == webhook.Disabled {
				w.Owner.Post(hooks+"/"+e.ID.String()+"/status", map[string]any{"status": "active"}).Want(200)
			}
		}
		s.Settle()
		if d := deliveries(w, e.ID)[0]; d.Status != webhook.Exhausted || d.Attempts != 12 || d.NextAttemptAt != nil {
			t.Fatalf("got %+v", d)
		}
		// A resend restarts the schedule.
		w.Owner.Post(hooks+"/events/"+queued.DeliveryID.String()+"/resend", nil).Want(200)
		s.Settle()
		d := deliveries(w, e.ID)[0]
		if next := d.NextAttemptAt.Sub(s.Clock.Now()); d.Status != webhook.Failed || d.Attempts != 13 || next > 6*time.Second {
			t.Errorf("got %+v", d)
		}
	})
}

// A receiver's Retry-After holds back the whole endpoint, whether it reports too many
// requests or that it is down. Any other answer delays only its own delivery.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, c := range []struct{ status, early int }{{429, 1}, {503, 1}, {500, 2}} {
			var calls atomic.Int64
			rcv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					rw.Header().Set("Retry-After", "120")
					rw.WriteHeader(c.status)
				}
			}))
			t.Cleanup(rcv.Close)
			e := register(w, rcv.URL, "dlp.exception.created")
			exempt(w, 10*c.status)
			s.Settle()
			exempt(w, 10*c.status+1)
			s.Clock.Advance(119 * time.Second)
			s.Settle()
			if n := calls.Load(); n != int64(c.early) {
				t.Errorf("%d: %d calls before its time, want %d", c.status, n, c.early)
			}
			s.Clock.Advance(time.Second)
			s.Settle()
			if n := calls.Load(); n != 3 {
				t.Errorf("%d: %d calls, %+v", c.status, n, deliveries(w, e.ID))
			}
			w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
		}
	})
}

// In strict order nothing overtakes a failing delivery.
func TestStrictOrder(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(500)
		var e webhook.Registered
		w.Owner.Post(hooks, map[string]any{
			"address": rcv.URL, "events": []string{"dlp.exception.created"}, "strict_order": true,
		}).Want(201).Data(&e)
		for i := range 5 {
			exempt(w, i)
			s.Clock.Advance(time.Millisecond)
			s.Settle()
		}
		for _, r := range rcv.take() {
			if !strings.Contains(string(r.body), "a0@example.com") {
				t.Fatal("a later delivery overtook the first")
			}
		}
		rcv.answer(200)
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		var got []string
		for _, r := range rcv.take() {
			_, after, _ := strings.Cut(string(r.body), `"email":"`)
			got = append(got, after[:2])
		}
		if diff := cmp.Diff([]string{"a0", "a1", "a2", "a3", "a4"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Deliveries begin in the order of their events.
func TestOrder(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		w.Owner.Do("PATCH", hooks+"/"+e.ID.String(), map[string]any{"strict_order": true}).Want(200)
		for i := range 40 {
			exempt(w, i)
		}
		s.Settle()
		got := rcv.take()
		if len(got) != 40 {
			t.Fatalf("%d arrived", len(got))
		}
		for i, r := range got {
			if !strings.Contains(string(r.body), fmt.Sprintf(`"sequence":%d,`, i+1)) {
				t.Fatalf("place %d holds %s", i, r.body)
			}
		}
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		var e webhook.Registered
		w.Owner.Post(hooks, map[string]any{
			"address": rcv.URL, "events": []string{"dlp.exception.created"}, "rate_limit": 3,
		}).Want(201).Data(&e)
		for i := range 8 {
			exempt(w, i)
		}
		var got []int
		for range 4 {
			s.Settle()
			got = append(got, len(rcv.take()))
			s.Clock.Advance(time.Second)
		}
		if diff := cmp.Diff([]int{3, 3, 2, 0}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// The classes of failure, each with its text.
func TestErrorClasses(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) { errorClasses(t, s) })
}

func errorClasses(t *testing.T, s *apptest.Server) {
	t.Helper()
	w := s.Workspace("demo")
	redirect := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	t.Cleanup(redirect.Close)
	cut := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "100")
		_, _ = rw.Write([]byte("half"))
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(cut.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for address, class := range map[string]string{
		redirect.URL: "status", cut.URL: "body", secure.URL: "tls",
		"http://127.0.0.1:1/": "connect", "https://nowhere.invalid/": "dns",
	} {
		e := register(w, address, webhook.PingTest)
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		s.Settle()
		d := deliveries(w, e.ID)[0]
		if d.LastErrorClass == nil || *d.LastErrorClass != class || *d.LastError == "" {
			t.Errorf("%s: %+v", address, d)
		}
		w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		clean := func() {
			t.Helper()
			for {
				n, err := s.Webhook.Clean(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if n == 0 {
					return
				}
			}
		}
		wait(s, w, 30*24*time.Hour-time.Second)
		exempt(w, 2)
		s.Settle()
		clean()
		if n := len(deliveries(w, e.ID)); n != 2 {
			t.Fatalf("%d deliveries after 30 days, want 2", n)
		}
		s.Clock.Advance(2 * time.Second)
		clean()
		list := deliveries(w, e.ID)
		if len(list) != 1 {
			t.Fatalf("%d deliveries after 30 days and a second, want 1", len(list))
		}
		// Deliveries can be resent as long as they are listed.
		wait(s, w, 29*24*time.Hour)
		clean()
		w.Owner.Post(hooks+"/events/"+list[0].ID.String()+"/resend", nil).Want(200)
		rcv.take()
		s.Settle()
		if n := len(rcv.take()); n != 1 {
			t.Errorf("%d requests", n)
		}
		wait(s, w, 40*24*time.Hour)
		clean()
		if got := w.Events(); len(got) != 0 {
			t.Errorf("events %v are still kept", got)
		}
		if n := countDeliveries(t, s); n != 0 {
			t.Errorf("%d deliveries are still there", n)
		}
	})
}

// Deliveries that were queued while their endpoint was being deleted are removed with their
// event.
func TestLostDeliveries(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, newReceiver(t).URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		if err := s.DB.Tenant(w.ID).InTx(w.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE webhook_delivery SET endpoint_id = $2 WHERE endpoint_id = $1`, e.ID, tx.NewID())
		}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ days, left int }{{60, 1}, {2, 0}} {
			wait(s, w, time.Duration(c.days)*24*time.Hour)
			if _, err := s.Webhook.Clean(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := countDeliveries(t, s); n != c.left {
				t.Errorf("%d deliveries are left after %d more days, want %d", n, c.days, c.left)
			}
		}
	})
}

func countDeliveries(t *testing.T, s *apptest.Server) (n int) {
	t.Helper()
	if err := s.DB.System("test").Read(t.Context(), func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM webhook_delivery`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// Owners are notified of rotation and deletion.
func TestOwnersAreNotified(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", webhook.PingTest)
		nobody := s.Client("")
		nobody.Post(hooks+"/"+e.KeylessID.String()+"/rotate-secret", nil).Want(200)
		nobody.Delete(hooks + "/" + e.KeylessID.String()).Want(200)
		s.Settle()
		if diff := cmp.Diff([]string{"The signing secret of a webhook was rotated", "A webhook was deleted"}, mailSubjects(t, s, w)); diff != "" {
			t.Error(diff)
		}
	})
}

// A slow endpoint delays no other: while all of its attempts hang, another tenant's
// deliveries are sent.
func TestSlowEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		release := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		t.Cleanup(slow.Close)
		rcv := newReceiver(t)
		register(w, slow.URL, "dlp.exception.created")
		e := register(other, rcv.URL, "dlp.exception.created")
		for i := range 20 {
			exempt(w, i)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.Work(ctx); close(done) }()
		for i := range 20 {
			exempt(other, i)
		}
		for deadline := time.After(10 * time.Second); ; {
			n := 0
			for _, d := range deliveries(other, e.ID) {
				if d.Status == webhook.Delivered {
					n++
				}
			}
			if n == 20 {
				break
			}
			select {
			case <-deadline:
				t.Fatalf("%d of 20 arrived beside a neighbour that hangs", n)
			case <-time.After(5 * time.Millisecond):
			}
		}
		close(release)
		stop()
		<-done
	})
}

// A slow attempt gives its slot back while it is still under way, so that hanging receivers
// cannot take all slots.
func TestSlowAttemptReleasesItsSlot(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		s.Sender.SetSlots(1)
		w, other := s.Workspace("demo"), s.Workspace("acme")
		hangs, release := make(chan context.Context, 100), make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
			hangs <- r.Context()
			<-release
		}))
		t.Cleanup(slow.Close)
		came := make(chan struct{}, 100)
		well := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came <- struct{}{} }))
		t.Cleanup(well.Close)
		register(w, slow.URL, "dlp.exception.created")
		register(other, well.URL, "dlp.exception.created")
		exempt(w, 1)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.Work(ctx); close(done) }()
		attempt := <-hangs
		exempt(other, 1)
		<-came
		if attempt.Err() != nil {
			t.Error("the slot was free only when the attempt was over")
		}
		close(release)
		stop()
		<-done
	})
}
