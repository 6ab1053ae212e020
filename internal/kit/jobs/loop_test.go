package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
)

// looping runs a loop whose steps the test answers one by one.
type looping struct {
	steps chan chan result
	stop  func()
}

type result struct {
	n   int
	err error
}

func startLoop(t *testing.T, d *db.DB, l jobs.Loop) *looping {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out := &looping{steps: make(chan chan result)}
	l.DB, l.Log = d, slog.New(slog.DiscardHandler)
	l.Step = func(ctx context.Context) (int, error) {
		answer := make(chan result)
		select {
		case out.steps <- answer:
			r := <-answer
			return r.n, r.err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { l.Run(ctx) })
	out.stop = func() { cancel(); wg.Wait() }
	t.Cleanup(out.stop)
	return out
}

func (l *looping) answer(n int, err error) { (<-l.steps) <- result{n, err} }

func (l *looping) quiet(t *testing.T, what string) {
	t.Helper()
	select {
	case <-l.steps:
		t.Errorf("a step %s", what)
	case <-time.After(30 * time.Millisecond):
	}
}

func TestLoopStepsWhileThereIsWorkAndWhenWoken(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.System{})
	l := startLoop(t, d, jobs.Loop{Topics: []string{"a", "b"}, Full: 10, Every: time.Hour})
	l.answer(10, nil) // full: there may be more
	l.answer(3, nil)
	l.quiet(t, "without work or a wake-up")
	for _, topic := range []string{"a", "b"} {
		d.Wake(topic)
		l.answer(0, nil)
	}
	d.Wake("c")
	l.quiet(t, "of another's topic")
}

// A wake-up during a step must not be lost: what it announces may have been
// written after the step looked.
func TestLoopRemembersWakeUpDuringStep(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.System{})
	l := startLoop(t, d, jobs.Loop{Topics: []string{"a"}, Full: 10, Every: time.Hour, Rest: time.Millisecond})
	answer := <-l.steps
	d.Wake("a")
	d.Wake("a")
	answer <- result{}
	l.answer(0, nil)
	l.quiet(t, "for a second wake-up that says nothing new")
}

func TestLoopStepsPeriodicallyAndAfterErrors(t *testing.T) {
	t.Parallel()
	l := startLoop(t, dbtest.Open(t, db.SQLite, clock.System{}), jobs.Loop{Full: 10, Every: time.Millisecond})
	l.answer(0, nil)
	l.answer(0, errors.New("the database is away"))
	l.answer(0, nil)
	l.stop()
}
