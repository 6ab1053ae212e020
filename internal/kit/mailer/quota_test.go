package mailer_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// quotaTest is a mailer with a quota of three and a mail server.
type quotaTest struct {
	t      *testing.T
	db     *db.DB
	clock  *clock.Fake
	mailer *mailer.Mailer
	runner *jobs.Runner
	server *post
	tenant uuid.UUID
}

func runQuota(t *testing.T, fn func(q *quotaTest)) {
	t.Helper()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		box, err := secret.NewBox(make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		q := &quotaTest{t: t, db: d, clock: c, server: &post{}, tenant: dbtest.Tenant(t, d, "demo")}
		q.mailer, err = mailer.New(mailer.Config{
			DB: d, Box: box, Log: slog.New(slog.DiscardHandler), Files: fakeFiles{},
			URL: "smtp://" + q.server.listen(t), From: "no-reply@konak.example", DailyQuota: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		q.runner = newRunner(t, d, q.mailer, slog.New(slog.DiscardHandler))
		fn(q)
	})
}

func (q *quotaTest) relay(to ...string) error {
	_, err := q.mailer.Relay(q.t.Context(), q.tenant, mailer.FinishedMail{
		ID: uuid.New(), Envelope: mailer.Envelope{From: "a@firma.example", To: to}, Raw: []byte("Subject: x\r\n\r\nx\r\n"),
	})
	return err
}

func (q *quotaTest) send(l mailer.Mail) error {
	return q.db.Tenant(q.tenant).InTx(q.t.Context(), func(tx *db.Tx) error { return q.mailer.Send(tx, l) })
}

func (q *quotaTest) settle() {
	q.t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = q.runner.Step(q.t.Context()); err != nil {
			q.t.Fatal(err)
		}
	}
}

func (q *quotaTest) used() (u mailer.Usage) {
	q.t.Helper()
	err := q.db.Tenant(q.tenant).Read(q.t.Context(), func(r *db.Reader) (err error) {
		u, err = q.mailer.Usage(r)
		return err
	})
	if err != nil {
		q.t.Fatal(err)
	}
	return u
}

// failures counts the failed attempts of the waiting jobs.
func (q *quotaTest) failures() (n int64, err error) {
	err = q.db.System("test").Read(q.t.Context(), func(r *db.Reader) (err error) {
		n, err = db.One(r, db.Scalar[int64], `SELECT COALESCE(MAX(attempts), 0) FROM job`)
		return err
	})
	return n, err
}

// metric reads one of the mailer's metrics.
func (q *quotaTest) metric(name string) float64 {
	q.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(q.mailer)
	families, err := registry.Gather()
	if err != nil {
		q.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.Metric[0].GetCounter().GetValue() + f.Metric[0].GetGauge().GetValue()
		}
	}
	q.t.Fatalf("no metric %s", name)
	return 0
}

func TestDailyQuota(t *testing.T) {
	t.Parallel()
	runQuota(t, func(q *quotaTest) {
		t := q.t
		if err := q.relay("a@x.example", "b@x.example"); err != nil {
			t.Fatal(err)
		}
		reached, ok := errors.AsType[*mailer.QuotaReached](q.relay("c@x.example", "d@x.example"))
		if !ok || !reached.Until.Equal(q.used().ResetsAt.Time) {
			t.Errorf("over the quota: %+v", reached)
		}
		if n := q.metric("konak_mail_quota_reached_workspaces"); n != 0 {
			t.Errorf("%v workspaces at their quota", n)
		}
		if err := q.relay("e@x.example"); err != nil {
			t.Errorf("what still fits: %v", err)
		}
		if u := q.used(); u.Used != 3 || u.Limit != 3 || len(q.server.got) != 2 {
			t.Errorf("%+v after %d mails", u, len(q.server.got))
		}
		for name, want := range map[string]float64{
			"konak_mail_recipients_total": 3, "konak_mail_held_total": 1, "konak_mail_quota_reached_workspaces": 1,
		} {
			if got := q.metric(name); got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}

		// Another workspace, and mail of none, are not affected.
		other := dbtest.Tenant(t, q.db, "other")
		if _, err := q.mailer.Relay(t.Context(), other, mailer.FinishedMail{ID: uuid.New(), Envelope: mailer.Envelope{To: []string{"a@x.example"}}, Raw: []byte("\r\n")}); err != nil {
			t.Error(err)
		}
		if err := q.db.System("test").InTx(t.Context(), func(tx *db.Tx) error { return q.mailer.Send(tx, mailer.Mail{To: "p@x.example"}) }); err != nil {
			t.Error(err)
		}

		q.clock.Set(q.used().ResetsAt.Time)
		if u := q.used(); u.Used != 0 {
			t.Errorf("the next day: %+v", u)
		}
		if err := q.relay("c@x.example", "d@x.example", "e@x.example"); err != nil {
			t.Errorf("the next day: %v", err)
		}
		if u := q.used(); u.Used != 3 {
			t.Errorf("the count did not begin anew: %+v", u)
		}
	})
}

// A mail that is tried again is counted once; one that the server refuses permanently is
// counted too.
func TestQuotaCountsWhatWasSent(t *testing.T) {
	t.Parallel()
	runQuota(t, func(q *quotaTest) {
		q.server.refuse = &smtp.SMTPError{Code: 451, Message: "later"}
		for range 5 {
			if err := q.relay("a@x.example"); err == nil || errors.Is(err, jobs.ErrDrop) {
				q.t.Fatal(err)
			}
		}
		if u := q.used(); u.Used != 0 {
			q.t.Errorf("after mails that will be tried again: %+v", u)
		}
		q.server.refuse = &smtp.SMTPError{Code: 550, Message: "nobody"}
		if err := q.relay("a@x.example"); !errors.Is(err, jobs.ErrDrop) {
			q.t.Fatal(err)
		}
		if u := q.used(); u.Used != 1 {
			q.t.Errorf("after a mail that was refused: %+v", u)
		}
	})
}

// A workspace's mails are counted; notices to people about their own account
// are not, and never wait.
func TestNoticesAreNotHeld(t *testing.T) {
	t.Parallel()
	runQuota(t, func(q *quotaTest) {
		t := q.t
		for range 4 { // all fit when they are queued
			if err := q.send(mailer.Mail{To: "a@x.example"}); err != nil {
				t.Fatal(err)
			}
		}
		q.settle()
		if u := q.used(); u.Used != 3 || len(q.server.got) != 3 {
			t.Errorf("%+v after %d mails", u, len(q.server.got))
		}
		failed, err := q.failures()
		if err != nil || failed != 0 {
			t.Errorf("waiting counts as %d failures, %v", failed, err)
		}
		if err := q.send(mailer.Mail{To: "b@x.example"}); !fault.Is(err, fault.SendingQuotaReached) {
			t.Errorf("another mail: %v", err)
		}
		if err := q.send(mailer.Mail{To: "owner@x.example", Notice: true}); err != nil {
			t.Errorf("a notice: %v", err)
		}
		q.settle()
		if n := len(q.server.got); n != 4 || q.server.got[3].to != "owner@x.example" {
			t.Errorf("the notice did not leave: %d mails", n)
		}
		q.clock.Advance(24 * time.Hour)
		q.settle()
		if n := len(q.server.got); n != 5 || q.server.got[4].to != "a@x.example" {
			t.Errorf("the mail that waited did not leave: %d mails", n)
		}
	})
}
