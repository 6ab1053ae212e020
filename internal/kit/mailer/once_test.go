package mailer_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/hostile"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
)

// failing is a log handler that calls the function when a receipt could not be written.
type failing func()

func (failing) Enabled(context.Context, slog.Level) bool { return true }
func (f failing) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "could not be recorded") {
		f()
	}
	return nil
}
func (f failing) WithAttrs([]slog.Attr) slog.Handler { return f }
func (f failing) WithGroup(string) slog.Handler      { return f }

// A mail that the server accepted is sent only once, even if the database fails right
// afterwards.
func TestMailIsSentOnce(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		var allow func()
		p := &post{password: "s3cret", onMail: func() { allow = dbtest.RefuseUpdates(t, d, "job") }}
		m, _ := open(t, d, "smtp://konak:s3cret@"+p.listen(t))
		send(t, d, uuid.Nil, m)
		failures := 0
		runner := newRunner(t, d, m, slog.New(failing(func() { failures++; allow() })))
		for range 3 {
			step(t, runner)
			c.Advance(time.Hour)
		}
		if len(p.got) != 1 || failures != 1 {
			t.Errorf("%d mails, %d failures", len(p.got), failures)
		}
	})
}

// A silent mail server holds the mails, those of a workspace and those of none, and costs
// no attempts; they are sent when it answers again.
func TestSilentRelayHoldsMails(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		silent := hostile.SMTP(t, "banner", hostile.Silent)
		m, _ := open(t, d, "smtp://konak:s3cret@"+silent.Address())
		kinds := m.Jobs()
		kinds[0].Handler = func(ctx context.Context, j *jobs.Job) error {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			return m.Handle(ctx, j)
		}
		impatient, err := jobs.New(jobs.Config{DB: d, Log: slog.New(slog.DiscardHandler), Kinds: kinds, Random: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		send(t, d, uuid.Nil, m)
		send(t, d, dbtest.Tenant(t, d, "a"), m)
		for range 25 {
			step(t, impatient)
			c.Advance(time.Hour)
		}
		if step(t, impatient); step(t, impatient) != 0 {
			t.Error("the mails are not held")
		}
		dead, err := jobs.ListDead(t.Context(), d, mailer.JobKind, 10)
		if err != nil || len(dead) != 0 {
			t.Errorf("%+v, %v", dead, err)
		}
		p := &post{password: "s3cret"}
		_, runner := open(t, d, "smtp://konak:s3cret@"+p.listen(t))
		c.Advance(time.Hour)
		step(t, runner)
		if len(p.got) != 2 {
			t.Errorf("%d mails", len(p.got))
		}
	})
}
