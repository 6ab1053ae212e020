package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
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

// shown records what people are shown about accounts.
type shown struct{ lines []string }

func (s *shown) HoldAccount(tx *db.Tx, account uuid.UUID, reason string) error {
	s.lines = append(s.lines, fmt.Sprintf("hold %d %s", account[0], reason))
	return nil
}

func (s *shown) ReleaseAccount(tx *db.Tx, account uuid.UUID, reason string) error {
	s.lines = append(s.lines, fmt.Sprintf("release %d %s", account[0], reason))
	return nil
}

func account(n byte) uuid.UUID { return uuid.UUID{n, 15: 1} }

func enqueueFor(t *testing.T, d *db.DB, tenant uuid.UUID, kind string, account uuid.UUID, payloads ...string) {
	t.Helper()
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		for _, p := range payloads {
			if _, err := jobs.EnqueueForAccount(tx, kind, account, tx.Now(), p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// outside turns the kind into one that uses outside servers.
func outside(c *jobs.Config) {
	c.Kinds[0].PerAccount, c.Kinds[0].HoldReason, c.Kinds[0].MaxAttempts = 2, "silent", 3
}

func showTo(s *shown) func(*jobs.Config) { return func(c *jobs.Config) { c.Accounts = s } }

var errSilent = jobs.HoldOnTimeout(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded})

func TestHoldOnTimeout(t *testing.T) {
	t.Parallel()
	if !errors.Is(errSilent, jobs.ErrHold) || !errors.Is(errSilent, os.ErrDeadlineExceeded) {
		t.Error(errSilent)
	}
	if err := jobs.HoldOnTimeout(fmt.Errorf("x: %w", context.DeadlineExceeded)); !errors.Is(err, jobs.ErrHold) {
		t.Error(err)
	}
	for _, err := range []error{nil, errors.New("no"), context.Canceled, &net.OpError{Op: "dial", Err: errors.New("connection refused")}} {
		if got := jobs.HoldOnTimeout(err); any(got) != any(err) { // the very same
			t.Errorf("%v became %v", err, got)
		}
	}
}

// A silent server holds only its own account, for longer and longer, and uses up no
// attempts; a success ends the hold.
func TestSilentServerHoldsItsAccount(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		silent := true
		told := &shown{}
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			if silent && j.AccountID == account(1) {
				return errSilent
			}
			return nil
		}, outside, showTo(told))
		enqueueFor(t, d, tenant, kind, account(1), "a", "b", "c", "d")
		enqueueFor(t, d, tenant, kind, account(2), "other")
		r.step()
		if slices.Sort(r.done); strings.Join(r.done, " ") != "a b other" {
			t.Errorf("did %v", r.done)
		}
		// 30 seconds, then twice as long each time, at most half an hour. One job tests
		// whether the server answers again.
		pause := 30 * time.Second
		for range 9 {
			if n := r.step(); n != 0 {
				t.Fatalf("%d jobs of a held account", n)
			}
			c.Advance(pause - time.Second)
			if n := r.step(); n != 0 {
				t.Fatalf("%d jobs before the hold of %v ended", n, pause)
			}
			c.Advance(time.Second)
			if n := r.step(); n != 1 {
				t.Fatalf("%d jobs after the hold of %v", n, pause)
			}
			pause = min(2*pause, 30*time.Minute)
		}
		silent = false
		c.Advance(pause)
		for r.step() > 0 {
		}
		if left := rows(t, d); len(left) != 0 {
			t.Errorf("left %+v", left)
		}
		want := append(slices.Repeat([]string{"hold 1 silent"}, 10), "release 1 silent")
		if diff := cmp.Diff(want, told.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// A person who changes something about an account does not wait for its hold.
func TestResumeAccount(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant, other := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return errSilent }, outside)
		enqueueFor(t, d, tenant, kind, account(1), "x")
		r.step()
		end := func(tenant uuid.UUID) {
			t.Helper()
			if err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error { return jobs.ResumeAccount(tx, account(1)) }); err != nil {
				t.Fatal(err)
			}
		}
		if end(other); r.step() != 0 {
			t.Error("another tenant ended the hold")
		}
		if end(tenant); r.step() != 1 {
			t.Error("still held")
		}
	})
}

