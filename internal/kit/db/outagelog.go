package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"konak/internal/kit/clock"
)

// outageLogEvery is the minimum time between two log lines about an unreachable database.
const outageLogEvery = 10 * time.Second

// LimitOutageLogs returns a handler that passes on only one warning or error in ten seconds
// about an unreachable database, with the number left out since the last one: every worker
// and request meets the same outage. All other lines are passed on.
func LimitOutageLogs(h slog.Handler, c clock.Source) slog.Handler {
	return outageHandler{h, &outageCount{clock: c}}
}

type outageHandler struct {
	slog.Handler
	*outageCount
}

type outageCount struct {
	clock clock.Source
	mu    sync.Mutex
	next  time.Time
	more  int
}

// Handle implements slog.Handler.
func (h outageHandler) Handle(ctx context.Context, r slog.Record) error {
	outage := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		outage = ok && isUnreachable(err)
		return !outage
	})
	if !outage || r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	more, pass := h.count()
	if !pass {
		return nil
	}
	r = r.Clone()
	r.AddAttrs(slog.Int("similar_lines_left_out", more))
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h outageHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return outageHandler{h.Handler.WithAttrs(attrs), h.outageCount}
}

// WithGroup implements slog.Handler.
func (h outageHandler) WithGroup(name string) slog.Handler {
	return outageHandler{h.Handler.WithGroup(name), h.outageCount}
}

// count reports whether a line may be written now, and how many were left out since the
// last one.
func (c *outageCount) count() (more int, pass bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if now.Before(c.next) {
		c.more++
		return 0, false
	}
	more, c.more, c.next = c.more, 0, now.Add(outageLogEvery)
	return more, true
}

// isUnreachable reports whether err comes from a PostgreSQL server that cannot be connected
// to or is shutting down.
func isUnreachable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code[:min(2, len(pg.Code))] == "08" || pg.Code[:min(3, len(pg.Code))] == "57P")
}
