package webhook_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// hang holds a lane as a dying node does: its attempt never ends before the test does.
func hang(t *testing.T, s *apptest.Server, w *apptest.Workspace) (calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	begun, release := make(chan struct{}), make(chan struct{})
	rcv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if calls.Add(1) == 1 {
			close(begun)
			<-release
		}
	}))
	register(w, rcv.URL, "dlp.exception.created")
	exempt(w, 1)
	dispatch(t, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := s.Sender.Step(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	<-begun
	t.Cleanup(func() {
		close(release)
		<-done
		rcv.Close()
	})
	return calls
}

// dispatch numbers and queues waiting events, and sends nothing.
func dispatch(t *testing.T, s *apptest.Server) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = s.Dispatcher.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// newSender creates the sender of another node.
func newSender(t *testing.T, s *apptest.Server) *webhook.Sender {
	t.Helper()
	out, err := s.Webhook.NewSender()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attempts returns the number of attempts that a sender makes now.
func attempts(t *testing.T, s *webhook.Sender) int {
	t.Helper()
	n, err := s.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Other nodes do not touch a silent node's endpoints until its lease ends, and not a moment
// longer.
func TestLeaseEnds(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		calls := hang(t, s, s.Workspace("demo"))
		other := newSender(t, s)
		s.Clock.Advance(40*time.Second - time.Microsecond)
		if n := attempts(t, other); n != 0 {
			t.Fatalf("%d attempts while another node holds the lease", n)
		}
		s.Clock.Advance(time.Microsecond)
		if n := attempts(t, other); n != 1 || calls.Load() != 2 {
			t.Errorf("%d attempts after the lease, %d calls", n, calls.Load())
		}
	})
}

// The successor of a process that was killed does not wait for its lease.
func TestSuccessorReleasesLeases(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		calls := hang(t, s, s.Workspace("demo"))
		next := newSender(t, s)
		if err := next.TakeOver(t.Context(), next.Claim()); err != nil {
			t.Fatal(err)
		}
		if n := attempts(t, next); n != 0 {
			t.Fatalf("%d attempts although nothing of the other was freed", n)
		}
		if err := next.TakeOver(t.Context(), s.Sender.Claim()); err != nil {
			t.Fatal(err)
		}
		if n := attempts(t, next); n != 1 || calls.Load() != 2 {
			t.Errorf("%d attempts, %d calls", n, calls.Load())
		}
	})
}

// A node that was slow finds its lane claimed by another, marks nothing and drops it.
func TestStaleNodeMarksNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		begun, answer := make(chan struct{}, 2), make(chan int)
		rcv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			begun <- struct{}{}
			rw.WriteHeader(<-answer)
		}))
		t.Cleanup(rcv.Close)
		e := register(w, rcv.URL, "dlp.exception.created")
		exempt(w, 1)
		dispatch(t, s)
		done := make(chan error, 2)
		step := func(node *webhook.Sender) {
			go func() {
				_, err := node.Step(t.Context())
				done <- err
			}()
			<-begun
		}
		step(s.Sender)
		s.Clock.Advance(41 * time.Second)
		other := newSender(t, s)
		step(other)
		for range 2 { // whichever answer the stale one gets, it may not mark it
			answer <- 200
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if d := deliveries(w, e.ID)[0]; d.Status != webhook.Delivered || d.Attempts != 1 {
			t.Errorf("got %+v", d)
		}
	})
}

// A node marks nothing of an endpoint that another has claimed, even before the other has
// marked anything itself: neither successes nor failures.
func TestMarkingNeedsTheClaim(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		for _, status := range []int{200, 500} {
			begun, answer := make(chan struct{}), make(chan struct{})
			rcv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				close(begun)
				<-answer
				rw.WriteHeader(status)
			}))
			t.Cleanup(rcv.Close)
			e := register(w, rcv.URL, "dlp.exception.created")
			exempt(w, status)
			dispatch(t, s)
			done := make(chan error, 1)
			go func() {
				_, err := s.Sender.Step(t.Context())
				done <- err
			}()
			<-begun
			if err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`UPDATE webhook_lane SET claim_id = $2 WHERE id = $1`, e.ID, tx.NewID())
			}); err != nil {
				t.Fatal(err)
			}
			close(answer)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if d := deliveries(w, e.ID)[0]; d.Status != webhook.Pending || d.Attempts != 0 || d.LastStatusCode != nil {
				t.Errorf("after a %d: %+v", status, d)
			}
			if got := endpoint(w, e.ID); got.Failures != 0 {
				t.Errorf("after a %d: %+v", status, got)
			}
			w.Owner.Delete(hooks + "/" + e.ID.String()).Want(200)
		}
	})
}

