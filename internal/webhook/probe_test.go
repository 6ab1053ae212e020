package webhook_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/webhook"
)

// untilDisabled makes attempts fail until the endpoint is disabled.
func untilDisabled(t *testing.T, s *apptest.Server, w *apptest.Workspace, e webhook.Registered) webhook.Endpoint {
	t.Helper()
	for range 12 {
		s.Settle()
		if off := endpoint(w, e.ID); off.Status == webhook.Disabled {
			return off
		}
		next := deliveries(w, e.ID)[0].NextAttemptAt
		wait(s, w, next.Sub(s.Clock.Now()))
	}
	t.Fatal("it was never disabled")
	return webhook.Endpoint{}
}

// An endpoint with a single delivery, whose own next attempt is most of a day away, is
// probed like one with many and recovers by itself; its delivery used up no attempt of its
// schedule meanwhile.
func TestLoneDeliveryIsUsedAsProbe(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(503)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		off := untilDisabled(t, s, w, e)
		if n := len(rcv.take()); n != 10 {
			t.Fatalf("%d attempts before it was disabled", n)
		}
		for range 9 {
			probe := off.NextProbeAt
			if probe == nil || !probe.After(s.Clock.Now()) || probe.Sub(s.Clock.Now()) > 30*time.Minute {
				t.Fatalf("at %s the next probe is said to be at %v", s.Clock.Now(), probe)
			}
			if d := deliveries(w, e.ID)[0]; !d.NextAttemptAt.Equal(probe.Time) {
				t.Fatalf("the delivery is said to be tried at %s, the probe at %s", d.NextAttemptAt, probe)
			}
			wait(s, w, probe.Sub(s.Clock.Now())-time.Second)
			s.Settle()
			if n := len(rcv.take()); n != 0 {
				t.Fatalf("%d requests before the probe was due", n)
			}
			s.Clock.Advance(time.Second)
			s.Settle()
			if n := len(rcv.take()); n != 1 {
				t.Fatalf("%d requests when the probe was due", n)
			}
			w.Owner = w.SignIn("owner@demo.example")
			off = endpoint(w, e.ID)
		}
		rcv.answer(200)
		wait(s, w, off.NextProbeAt.Sub(s.Clock.Now()))
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.NextProbeAt != nil {
			t.Errorf("after the receiver is well again: %+v", got)
		}
		if d := deliveries(w, e.ID)[0]; d.Status != webhook.Delivered || d.Attempts != 20 {
			t.Errorf("got %+v", d)
		}
	})
}

// A failed probe leaves its delivery at its place in the schedule, and another delivery has
// the next turn: one that the receiver cannot process must not keep the endpoint off.
func TestProbesTakeTurns(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var mu sync.Mutex
		poison := ""
		seen := map[string]int{}
		rcv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			id := r.Header.Get("X-Service-Delivery")
			seen[id]++
			if poison == "" || id == poison {
				rw.WriteHeader(http.StatusInternalServerError)
			}
		}))
		t.Cleanup(rcv.Close)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		off := untilDisabled(t, s, w, e)
		mu.Lock()
		poison = deliveries(w, e.ID)[0].ID.String()
		mu.Unlock()
		exempt(w, 2)
		for range 2 {
			wait(s, w, off.NextProbeAt.Sub(s.Clock.Now()))
			s.Settle()
			if off = endpoint(w, e.ID); off.Status == webhook.Active {
				break
			}
		}
		if off.Status != webhook.Active {
			t.Errorf("two probes, and it is still %+v", off)
		}
		list := deliveries(w, e.ID)
		if list[0].Status != webhook.Delivered || list[1].Status != webhook.Failed {
			t.Fatalf("got %+v", list)
		}
		// Ten attempts were made, and the tenth wait precedes it: not the eleventh.
		if next := list[1].NextAttemptAt.Sub(s.Clock.Now()); next > 24*time.Hour {
			t.Errorf("the probe moved the delivery on in its schedule: %s", next)
		}
	})
}

