package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

func TestKindsAreChecked(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.System{})
	good := jobs.Kind{Name: "x", Handler: done, PerNode: 1, PerTenant: 1, MaxAttempts: 1}
	for name, kinds := range map[string][]jobs.Kind{
		"nameless":         {{Handler: done, PerNode: 1, PerTenant: 1, MaxAttempts: 1}},
		"without handler":  {{Name: "x", PerNode: 1, PerTenant: 1, MaxAttempts: 1}},
		"without bounds":   {{Name: "x", Handler: done, MaxAttempts: 1}},
		"without attempts": {{Name: "x", Handler: done, PerNode: 1, PerTenant: 1}},
		"without a reason": {{Name: "x", Handler: done, PerNode: 1, PerTenant: 1, PerAccount: 1, MaxAttempts: 1}},
		"twice":            {good, good},
	} {
		c := jobs.Config{DB: d, Log: slog.New(slog.DiscardHandler), Random: func() float64 { return 0 }, Kinds: kinds}
		if _, err := jobs.New(c); err == nil {
			t.Errorf("a kind %s passes", name)
		}
	}
}

// The times of retries are varied by the source of random numbers.
func TestRetriesHaveJitter(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x", "y")
		numbers := []float64{0, 0.8}
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return errors.New("no luck") }, func(c *jobs.Config) {
			c.Random = func() float64 { n := numbers[0]; numbers = numbers[1:]; return n }
		})
		r.step()
		c.Advance(1600 * time.Millisecond) // of two seconds, a fifth less
		numbers = []float64{0}
		if r.step(); r.done[len(r.done)-1] != "y" || len(r.done) != 3 {
			t.Errorf("did %v", r.done)
		}
	})
}

// Snoozing counts no attempt; running again forgets earlier failures.
func TestSnoozeAndRunAgain(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		answers := []error{errors.New("no luck"), jobs.Snooze(c.Now().Add(time.Hour)), jobs.RunAgain(c.Now().Add(2 * time.Hour)), nil}
		r := newRunner(t, d, func(context.Context, *jobs.Job) error {
			err := answers[0]
			answers = answers[1:]
			return err
		})
		start := c.Now()
		for _, step := range []struct {
			at   time.Duration
			want []row
		}{
			{0, []row{{Attempts: 1, Error: "no luck"}}},
			{time.Minute, []row{{Attempts: 1, Error: "no luck"}}},
			{time.Hour, []row{{}}},
			{2 * time.Hour, []row{}},
		} {
			c.Set(start.Add(step.at - time.Microsecond))
			if n := r.step(); n != 0 && step.at != time.Minute && step.at != 0 {
				t.Errorf("begun before %v", step.at)
			}
			c.Set(start.Add(step.at))
			r.step()
			if diff := cmp.Diff(step.want, append([]row{}, rows(t, d)...)); diff != "" {
				t.Errorf("at %v: %s", step.at, diff)
			}
		}
	})
}

// Tenants with only future jobs, more than one query examines, do not hide a tenant after
// them.
func TestManyWaitingTenantsDoNotHideOthers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			for n := range 1100 {
				tenant := uuid.UUID{0, byte(n >> 8), byte(n), 15: 1}
				if _, err := jobs.EnqueueForTenant(tx, tenant, kind, tx.Now().AddDate(0, 0, 1), "later"); err != nil {
					return err
				}
			}
			_, err := jobs.EnqueueForTenant(tx, uuid.UUID{9, 15: 1}, kind, tx.Now(), "now")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(t, d, done)
		r.step()
		if r.step(); len(r.done) != 1 {
			t.Errorf("did %v", r.done)
		}
	})
}

// A kind that is busy on this node does not affect the others.
func TestBusyKindDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		var mu sync.Mutex
		running, most := 0, 0
		r := newRunner(t, d, func(context.Context, *jobs.Job) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			mu.Lock()
			running--
			mu.Unlock()
			return nil
		}, func(c *jobs.Config) { c.Kinds[0].PerNode, c.Kinds[0].PerTenant = 3, 2 })
		for n := range 3 {
			tenant := dbtest.Tenant(t, d, fmt.Sprint("t", n))
			enqueue(t, d, tenant, 0, "a", "b", "c", "d")
		}
		if n := r.step(); n != 3 {
			t.Errorf("claimed %d of three places", n)
		}
		for r.step() > 0 {
		}
		if len(r.done) != 12 || most > 3 {
			t.Errorf("did %d, %d at a time", len(r.done), most)
		}
	})
}

