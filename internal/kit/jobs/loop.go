package jobs

import (
	"context"
	"log/slog"
	"time"

	"konak/internal/kit/db"
)

// Loop repeats a step: at once while there is work, when it is woken, and periodically.
// Tests call the step directly.
type Loop struct {
	Name   string
	DB     *db.DB
	Topics []string
	Log    *slog.Logger
	// Step does one round and returns the amount of work done; if it is Full or more, there
	// may be more waiting.
	Step func(context.Context) (int, error)
	Full int
	// Rest is the minimum time between the end of one round and a wake-up for the next:
	// under load, work accumulates, while a quiet loop responds at once.
	Rest time.Duration
	// Every is the interval of rounds without a wake-up: a second by default.
	Every time.Duration
}

// Run repeats the step until ctx ends. Errors are logged and slow it down: the row is the
// truth and will still be there next time.
func (l Loop) Run(ctx context.Context) {
	if l.Every == 0 {
		l.Every = time.Second
	}
	wake := make(chan struct{}, 1)
	for _, t := range l.Topics {
		l.DB.Listen(t, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	backoff := l.Every
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-timer.C:
		}
		for {
			n, err := l.Step(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				l.Log.Error("step failed", "loop", l.Name, "error", err, "retry_in", backoff)
				timer.Reset(backoff)
				backoff = min(2*backoff, 30*time.Second)
				break
			}
			backoff = l.Every
			if n < l.Full || l.Full == 0 {
				timer.Reset(l.Every)
				break
			}
		}
		if l.Rest > 0 {
			select {
			case <-ctx.Done():
				return
			case <-time.After(l.Rest):
			}
		}
	}
}
