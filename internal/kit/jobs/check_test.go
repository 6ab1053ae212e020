package jobs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// A worker whose lease has ended sends nothing once another has the job, or while the
// database cannot tell; and the job is the other's to finish.
func TestCheckClaim(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		began, goOn := make(chan struct{}), make(chan struct{})
		var checks []error
		slow := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			check := func() { checks = append(checks, j.CheckClaim(ctx)) }
			allow := dbtest.RefuseUpdates(t, d, "job")
			check() // just claimed: the database is not asked
			c.Advance(30 * time.Second)
			check() // the database refuses
			allow()
			check() // and renews the lease
			c.Advance(50 * time.Second)
			check()
			c.Advance(2 * time.Minute)
			close(began)
			<-goOn
			check()
			return checks[len(checks)-1]
		})
		other := newRunner(t, d, func(context.Context, *jobs.Job) error { return nil })
		var wg sync.WaitGroup
		wg.Go(func() { slow.step() })
		<-began
		if n := other.step(); n != 1 {
			t.Errorf("the other worker took %d jobs", n)
		}
		close(goOn)
		wg.Wait()
		for i, want := range []bool{true, false, true, true, false} {
			if ok := checks[i] == nil; ok != want {
				t.Errorf("check %d gave %v", i+1, checks[i])
			}
		}
		if errors.Is(checks[1], jobs.ErrLost) || !errors.Is(checks[4], jobs.ErrLost) {
			t.Errorf("the checks gave %v", checks)
		}
		if left := rows(t, d); len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
	})
}