// RunNow ends the hold of one kind, and makes its waiting jobs due.
func TestRunNow(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant, other := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		answer := errSilent
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return answer }, outside)
		enqueueFor(t, d, tenant, kind, account(1), "x")
		r.step()
		run := func(tenant uuid.UUID, kind string) {
			t.Helper()
			if err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error { return jobs.RunNow(tx, kind, account(1)) }); err != nil {
				t.Fatal(err)
			}
		}
		if run(other, kind); r.step() != 0 {
			t.Error("another tenant ended the hold")
		}
		if run(tenant, "another"); r.step() != 0 {
			t.Error("another kind ended the hold")
		}
		answer = jobs.RetryAt(c.Now().Add(time.Hour), errors.New("busy"))
		if run(tenant, kind); r.step() != 1 {
			t.Error("still held")
		}
		if r.step() != 0 {
			t.Error("did not wait")
		}
		if run(tenant, kind); r.step() != 1 {
			t.Error("still waits")
		}
	})
}

// A job that takes longer than its kind allows is treated as meeting a silent server.
func TestTimeoutOfAKindHolds(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		told := &shown{}
		r := newRunner(t, d, func(ctx context.Context, _ *jobs.Job) error { <-ctx.Done(); return errors.New("cut off") },
			outside, showTo(told), func(c *jobs.Config) { c.Kinds[0].Timeout = time.Millisecond })
		enqueueFor(t, d, dbtest.Tenant(t, d, "a"), kind, account(1), "x")
		r.step()
		if left := rows(t, d); len(left) != 1 || left[0].Attempts != 0 || len(told.lines) != 1 {
			t.Errorf("left %+v, told %v", left, told.lines)
		}
	})
}

// A job does not wait for a silent server for ever.
func TestJobWaitingTooLongForSilentServerDies(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		dead := 0
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return errSilent }, outside, func(c *jobs.Config) {
			c.Kinds[0].MaxAge = time.Hour
			c.Kinds[0].OnDead = func(context.Context, *jobs.Job, string) error { dead++; return nil }
		})
		enqueueFor(t, d, dbtest.Tenant(t, d, "a"), kind, account(1), "x")
		for range 4 {
			r.step()
			c.Advance(20 * time.Minute)
		}
		if left := rows(t, d); len(left) != 1 || !left[0].Dead || dead != 1 {
			t.Errorf("left %+v, told %d times", left, dead)
		}
	})
}

// The holds of two kinds are independent, and the reason of the remaining one is shown.
func TestHoldsOfTwoKindsAreIndependent(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant, told := dbtest.Tenant(t, d, "a"), &shown{}
		answers := map[string]error{"send": errSilent, "poll": errSilent}
		handle := func(_ context.Context, j *jobs.Job) error { return answers[j.Kind] }
		r := newRunner(t, d, handle, showTo(told), func(c *jobs.Config) {
			send := jobs.Kind{Name: "send", Handler: handle, PerNode: 9, PerTenant: 9, PerAccount: 1, MaxAttempts: 9, HoldReason: "smtp"}
			poll := send
			poll.Name, poll.HoldReason = "poll", "imap"
			c.Kinds = []jobs.Kind{send, poll}
		})
		enqueueFor(t, d, tenant, "send", account(1), "s")
		r.step()
		c.Advance(10 * time.Second)
		enqueueFor(t, d, tenant, "poll", account(1), "p")
		if n := r.step(); n != 1 {
			t.Errorf("did %d: a hold is of a kind", n)
		}
		answers["send"] = nil
		c.Advance(20 * time.Second)
		r.step()
		want := []string{"hold 1 smtp", "hold 1 imap", "release 1 smtp", "hold 1 imap"}
		if diff := cmp.Diff(want, told.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// One silent server with a long queue delays nobody: neither another account of its tenant,
// nor another kind, nor another tenant.
func TestSilentServerDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		a, b := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		did := make(chan string)
		var began sync.WaitGroup
		began.Add(2)
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			if string(j.Payload) == `"silent"` {
				began.Done()
				<-ctx.Done()
				return ctx.Err()
			}
			did <- string(j.Payload)
			return nil
		}, outside, func(c *jobs.Config) {
			other := c.Kinds[0]
			other.Name, other.PerAccount, other.HoldReason = "inside", 0, ""
			other.PerTenant = 1 // less than runs of the first kind
			c.Kinds, c.Drain = append(c.Kinds, other), time.Millisecond
		})
		enqueueFor(t, d, a, kind, account(1), slices.Repeat([]string{"silent"}, 50)...)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		began.Wait() // as many as an account may have
		for _, other := range []struct {
			tenant, account uuid.UUID
			kind            string
		}{{a, account(2), kind}, {a, uuid.Nil, "inside"}, {b, account(1), kind}} {
			enqueueFor(t, d, other.tenant, other.kind, other.account, "other")
			<-did
		}
		// A stop ends the waiting jobs without counting an attempt.
		cancel()
		running.Wait()
		if diff := cmp.Diff(slices.Repeat([]row{{}}, 50), rows(t, d)); diff != "" {
			t.Error(diff)
		}
	})
}

