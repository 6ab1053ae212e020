package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// dies starts the only due job on a node whose process then ends: the runner records
// nothing.
func dies(t *testing.T, d *db.DB, node uuid.UUID) {
	t.Helper()
	began, end := make(chan struct{}), make(chan struct{})
	r := newRunner(t, d, func(context.Context, *jobs.Job) error { close(began); <-end; return nil }, onNode(node))
	var wg sync.WaitGroup
	wg.Go(func() { r.step() })
	<-began
	var claim uuid.UUID
	change := func(to uuid.UUID) {
		t.Helper()
		err := d.System("test").InTx(t.Context(), func(tx *db.Tx) (err error) {
			if claim == uuid.Nil {
				if claim, err = db.One(&tx.Reader, db.Scalar[uuid.UUID], `SELECT claim_id FROM job`); err != nil {
					return err
				}
			}
			return tx.Exec(`UPDATE job SET claim_id = $1`, to)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(uuid.New()) // its late result does not count
	close(end)
	wg.Wait()
	change(claim)
}

// A job during which three processes died is dead without starting again, and these deaths
// are counted separately from its attempts.
func TestThreeLostProcessesMakeAJobDead(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		for range 3 {
			dies(t, d, uuid.New())
			c.Advance(time.Minute) // the lease ends
		}
		told := ""
		r := newRunner(t, d, done, func(c *jobs.Config) {
			c.Kinds[0].OnDead = func(_ context.Context, _ *jobs.Job, reason string) error { told = reason; return nil }
		})
		r.step()
		left := rows(t, d)
		if len(r.done) != 0 || len(left) != 1 || !left[0].Dead || left[0].Lost != 3 || !strings.Contains(left[0].Error, "3 processes died") {
			t.Errorf("did %v, left %+v", r.done, left)
		}
		if told != left[0].Error {
			t.Errorf("its module was told %q", told)
		}
	})
}

// Lost processes do not use up a job's attempts.
func TestLostProcessesDoNotCountAsAttempts(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		dies(t, d, uuid.New())
		dies2 := func() { c.Advance(time.Minute); dies(t, d, uuid.New()) }
		dies2()
		c.Advance(time.Minute)
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			return errors.New("no luck")
		})
		r.step()
		if diff := cmp.Diff([]row{{Attempts: 1, Lost: 2, Error: "no luck"}}, rows(t, d)); diff != "" {
			t.Error(diff)
		}
	})
}

// The successor of a killed process does not wait for its leases to end, except for a job
// that was lost before.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		gone, own := uuid.New(), uuid.New()
		next := newRunner(t, d, done, onNode(own))
		takeOver := func(node uuid.UUID) {
			t.Helper()
			if err := next.TakeOver(t.Context(), node); err != nil {
				t.Fatal(err)
			}
		}
		dies(t, d, gone)
		if takeOver(own); next.step() != 0 {
			t.Fatal("the job of another node was freed")
		}
		takeOver(gone)
		dies(t, d, gone) // it was free at once
		if takeOver(gone); next.step() != 0 {
			t.Error("a job that was lost twice was begun at once")
		}
		c.Advance(time.Minute)
		if n := next.step(); n != 1 || len(rows(t, d)) != 0 {
			t.Errorf("%d jobs, left %+v", n, rows(t, d))
		}
	})
}

// A job that makes progress is not the cause of lost processes.
func TestProgressResetsLostProcesses(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		for range 2 {
			dies(t, d, uuid.New())
			c.Advance(time.Minute)
		}
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			for _, want := range []bool{true, false} {
				err := d.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error {
					ours, err := j.Progress(tx)
					if err != nil || ours != want {
						t.Errorf("ours %v, %v", ours, err)
					}
					return tx.Exec(`UPDATE job SET claim_id = NULL`)
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		r.step()
		if diff := cmp.Diff([]row{{}}, rows(t, d)); diff != "" {
			t.Error(diff)
		}
	})
}
