package limit_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/limit"
)

func nodes(d *db.DB) [2]*limit.Shared {
	log := slog.New(slog.DiscardHandler)
	return [2]*limit.Shared{limit.NewShared(d, log, 1), limit.NewShared(d, log, 1)}
}

// Two nodes together allow a strict policy's burst only once, however fast they are.
func TestStrictLimitIsSharedAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		n := nodes(d)
		p := limit.Policy{Name: "credentials", Burst: 10, Window: 5 * time.Minute, Strict: true}
		k := limit.OfIP("192.0.2.1")
		var allowed atomic.Int64
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				if n[i%2].Take(t.Context(), p, k).Allowed {
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 10 {
			t.Errorf("%d uses were allowed", allowed.Load())
		}
		if !n[1].Take(t.Context(), p, limit.OfIP("192.0.2.2")).Allowed {
			t.Error("another key is held up")
		}
		for i, node := range n {
			if r := node.Take(t.Context(), p, k); r.Allowed || r.RetryAfter != 30*time.Second || r.Reset != 5*time.Minute {
				t.Errorf("node %d: %+v", i, r)
			}
		}
		c.Advance(30 * time.Second)
		if r := n[0].Take(t.Context(), p, k); !r.Allowed || r.Remaining != 0 {
			t.Errorf("after a while %+v", r)
		}
		if r := n[1].Take(t.Context(), p, k); r.Allowed {
			t.Errorf("the same use was given twice: %+v", r)
		}
		// Expired uses no longer count, and are deleted.
		c.Advance(time.Hour)
		if gone, err := limit.Clean(t.Context(), d); err != nil || gone != 2 {
			t.Errorf("%d rows went, %v", gone, err)
		}
		if r := n[1].Take(t.Context(), p, k); !r.Allowed || r.Remaining != 9 {
			t.Errorf("afterwards %+v", r)
		}
	})
}

// Ordinary uses cost no statement; a heavy user is reported to the other node, a light one
// is not.
func TestOrdinaryLimitIsSharedEventually(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		n := nodes(d)
		p := limit.Policy{Name: "account", Burst: 100, Window: time.Minute}
		much, little := limit.OfText("much"), limit.OfText("little")
		take := func(node int, k limit.Key, times int) (allowed int) {
			for range times {
				if n[node].Take(t.Context(), p, k).Allowed {
					allowed++
				}
			}
			return allowed
		}
		sync := func(node, want int) {
			t.Helper()
			if told, err := n[node].Sync(t.Context()); err != nil || told != want {
				t.Fatalf("node %d told of %d, want %d, %v", node, told, want, err)
			}
		}
		take(0, little, 10)
		take(0, much, 90)
		sync(0, 1)
		sync(0, 0) // nothing new
		// The other node does not know yet: it learns when it has something to report.
		if got := take(1, much, 20); got != 20 {
			t.Errorf("%d of 20 before the nodes spoke", got)
		}
		sync(1, 1)
		if got := take(1, much, 100); got > 10 {
			t.Errorf("%d more after they spoke", got)
		}
		sync(1, 1)
		if got := take(1, much, 100); got != 0 {
			t.Errorf("%d more when all is used up", got)
		}
		r := n[1].Take(t.Context(), p, much)
		if r.Allowed || r.RetryAfter > time.Second || r.Reset > time.Minute {
			t.Errorf("refused with %+v", r)
		}
		c.Advance(time.Second)
		if got := take(1, much, 10); got == 0 || got > 2 {
			t.Errorf("%d after a second", got)
		}
		if got := take(1, little, 100); got != 100 {
			t.Errorf("%d for somebody who used little", got)
		}
	})
}

// The sum of all nodes never undoes uses on this node that are not reported yet.
func TestUnreportedUsesAreNotUndone(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		n := nodes(d)
		p := limit.Policy{Name: "account", Burst: 10, Window: time.Minute}
		k := limit.OfText("x")
		for range p.Burst {
			n[0].Take(t.Context(), p, k)
		}
		if _, err := n[0].Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := n[0].Take(t.Context(), p, k); r.Allowed {
			t.Errorf("one more than the burst was allowed: %+v", r)
		}
	})
}

// A node refused by the database then refuses by itself, even if the database cannot be
// reached.
func TestRefusalIsRemembered(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		n := nodes(d)
		p := limit.Policy{Name: "credentials", Burst: 10, Window: 5 * time.Minute, Strict: true}
		k := limit.OfIP("192.0.2.1")
		for range p.Burst {
			n[0].Take(t.Context(), p, k)
		}
		if r := n[1].Take(t.Context(), p, k); r.Allowed {
			t.Fatalf("the other node allowed %+v", r)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if r := n[1].Take(ended, p, k); r.Allowed {
			t.Errorf("without the database it allowed %+v", r)
		}
	})
}

func TestRecent(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		r, other := limit.NewRecent("failed", 15*time.Minute, 5), limit.NewRecent("mailing", time.Hour, 5)
		k := limit.OfIP("192.0.2.1")
		count := func(r *limit.Recent, k limit.Key) (n int) {
			t.Helper()
			err := d.System("test").Read(t.Context(), func(q *db.Reader) (err error) {
				n, err = r.Count(q, c.Now(), k)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i := range 9 {
			if err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error { return r.Add(tx, k) }); err != nil {
				t.Fatal(err)
			}
			if want := min(i+1, 5); count(r, k) != want {
				t.Fatalf("count %d, want %d", count(r, k), want)
			}
		}
		if count(other, k) != 0 || count(r, limit.OfIP("192.0.2.2")) != 0 {
			t.Error("what happened to another counts")
		}
		c.Advance(15 * time.Minute)
		if count(r, k) != 0 {
			t.Error("what is over still counts")
		}
		c.Advance(time.Second)
		if n, err := limit.Clean(t.Context(), d); err != nil || n != 9 {
			t.Errorf("%d rows went, %v", n, err)
		}
	})
}