// A server that asks for a pause gets it for the whole account: no job of it begins before
// the end, no attempt is counted, and people are shown nothing.
func TestServerAsksForPause(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		busy, done, told := true, 0, &shown{}
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			if j.Attempts != 1 {
				t.Errorf("attempt %d", j.Attempts)
			}
			if busy {
				busy = false
				return jobs.HoldUntil(c.Now().Add(90*time.Second), errors.New("too many requests"))
			}
			done++
			return nil
		}, outside, func(c *jobs.Config) { c.Kinds[0].PerAccount = 1 }, showTo(told))
		for _, name := range []string{"a", "b", "c"} {
			enqueueFor(t, d, tenant, kind, account(1), name)
			c.Advance(time.Millisecond)
		}
		r.step()
		c.Advance(89 * time.Second)
		r.step()
		if done != 0 {
			t.Errorf("%d jobs were done in the pause", done)
		}
		c.Advance(2 * time.Second)
		for r.step() > 0 {
		}
		if strings.Join(r.done, " ") != "a a b c" {
			t.Errorf("did %v", r.done)
		}
		if done != 3 || strings.Contains(strings.Join(told.lines, " "), "hold 1") {
			t.Errorf("%d jobs are done, people are told %v", done, told.lines)
		}
	})
}

// The jobs of a suspended workspace wait until it is resumed; those of others are done.
func TestSuspendedWorkspaceWaits(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		suspended, other := c.NewID(), c.NewID()
		exec := func(query string, args ...any) {
			t.Helper()
			err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(query, args...)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO tenant (id, slug, name, licences, suspended_at, created_at) VALUES ($1, 'a', 'a', '[]', 1, 1)`, suspended)
		exec(`INSERT INTO tenant (id, slug, name, licences, created_at) VALUES ($1, 'b', 'b', '[]', 1)`, other)
		enqueue(t, d, suspended, 0, "waits")
		enqueue(t, d, other, 0, "runs")
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return nil })
		// If it is suspended between the query for due jobs and the claim, it is not
		// claimed either.
		if n, err := r.ClaimOf(t.Context(), kind, suspended); err != nil || n != 0 {
			t.Errorf("%d jobs are claimed, %v", n, err)
		}
		if n := r.step() + r.step(); n != 1 || r.done[0] != "runs" {
			t.Errorf("did %d jobs: %q", n, r.done)
		}
		exec(`UPDATE tenant SET suspended_at = NULL WHERE id = $1`, suspended)
		if n := r.step(); n != 1 || r.done[1] != "waits" {
			t.Errorf("did %d jobs after it was resumed: %q", n, r.done)
		}
	})
}

// However many suspended workspaces have jobs, those of others get their turn at once.
func TestSuspendedWorkspacesDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		for i := range 70 { // more than a claim takes from
			enqueue(t, d, dbtest.Tenant(t, d, fmt.Sprintf("s%d", i)), 0, "waits")
		}
		err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE tenant SET suspended_at = 1`)
		})
		if err != nil {
			t.Fatal(err)
		}
		enqueue(t, d, dbtest.Tenant(t, d, "works"), 0, "runs")
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return nil })
		if n := r.step(); n != 1 || r.done[0] != "runs" {
			t.Errorf("did %d jobs: %q", n, r.done)
		}
	})
}

// A waiting job is found by its id, by its own tenant, until it is done or dead.
func TestFindPayload(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant, other := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		var id uuid.UUID
		add := func(payload string) {
			t.Helper()
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) (err error) {
				id, err = jobs.EnqueueForAccount(tx, kind, account(1), tx.Now(), payload)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		find := func(tenant uuid.UUID) string {
			t.Helper()
			got, err := db.Read(t.Context(), d.Tenant(tenant), func(r *db.Reader) (json.RawMessage, error) { return jobs.FindPayload(r, id) })
			if err != nil && !db.IsNoRow(err) {
				t.Fatal(err)
			}
			return string(got)
		}
		var answer error
		r := newRunner(t, d, func(context.Context, *jobs.Job) error { return answer }, outside)
		add("x")
		if mine, others := find(tenant), find(other); mine != `"x"` || others != "" {
			t.Errorf("found %q, and by another tenant %q", mine, others)
		}
		if r.step(); find(tenant) != "" {
			t.Error("a job that is done is found")
		}
		add("y")
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE job SET dead_at = 1 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
		})
		if err != nil || find(tenant) != "" {
			t.Errorf("a dead job is found, %v", err)
		}
	})
}
