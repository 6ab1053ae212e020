package jobs_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trace"
	"konak/internal/kit/trace/tracetest"
)

// A job belongs to the trace in which it was added. A recurring job would lengthen that
// trace for ever, so only its first run does.
func TestJobsContinueTrace(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, fake *clock.Fake) {
		c := tracetest.New(t)
		tracer, err := trace.Open(trace.Config{Address: c.URL, Share: 1}, outbound.New(outbound.Options{Operator: true}), slog.New(slog.DiscardHandler), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tracer.Close() })
		ctx, above := tracer.StartUnder(t.Context(), "", "above", trace.Inside)
		err = d.Tenant(uuid.New()).InTx(ctx, func(tx *db.Tx) error {
			_, err := jobs.Enqueue(tx, kind, tx.Now(), "")
			return err
		})
		above.End("")
		if err != nil {
			t.Fatal(err)
		}
		runs := 0
		r := newRunner(t, d, func(context.Context, *jobs.Job) error {
			switch runs++; runs {
			case 1:
				return jobs.Snooze(fake.Now())
			case 2:
				return context.Canceled // a failure
			}
			return jobs.RunAgain(fake.Now())
		}, func(c *jobs.Config) { c.Traces = tracer })
		for range 4 {
			r.step()
			fake.Advance(time.Hour)
		}
		if err := tracer.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, first := c.Named("job "+kind), c.Named("above")[0]
		if len(got) != 4 {
			t.Fatalf("%+v", got)
		}
		for n, s := range got {
			if (s.Trace == first.Trace) != (n < 3) || s.Failed != (n == 1) || s.Attributes["konak.job.kind"] != kind {
				t.Errorf("run %d: %+v after %+v", n+1, s, first)
			}
		}
	})
}