// An account has only one recurring job, and a run that is in progress at a restart changes
// nothing more.
func TestRestart(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		restart := func(in time.Duration) {
			t.Helper()
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error { return jobs.Restart(tx, kind, account(1), tx.Now().Add(in)) })
			if err != nil {
				t.Fatal(err)
			}
		}
		nextRun := func() (at *clock.Time) {
			t.Helper()
			err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) (err error) {
				at, err = jobs.NextRun(r, account(1))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		if at := nextRun(); at != nil {
			t.Errorf("next run %v", at)
		}
		ours := []bool{}
		again := true
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			for range 2 {
				err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
					is, err := j.StillOurs(tx)
					ours = append(ours, is)
					return err
				})
				if err != nil {
					return err
				}
				if again {
					restart(time.Hour)
				}
			}
			return errSilent
		}, outside)
		restart(0)
		restart(0)
		if n := r.step(); n != 1 || !slices.Equal(ours, []bool{true, false}) {
			t.Errorf("%d ran, ours %v", n, ours)
		}
		if at := nextRun(); at == nil || !at.Equal(c.Now().Add(time.Hour)) {
			t.Errorf("next run %v", at)
		}
		again = false
		c.Advance(time.Hour)
		r.step()
		if at := nextRun(); at == nil || !at.Equal(c.Now().Add(30*time.Second)) {
			t.Errorf("next run %v: not the end of the hold", at)
		}
	})
}

// The metrics count jobs while a node is doing them.
func TestRunningJobsAreCounted(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		metrics := prometheus.NewRegistry()
		count := func() (n float64) {
			families, err := metrics.Gather()
			if err != nil {
				t.Error(err)
			}
			for _, f := range families {
				if f.GetName() == "konak_jobs_running" {
					for _, m := range f.GetMetric() {
						n += m.GetGauge().GetValue()
					}
				}
			}
			return n
		}
		during := 0.0
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { during = count(); return nil }, func(c *jobs.Config) { c.Metrics = metrics })
		r.step()
		if after := count(); during != 1 || after != 0 {
			t.Errorf("%v jobs while one is done, and %v after it", during, after)
		}
	})
}

func TestDeadJobs(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		ctx, tenant := t.Context(), dbtest.Tenant(t, d, "a")
		enqueue(t, d, tenant, 0, "x", "y")
		err := errors.Join(jobs.ErrDrop, errors.New("useless"))
		metrics := prometheus.NewRegistry()
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return err }, func(c *jobs.Config) { c.Metrics = metrics })
		r.step()
		count := func() (n float64) {
			t.Helper()
			families, err := metrics.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				if f.GetName() == "konak_jobs_dead" {
					n = f.GetMetric()[0].GetGauge().GetValue()
				}
			}
			return n
		}
		if n := count(); n != 2 {
			t.Errorf("%v dead jobs are counted", n)
		}
		list, e := jobs.ListDead(ctx, d, kind, 10)
		if e != nil || len(list) != 2 || list[0].TenantID != tenant || list[0].Attempts != 1 || !strings.Contains(list[0].Error, "useless") {
			t.Fatalf("%+v, %v", list, e)
		}
		if other, e := jobs.ListDead(ctx, d, "another", 10); e != nil || len(other) != 0 {
			t.Errorf("%+v, %v", other, e)
		}
		if e := jobs.RetryDead(ctx, d, list[0].ID); e != nil {
			t.Error(e)
		}
		err = nil
		if n := r.step(); n != 1 {
			t.Errorf("%d jobs after a retry", n)
		}
		if e := jobs.RetryDead(ctx, d, list[0].ID); !db.IsNoRow(e) {
			t.Errorf("a job that is gone: %v", e)
		}
		if e := jobs.DeleteDead(ctx, d, list[1].ID); e != nil {
			t.Error(e)
		}
		if e := jobs.DeleteDead(ctx, d, list[1].ID); !db.IsNoRow(e) {
			t.Errorf("a job that is gone: %v", e)
		}
		if n := count(); n != 0 {
			t.Errorf("%v dead jobs are counted", n)
		}
		// A live job cannot be deleted, and a dead one is kept for 30 days.
		enqueue(t, d, tenant, 0, "z")
		err = jobs.ErrDrop
		r.step()
		enqueue(t, d, tenant, 100*24*time.Hour, "alive")
		c.Advance(30*24*time.Hour - time.Second)
		for want, wait := range []time.Duration{0, time.Second} {
			c.Advance(wait)
			if n, e := jobs.CleanDead(ctx, d); n != want || e != nil {
				t.Errorf("cleaned %d, want %d: %v", n, want, e)
			}
		}
		if left := rows(t, d); len(left) != 1 || left[0].Dead {
			t.Errorf("left %+v", left)
		}
	})
}
