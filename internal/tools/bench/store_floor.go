package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// floor is a bare net/http handler that runs the statements of one operation in one
// transaction: on SQLite through the kit's writer, on PostgreSQL one by one between BEGIN
// and COMMIT of the bare driver. No worker runs at the same time.
type floor struct {
	addr   string
	inbox  *inbox
	op     operation
	db     *db.DB
	tenant uuid.UUID
	pool   *pgxpool.Pool // on PostgreSQL

	recorded []any // what next returned when the statements were recorded
	since    time.Time
	ids      map[uuid.UUID]bool // that were created then
	all      []recordedStatement
	answer   []byte
	count    atomic.Int64
}

// recordedStatement is a statement of the operation. shard is the index of the argument
// that spreads a counter over several rows, or -1.
type recordedStatement struct {
	query string
	args  []any
	shard int
}

func newStatement(query string, args []any) recordedStatement {
	_, columns, _ := strings.Cut(query, "(")
	columns, _, _ = strings.Cut(columns, ")")
	return recordedStatement{query, args, slices.Index(strings.Split(columns, ", "), "shard")}
}

type floorKey struct {
	dialect db.Dialect
	name    string
	size    int
}

// floor opens callers of the operation's floor. Its database has an inbox of that size.
func (op operation) floor(d db.Dialect, size int) opener {
	return func(ctx context.Context, e *env, _ int) (func() error, func(), error) {
		f, err := openOnce(e.floors, floorKey{d, op.name, size}, func() (*floor, error) { return e.openFloor(ctx, d, op, size) })
		if err != nil {
			return nil, nil, err
		}
		return dialNext(f.addr, "POST", f.inbox.key, func() (string, string) { return op.request(f.inbox, op.next(f.inbox)) })
	}
}

// recordingClock records the ids that it returns.
type recordingClock struct {
	clock.System
	mu  sync.Mutex
	ids map[uuid.UUID]bool
}

// NewID implements clock.Source.
func (c *recordingClock) NewID() uuid.UUID { return c.keep(c.System.NewID()) }

// NewCapability implements clock.Source.
func (c *recordingClock) NewCapability() uuid.UUID { return c.keep(c.System.NewCapability()) }

func (c *recordingClock) keep(id uuid.UUID) uuid.UUID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids != nil {
		c.ids[id] = true
	}
	return id
}

func (e *env) openFloor(ctx context.Context, d db.Dialect, op operation, size int) (*floor, error) {
	source := &recordingClock{}
	n, err := e.openNode(ctx, d, source)
	if err != nil {
		return nil, err
	}
	f := &floor{op: op, db: n.app.DB}
	if f.inbox, err = n.inbox(ctx, size); err != nil {
		return nil, err
	}
	if err := f.record(ctx, n, source); err != nil {
		return nil, err
	}
	if d == db.Postgres {
		cfg, err := pgxpool.ParseConfig(n.url)
		if err != nil {
			return nil, err
		}
		cfg.MaxConns = 32
		if f.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
			return nil, err
		}
		e.closing(func() error { f.pool.Close(); return nil })
	}
	f.addr, err = e.serveHTTP(&http.Server{Handler: f})
	return f, err
}

// record makes the node answer one request and records the statements of its transaction. A
// first request, which is not recorded, fills the caches.
func (f *floor) record(ctx context.Context, n *node, source *recordingClock) error {
	f.recorded = f.op.next(f.inbox)
	for _, keep := range []bool{false, true} {
		if keep && !f.op.again {
			f.recorded = f.op.next(f.inbox)
		}
		path, body := f.op.request(f.inbox, f.recorded)
		f.since = source.Now()
		if keep {
			source.ids = map[uuid.UUID]bool{}
			ctx = db.WithTrace(ctx, func(query string, args []any) { f.all = append(f.all, newStatement(query, args)) })
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+f.inbox.key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		n.app.API.Handler().ServeHTTP(w, r)
		if w.Code >= 300 {
			return fmt.Errorf("%s answered %d: %s", path, w.Code, w.Body)
		}
		f.answer = w.Body.Bytes()
	}
	f.ids, source.ids = source.ids, nil
	if len(f.all) == 0 {
		return errors.New("no statement was recorded")
	}
	f.tenant = f.all[0].tenant()
	return nil
}

// tenant returns the first argument, the workspace, of every statement that names one.
func (s recordedStatement) tenant() uuid.UUID {
	id, _ := s.args[0].(uuid.UUID)
	return id
}

// ServeHTTP implements http.Handler.
func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, err := io.Copy(io.Discard, r.Body)
	if err == nil {
		err = f.run(r.Context())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(f.answer)
}

// run writes another record with the same statements.
func (f *floor) run(ctx context.Context) error {
	values := map[any]any{}
	for i, other := range f.op.next(f.inbox) {
		values[f.recorded[i]] = other
	}
	now := clock.At(f.db.Clock().Now())
	if f.pool == nil {
		return f.db.Tenant(f.tenant).InTx(ctx, func(tx *db.Tx) error {
			for _, s := range f.all {
				_, err := db.All(&tx.Reader, func(db.Row) (struct{}, error) { return struct{}{}, nil }, s.query, f.args(s, values, now)...)
				if err != nil {
					return fmt.Errorf("%s: %w", s.query, err)
				}
			}
			return nil
		})
	}
	return pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		for _, s := range f.all {
			args := f.args(s, values, now)
			for i, a := range args {
				if id, ok := a.(uuid.UUID); ok {
					args[i] = [16]byte(id)
				}
			}
			rows, err := tx.Query(ctx, s.query, args...)
			if err == nil {
				rows.Close()
				err = rows.Err()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.query, err)
			}
		}
		return nil
	})
}

// args returns a statement's arguments with new ids, the present time, and the values that
// differ in every request.
func (f *floor) args(s recordedStatement, values map[any]any, now clock.Time) []any {
	out := make([]any, len(s.args))
	for i, a := range s.args {
		if p, ok := a.(*uuid.UUID); ok && p != nil {
			a = *p
		}
		if p, ok := a.(*clock.Time); ok && p != nil {
			a = *p
		}
		switch v := a.(type) {
		case uuid.UUID:
			if f.ids[v] && values[v] == nil {
				values[v] = f.db.Clock().NewID()
			}
			if other, ok := values[v]; ok {
				a = other
			}
		case string:
			if other, ok := values[v]; ok {
				a = other
			}
		case clock.Time:
			if !v.Before(f.since) {
				a = now
			}
		}
		out[i] = a
	}
	if s.shard >= 0 {
		out[s.shard] = int(f.count.Add(1) % 16)
	}
	return out
}

// countEvents counts the events of a workspace.
func countEvents(ctx context.Context, d *db.DB, tenant uuid.UUID) (int, error) {
	return db.Read(ctx, d.Tenant(tenant), func(r *db.Reader) (int, error) {
		return db.One(r, db.Scalar[int], `SELECT count(*) FROM outbox WHERE tenant_id = $1`, r.Tenant())
	})
}
