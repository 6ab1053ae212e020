package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

const kind = "test"

func enqueue(t *testing.T, d *db.DB, tenant uuid.UUID, in time.Duration, payloads ...string) {
	t.Helper()
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		for _, p := range payloads {
			if _, err := jobs.Enqueue(tx, kind, tx.Now().Add(in), p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runner does jobs with a handler and records what it did.
type runner struct {
	*jobs.Runner
	t    *testing.T
	mu   sync.Mutex
	done []string
}

// newRunner returns a runner of one kind, changed by the options.
func newRunner(t *testing.T, d *db.DB, h jobs.Handler, change ...func(*jobs.Config)) *runner {
	t.Helper()
	r := &runner{t: t}
	c := jobs.Config{
		DB: d, Log: slog.New(slog.DiscardHandler), Random: func() float64 { return 0 },
		Kinds: []jobs.Kind{{Name: kind, PerNode: 256, PerTenant: 8, MaxAttempts: 20, Handler: h}},
	}
	for _, fn := range change {
		fn(&c)
	}
	for i := range c.Kinds {
		handle := c.Kinds[i].Handler
		c.Kinds[i].Handler = func(ctx context.Context, j *jobs.Job) error {
			r.mu.Lock()
			r.done = append(r.done, strings.Trim(string(j.Payload), `"`))
			r.mu.Unlock()
			return handle(ctx, j)
		}
	}
	var err error
	if r.Runner, err = jobs.New(c); err != nil {
		t.Fatal(err)
	}
	return r
}

func onNode(id uuid.UUID) func(*jobs.Config) { return func(c *jobs.Config) { c.Node = id } }

func (r *runner) step() int {
	r.t.Helper()
	n, err := r.Step(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func done(context.Context, *jobs.Job) error { return nil }

// row is a job as stored in the table.
type row struct {
	Attempts   int
	Lost       int
	Held, Dead bool
	Error      string
}

func rows(t *testing.T, d *db.DB) []row {
	t.Helper()
	var out []row
	err := d.System("test").Read(t.Context(), func(r *db.Reader) (err error) {
		out, err = db.All(r, func(s db.Row) (v row, err error) {
			var claim *uuid.UUID
			var dead *int64
			var text *string
			err = s.Scan(&v.Attempts, &v.Lost, &claim, &dead, &text)
			v.Held, v.Dead = claim != nil, dead != nil
			if text != nil {
				v.Error, _, _ = strings.Cut(*text, "\n")
			}
			return v, err
		}, `SELECT attempts, lost, claim_id, dead_at, last_error FROM job ORDER BY id`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJobsAreDoneWhenDue(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			if who := caller.From(ctx); who.Kind != caller.System || who.TenantID != tenant || j.TenantID != tenant || j.Attempts != 1 {
				t.Errorf("%+v runs as %+v", j, who)
			}
			return nil
		})
		enqueue(t, d, tenant, time.Minute, "later")
		enqueue(t, d, tenant, 0, "now")
		if n := r.step(); n != 1 {
			t.Errorf("did %d", n)
		}
		if n := r.step(); n != 0 {
			t.Errorf("did %d before their time", n)
		}
		c.Advance(time.Minute)
		r.step()
		if diff := cmp.Diff([]string{"now", "later"}, r.done); diff != "" {
			t.Error(diff)
		}
		if left := rows(t, d); len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
	})
}

// A job triggered by a test-environment key stays a test job.
func TestJobKeepsTestFlag(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		ctx := caller.With(t.Context(), &caller.Caller{TenantID: tenant, Test: true})
		err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
			_, err := jobs.Enqueue(tx, kind, tx.Now(), nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			if !j.Test || !caller.From(ctx).Test {
				t.Error("the test flag is lost")
			}
			return nil
		})
		if r.step() != 1 {
			t.Error("not done")
		}
	})
}

func TestFailuresAreRetriedThenGivenUp(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return errors.New("no luck") })
		r.step()
		if n := r.step(); n != 0 {
			t.Error("tried again at once")
		}
		if diff := cmp.Diff([]row{{Attempts: 1, Error: "no luck"}}, rows(t, d)); diff != "" {
			t.Error(diff)
		}
		c.Advance(2 * time.Second)
		r.step()
		c.Advance(3 * time.Second)
		if n := r.step(); n != 0 {
			t.Error("the wait did not grow")
		}
		for range 30 {
			c.Advance(time.Hour)
			r.step()
		}
		if diff := cmp.Diff([]row{{Attempts: 20, Dead: true, Error: "no luck"}}, rows(t, d)); diff != "" {
			t.Error(diff)
		}
		if len(r.done) != 20 {
			t.Errorf("%d attempts", len(r.done))
		}
	})
}