// The marking statement checks the lane's claim and the number of attempts: a delivery that
// another node holds, or that has moved on, stays as it is.
func TestMarkIsFenced(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", "dlp.exception.created")
		other := register(w, "https://example.com/other", "dlp.exception.created")
		exempt(w, 1)
		dispatch(t, s)
		id := deliveries(w, e.ID)[0].ID
		ours, another := uuid.New(), uuid.New()
		if err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE webhook_lane SET claim_id = $1`, ours)
		}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name     string
			claim    uuid.UUID
			tenant   uuid.UUID
			endpoint uuid.UUID
			attempts int
			want     bool
		}{
			{"another's lane", another, w.ID, e.ID, 0, false},
			{"an attempt more", ours, w.ID, e.ID, 1, false},
			{"another tenant", ours, uuid.New(), e.ID, 0, false},
			{"another endpoint's", ours, w.ID, other.ID, 0, false},
			{"as it was", ours, w.ID, e.ID, 0, true},
			{"twice", ours, w.ID, e.ID, 0, false},
		} {
			var marked bool
			if err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) (err error) {
				marked, err = webhook.MarkDelivered(tx, c.claim, c.tenant, c.endpoint, id, c.attempts)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if marked != c.want {
				t.Errorf("%s: marked %v", c.name, marked)
			}
		}
		if d := deliveries(w, e.ID)[0]; d.Status != webhook.Delivered || d.Attempts != 1 {
			t.Errorf("got %+v", d)
		}
	})
}

// An attempt that began before its endpoint's secret or address changed, or whose lane was
// lost meanwhile, is not signed.
func TestStaleAttemptIsNotSigned(t *testing.T) {
	t.Parallel()
	node := newSender(t, apptest.New(t, db.SQLite))
	if !node.Signs(0, false) || node.Signs(1, false) || node.Signs(0, true) {
		t.Error("what has changed since the attempt began is not looked at")
	}
}

// A node that was frozen for longer than its lease signs nothing more: another has claimed
// the endpoint and sends the rest.
func TestFrozenNodeSignsNothing(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		node, other := newSender(t, s), newSender(t, s)
		var calls atomic.Int64
		rcv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if calls.Add(1) == 1 {
				s.Clock.Advance(40 * time.Second)
				if n := attempts(t, other); n != 3 {
					t.Errorf("%d attempts by the node that took over", n)
				}
			}
		}))
		t.Cleanup(rcv.Close)
		e := register(w, rcv.URL, "dlp.exception.created")
		for i := range 3 {
			exempt(w, i)
		}
		dispatch(t, s)
		if n := attempts(t, node); n != 1 || calls.Load() != 4 {
			t.Errorf("%d attempts of the frozen node, %d requests in all", n, calls.Load())
		}
		for _, d := range deliveries(w, e.ID) {
			if d.Status != webhook.Delivered || d.Attempts != 1 {
				t.Errorf("got %+v", d)
			}
		}
	})
}

// A node that was frozen, and whose endpoint nobody has claimed meanwhile, asks the
// database and continues.
func TestThawedNodeContinues(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		var calls atomic.Int64
		rcv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if calls.Add(1) == 1 {
				s.Clock.Advance(40 * time.Second)
			}
		}))
		t.Cleanup(rcv.Close)
		register(w, rcv.URL, "dlp.exception.created")
		for i := range 3 {
			exempt(w, i)
		}
		dispatch(t, s)
		if n := attempts(t, s.Sender); n != 3 || calls.Load() != 3 {
			t.Errorf("%d attempts, %d requests", n, calls.Load())
		}
	})
}

// A node whose clock is behind, or whose transaction began early and committed late, does
// not place what it writes or dispatches before earlier events: neither by its number, nor
// behind the point that a lane has read to.
func TestOrderAcrossNodes(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		w.Owner.Do("PATCH", hooks+"/"+e.ID.String(), map[string]any{"strict_order": true}).Want(200)
		now := s.Clock.Now()
		var last time.Time
		for i := range 6 {
			for k := range 2 {
				s.Clock.Set(now.Add(-time.Duration(2*i+k) * 5 * time.Millisecond))
				exempt(w, 2*i+k)
			}
			s.Clock.Set(now.Add(-time.Duration(i%3) * 20 * time.Millisecond))
			dispatch(t, s)
			newest := last
			for _, d := range deliveries(w, e.ID) {
				if d.NextAttemptAt.After(newest) {
					newest = d.NextAttemptAt.Time
				}
			}
			if behind := len(slices.DeleteFunc(deliveries(w, e.ID), func(d webhook.Delivery) bool {
				return d.NextAttemptAt.After(last)
			})); behind != 2*i {
				t.Errorf("%d deliveries are queued where %d were before", behind, 2*i)
			}
			last = newest
		}
		s.Clock.Set(now.Add(time.Second))
		s.Settle()
		got := rcv.take()
		if len(got) != 12 {
			t.Fatalf("%d arrived", len(got))
		}
		for i, r := range got {
			if !strings.Contains(string(r.body), fmt.Sprintf(`"sequence":%d,`, i+1)) ||
				!strings.Contains(string(r.body), fmt.Sprintf(`"a%d@`, i)) {
				t.Errorf("place %d holds %s", i+1, r.body)
			}
		}
	})
}

// Everything that is queued comes after everything that was queued before it, however short
// before: events, resends and recoveries.
func TestLaterDeliveriesQueueBehindEarlier(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		rcv := newReceiver(t)
		e := register(w, rcv.URL, "dlp.exception.created")
		began := s.Clock.Now()
		exempt(w, 0)
		s.Settle()
		var last time.Time
		behind := func(what string, id uuid.UUID) {
			t.Helper()
			list := deliveries(w, e.ID)
			d := list[slices.IndexFunc(list, func(d webhook.Delivery) bool { return d.ID == id })]
			if d.NextAttemptAt == nil || !d.NextAttemptAt.After(last) {
				t.Errorf("%s is due at %v, not after %v", what, d.NextAttemptAt, last)
				return
			}
			last = d.NextAttemptAt.Time
			s.Clock.Advance(time.Millisecond)
		}
		fresh := func(n int) uuid.UUID {
			t.Helper()
			exempt(w, n)
			dispatch(t, s)
			return deliveries(w, e.ID)[0].ID
		}
		old := deliveries(w, e.ID)[0].ID
		w.Owner.Post(hooks+"/events/"+old.String()+"/resend", nil).Want(200)
		behind("a resend", old)
		behind("the next event", fresh(1))
		w.Owner.Post(hooks+"/"+e.ID.String()+"/recover", map[string]any{"since": began, "include_delivered": true}).Want(202)
		for n := 1; n > 0; {
			var err error
			if n, err = s.Jobs.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		behind("a recovery", old)
		behind("the event after it", fresh(2))
	})
}
