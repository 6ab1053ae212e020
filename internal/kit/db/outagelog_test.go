package db_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// An unreachable database is logged once in ten seconds, whoever met it; everything else is
// logged each time.
func TestOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := clock.NewFake(dbtest.Start)
	log := slog.New(db.LimitOutageLogs(slog.NewTextHandler(&out, nil), c))
	fail := func(err error) int {
		out.Reset()
		for _, l := range []*slog.Logger{log, log.With("worker", "x"), log.WithGroup("g"), log} {
			l.Error("step failed", "loop", "x", "error", err)
		}
		return strings.Count(out.String(), "step failed")
	}
	outage := fmt.Errorf("step: %w", &pgconn.PgError{Code: "57P01"})
	if n := fail(outage); n != 1 {
		t.Errorf("%d lines about one outage", n)
	}
	out.Reset()
	log.Info("trying again", "error", outage)
	if out.Len() == 0 {
		t.Error("what is no warning was left out")
	}
	if n := fail(errors.New("a bug")); n != 4 {
		t.Errorf("%d of 4 lines about something else", n)
	}
	c.Advance(9 * time.Second)
	if n := fail(outage); n != 0 {
		t.Errorf("%d lines nine seconds later", n)
	}
	c.Advance(time.Second)
	if n := fail(outage); n != 1 || !strings.Contains(out.String(), "similar_lines_left_out=7") {
		t.Errorf("ten seconds later: %s", out.String())
	}
}