func TestDropAndPanic(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "drop", "panic", "fine")
		var told []string
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			switch string(j.Payload) {
			case `"drop"`:
				return fmt.Errorf("never mind: %w", jobs.ErrDrop)
			case `"panic"`:
				panic("help")
			}
			return nil
		}, func(c *jobs.Config) {
			c.Kinds[0].OnDead = func(_ context.Context, j *jobs.Job, reason string) error {
				told = append(told, string(j.Payload)+reason)
				panic("the module's own fault")
			}
		})
		r.step()
		want := []row{
			{Attempts: 1, Dead: true, Error: "never mind: jobs: drop"},
			{Attempts: 1, Error: "jobs: panic: help"},
		}
		if diff := cmp.Diff(want, rows(t, d)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{`"drop"never mind: jobs: drop`}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// If a holder dies, its job goes to the next one; a holder that was only slow can no longer
// change what the next one holds.
func TestLeaseExpiresAndFencesOldHolder(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		type holder struct{ began, end chan struct{} }
		hold := func(err error) (*runner, holder) {
			h := holder{make(chan struct{}), make(chan struct{})}
			return newRunner(t, d, func(context.Context, *jobs.Job) error {
				close(h.began)
				<-h.end
				return err
			}), h
		}
		slow, first := hold(errors.New("too late"))
		next, second := hold(nil)
		var wg sync.WaitGroup
		var slowDone sync.WaitGroup
		slowDone.Go(func() { slow.step() })
		<-first.began
		if n := next.step(); n != 0 {
			t.Fatal("claimed under a lease that runs")
		}
		c.Advance(time.Minute)
		wg.Go(func() { next.step() })
		<-second.began
		close(first.end)
		slowDone.Wait()
		if diff := cmp.Diff([]row{{Lost: 1, Held: true}}, rows(t, d)); diff != "" {
			t.Errorf("the slow holder changed it: %s", diff)
		}
		close(second.end)
		wg.Wait()
		if left := rows(t, d); len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
	})
}

// A job that waits behind a slow one of its turn does not start after its lease has ended:
// it may be another holder's by then.
func TestJobWithExpiredLeaseDoesNotStart(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "slow", "behind")
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			if string(j.Payload) == `"slow"` {
				c.Advance(2 * time.Minute)
			}
			return nil
		})
		r.step()
		if diff := cmp.Diff([]string{"slow"}, r.done); diff != "" {
			t.Error(diff)
		}
		r.step()
		if diff := cmp.Diff([]string{"slow", "behind"}, r.done); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		noisy, quiet := dbtest.Tenant(t, d, "noisy"), dbtest.Tenant(t, d, "quiet")
		for range 10 {
			enqueue(t, d, noisy, 0, "n", "n", "n", "n", "n", "n", "n", "n", "n", "n")
		}
		enqueue(t, d, quiet, 0, "q")
		r := newRunner(t, d, done)
		n := r.step()
		if !strings.Contains(strings.Join(r.done, ""), "q") {
			t.Errorf("the first %d were all of the noisy tenant", n)
		}
		for n > 0 {
			n = r.step()
		}
		if len(r.done) != 101 {
			t.Errorf("did %d", len(r.done))
		}
	})
}

func TestManyTenants(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		const tenants = 40
		for i := range tenants {
			enqueue(t, d, dbtest.Tenant(t, d, fmt.Sprint("t", i)), 0, fmt.Sprint(i))
		}
		r := newRunner(t, d, done)
		for r.step() > 0 {
		}
		seen := map[string]bool{}
		for _, p := range r.done {
			seen[p] = true
		}
		if len(seen) != tenants || len(r.done) != tenants {
			t.Errorf("did %d jobs of %d tenants", len(r.done), len(seen))
		}
	})
}

// A slow job delays neither another tenant's jobs nor the other jobs of its own tenant.
func TestSlowJobDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		a, b := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		began, end, did := make(chan struct{}), make(chan struct{}), make(chan string)
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			if string(j.Payload) == `"slow"` {
				close(began)
				<-end
				return nil
			}
			did <- string(j.Payload)
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		enqueue(t, d, a, 0, "slow")
		<-began
		enqueue(t, d, a, 0, "own")
		if got := <-did; got != `"own"` {
			t.Errorf("did %s", got)
		}
		enqueue(t, d, b, 0, "other")
		if got := <-did; got != `"other"` {
			t.Errorf("did %s", got)
		}
		close(end)
		cancel()
		running.Wait() // for the slow one too
		for _, left := range rows(t, d) {
			t.Errorf("left: %+v", left)
		}
	})
}

// A tenant can run only a few jobs at a time; when one ends, the next starts without
// waiting for the clock.
func TestNextJobStartsWhenOneEnds(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		const jobsAtATime, all = 8, 50
		tenant := dbtest.Tenant(t, d, "a")
		payloads := make([]string, all)
		for i := range payloads {
			payloads[i] = fmt.Sprint(i)
		}
		enqueue(t, d, tenant, 0, payloads...)
		began, end := make(chan struct{}, all), make(chan struct{})
		r := newRunner(t, d, func(context.Context, *jobs.Job) error {
			began <- struct{}{}
			<-end
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		for range jobsAtATime {
			<-began
		}
		for range all - jobsAtATime {
			select {
			case <-began:
				t.Fatal("more than a tenant's share at a time")
			default:
			}
			end <- struct{}{}
			<-began
		}
		close(end)
		cancel()
		running.Wait()
		if len(r.done) != all {
			t.Errorf("did %d", len(r.done))
		}
	})
}
