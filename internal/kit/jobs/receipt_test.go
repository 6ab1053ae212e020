package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// onWarning is a log that calls fn with each warning's message.
type onWarning func(message string)

func (onWarning) Enabled(context.Context, slog.Level) bool { return true }
func (f onWarning) Handle(_ context.Context, r slog.Record) error {
	f(r.Message)
	return nil
}
func (f onWarning) WithAttrs([]slog.Attr) slog.Handler { return f }
func (f onWarning) WithGroup(string) slog.Handler      { return f }

// send does what a sending handler does, and counts what the peer got.
func send(sent *int, afterwards func() error) jobs.Handler {
	return func(ctx context.Context, j *jobs.Job) error {
		var id string
		kept, err := j.ReadReceipt(&id)
		if err != nil {
			return err
		}
		if !kept {
			*sent++
			if err := j.KeepReceipt(ctx, "the peer's id"); err != nil {
				return err
			}
		} else if id != "the peer's id" {
			return errors.Join(jobs.ErrDrop, errors.New("another receipt: "+id))
		}
		return afterwards()
	}
}

// After a failure following a receipt, the job is done again but nothing is sent again.
func TestReceiptPreventsSendingAgain(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		sent, failures := 0, 3
		r := newRunner(t, d, send(&sent, func() error {
			if failures--; failures >= 0 {
				return errors.New("the disk is full")
			}
			return nil
		}))
		for range 5 {
			r.step()
			c.Advance(time.Hour)
		}
		if sent != 1 || failures != -1 || len(r.done) != 4 {
			t.Errorf("sent %d times in %d attempts", sent, len(r.done))
		}
	})
}

// If the database does not accept a receipt, writing it is tried again, not the sending.
func TestReceiptWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		sent, refused := 0, 0
		var allow func()
		log := func(c *jobs.Config) {
			c.Log = slog.New(onWarning(func(message string) {
				if strings.Contains(message, "could not be recorded") {
					if refused++; refused == 2 {
						allow()
					}
				}
			}))
		}
		handle := send(&sent, func() error { return nil })
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			allow = dbtest.RefuseUpdates(t, d, "job")
			return handle(ctx, j)
		}, log)
		r.step()
		if sent != 1 || refused != 2 || len(r.done) != 1 || r.step() != 0 {
			t.Errorf("sent %d times, refused %d times, %d attempts", sent, refused, len(r.done))
		}
	})
}

// What was accepted when a stop ended the job's context is still recorded.
func TestReceiptAfterAStop(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		sent := 0
		handle := send(&sent, func() error { return nil })
		stopped := false
		r := newRunner(t, d, func(ctx context.Context, j *jobs.Job) error {
			ended, cancel := context.WithCancel(ctx)
			if !stopped {
				cancel()
				stopped = true
			}
			defer cancel()
			if err := handle(ended, j); err != nil {
				return err
			}
			return ended.Err()
		})
		r.step()
		c.Advance(time.Hour)
		r.step()
		if sent != 1 || len(r.done) != 2 {
			t.Errorf("sent %d times in %d attempts", sent, len(r.done))
		}
	})
}

// A peer can set when the next attempt begins; the attempt is counted as usual.
func TestRetryAt(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		enqueue(t, d, dbtest.Tenant(t, d, "a"), 0, "x")
		attempts := []int{}
		r := newRunner(t, d, func(_ context.Context, j *jobs.Job) error {
			attempts = append(attempts, j.Attempts)
			return jobs.RetryAt(c.Now().Add(7*time.Minute), errors.New("busy"))
		}, func(c *jobs.Config) { c.Kinds[0].MaxAttempts = 2 })
		r.step()
		c.Advance(7*time.Minute - time.Second)
		early := r.step()
		c.Advance(time.Second)
		if early != 0 || r.step() != 1 || len(attempts) != 2 || attempts[1] != 2 {
			t.Errorf("early %d, attempts %v", early, attempts)
		}
		dead, err := jobs.ListDead(t.Context(), d, kind, 10)
		if err != nil || len(dead) != 1 || dead[0].Error != "busy" {
			t.Errorf("%+v, %v", dead, err)
		}
	})
}