// Without a waiting delivery there is nothing to probe with, and no time is promised.
func TestNoProbeWithoutDelivery(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(410)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		s.Settle()
		off := endpoint(w, e.ID)
		if off.Status != webhook.Disabled || off.NextProbeAt == nil {
			t.Fatalf("got %+v", off)
		}
		wait(s, w, 31*24*time.Hour)
		if _, err := s.Webhook.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		if off = endpoint(w, e.ID); off.Status != webhook.Disabled || off.NextProbeAt != nil {
			t.Fatalf("with an empty queue: %+v", off)
		}
		rcv.answer(200)
		exempt(w, 2)
		s.Settle()
		if got := endpoint(w, e.ID); got.Status != webhook.Active {
			t.Errorf("the next event did not probe: %+v", got)
		}
	})
}

// emitMany announces events in one transaction.
func emitMany(t *testing.T, s *apptest.Server, w *apptest.Workspace, n int) {
	t.Helper()
	if err := s.DB.Tenant(w.ID).InTx(w.Context(), func(tx *db.Tx) error {
		for range n {
			if _, err := event.Emit(tx, event.Change{
				Type: "dlp.exception.created", Object: map[string]string{"id": tx.NewID().String()}, Emitted: true,
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A delivery that is queued again behind the read position of a busy lane is sent soon, and
// not only when the lane has run dry. Stopping in the middle of a long queue takes no
// longer than the attempts under way.
func TestBusyLaneRereadsRequeuedDeliveries(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		const all = 3000
		w := s.Workspace("demo")
		var mu sync.Mutex
		var order []string
		many, again := make(chan string, 1), make(chan int, 1)
		rcv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			order = append(order, r.Header.Get("X-Service-Delivery"))
			n := len(order)
			switch {
			case n == 200:
				many <- order[0]
			case n > 200 && order[n-1] == order[0]:
				again <- n
			}
			mu.Unlock()
			<-time.After(20 * time.Millisecond)
		}))
		t.Cleanup(rcv.Close)
		register(w, rcv.URL, "dlp.exception.created")
		emitMany(t, s, w, all)
		dispatch(t, s)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := make(chan struct{})
		go func() { s.Sender.Run(ctx); close(done) }()
		// As a node does that resends it while its clock is behind.
		first := uuid.MustParse(<-many)
		if err := s.DB.Tenant(w.ID).InTx(w.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE webhook_delivery SET status = 'pending', next_at = $3, delivered_at = NULL
				WHERE tenant_id = $1 AND id = $2`, w.ID, first, clock.At(s.Clock.Now().Add(-time.Second)))
		}); err != nil {
			t.Fatal(err)
		}
		if n := <-again; n >= all {
			t.Errorf("it was sent as number %d, behind the whole queue", n)
		}
		watch := clock.Stopwatch()
		stop()
		<-done
		if took := watch(); took > 5*time.Second {
			t.Errorf("stopping took %s", took)
		}
		var list []webhook.Delivery
		w.Owner.Get(hooks + "/events?status=pending").Want(200).Data(&list)
		if len(list) == 0 {
			t.Error("the queue was worked off before the sender stopped")
		}
	})
}

// Failed tests of a disabled endpoint leave its pause as it is: the probe comes when it was
// due, and the one after it as if nobody had tested. A successful test re-enables the
// endpoint.
func TestFailedTestsDoNotChangePause(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		rcv.answer(503)
		e := register(w, rcv.URL, "dlp.exception.created")
		path := hooks + "/" + e.ID.String()
		exempt(w, 1)
		due := untilDisabled(t, s, w, e).NextProbeAt
		test := func() {
			t.Helper()
			w.Owner.Post(path+"/test", nil).Want(200)
			s.Settle()
		}
		rcv.take()
		for range 5 {
			s.Clock.Advance(5 * time.Second)
			test()
			if n := len(rcv.take()); n != 1 {
				t.Fatalf("a test made %d requests", n)
			}
			if got := endpoint(w, e.ID).NextProbeAt; got == nil || !got.Equal(due.Time) {
				t.Fatalf("after a test the next probe is at %v, before it was at %s", got, due)
			}
		}
		wait(s, w, due.Sub(s.Clock.Now()))
		s.Settle()
		if n := len(rcv.take()); n != 1 {
			t.Fatalf("%d requests when the probe was due", n)
		}
		if got := endpoint(w, e.ID).NextProbeAt; !got.Equal(due.Add(2 * time.Minute)) {
			t.Errorf("after the first probe the next is at %s, not two minutes later", got)
		}
		rcv.answer(200)
		test()
		if got := endpoint(w, e.ID); got.Status != webhook.Active || got.NextProbeAt != nil {
			t.Errorf("after a test that was answered: %+v", got)
		}
	})
}
