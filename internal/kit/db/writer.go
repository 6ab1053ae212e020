package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// writer is SQLite's single writer. Transactions that wait while one group is
// being committed form the next group: each in a savepoint, one fsync for all.
type writer struct {
	db    *DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *write
	done  chan struct{}

	mu     sync.RWMutex
	closed bool
}

type write struct {
	ctx      context.Context
	handle   Handle
	fn       func(*Tx) error
	err      error
	panicked any
	finished chan struct{}
}

// groupMax bounds a group, so that the first in it does not wait for long.
const groupMax = 256

var errClosed = errors.New("db: the database is closed")

func newWriter(d *DB) (*writer, error) {
	conn, err := d.write.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	w := &writer{
		db: d, conn: conn, stmts: map[string]*sql.Stmt{},
		queue: make(chan *write, groupMax), done: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

// do hands fn to the writer and waits until it is durable or has failed. Once
// it has started it is not given up: a caller that goes away must not roll
// back the group, and must not be told "failed" about what was committed.
func (w *writer) do(ctx context.Context, h Handle, fn func(*Tx) error) error {
	req := &write{ctx: ctx, handle: h, fn: fn, finished: make(chan struct{})}
	w.mu.RLock()
	if w.closed {
		w.mu.RUnlock()
		return errClosed
	}
	select {
	case w.queue <- req:
		w.mu.RUnlock()
	default: // full: only now is it worth watching whether the caller leaves
		select {
		case w.queue <- req:
			w.mu.RUnlock()
		case <-ctx.Done():
			w.mu.RUnlock()
			return ctx.Err()
		}
	}
	<-req.finished
	if req.panicked != nil {
		panic(req.panicked)
	}
	return req.err
}

func (w *writer) stop() {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.closed = true
	close(w.queue)
	w.mu.Unlock()
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for req := range w.queue {
		w.group(req)
	}
	for _, s := range w.stmts {
		_ = s.Close()
	}
	_ = w.conn.Close()
}

// group commits req and whatever else is waiting.
func (w *writer) group(req *write) {
	members := make([]*write, 0, 8)
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		req.err = fmt.Errorf("db: begin: %w", err)
		close(req.finished)
		return
	}
	lost := false
	for req != nil {
		lost = !w.member(req)
		if lost || req.err != nil {
			close(req.finished) // nothing of it is in the group
		} else {
			members = append(members, req)
		}
		if lost || len(members) >= groupMax {
			break
		}
		select {
		case req = <-w.queue: // nil once closed
		default:
			req = nil
		}
	}
	if lost {
		// SQLite rolled the whole transaction back under us (an interrupted
		// write does that). The others did nothing wrong: each runs again.
		_ = w.exec("ROLLBACK")
		for _, m := range members {
			w.alone(m)
		}
		return
	}
	w.finish(members)
}

// alone runs one write in a transaction of its own.
func (w *writer) alone(req *write) {
	req.err = nil
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		req.err = fmt.Errorf("db: begin: %w", err)
		close(req.finished)
		return
	}
	if ok := w.member(req); !ok || req.err != nil {
		_ = w.exec("ROLLBACK")
		close(req.finished)
		return
	}
	w.finish([]*write{req})
}

func (w *writer) finish(members []*write) {
	err := w.exec("COMMIT")
	if err != nil {
		_ = w.exec("ROLLBACK")
		w.db.log.Error("commit failed", "error", err, "transactions", len(members))
	}
	for _, m := range members {
		if err != nil {
			m.err = fmt.Errorf("db: commit: %w", err)
		}
		close(m.finished)
	}
}

// member runs one write inside the open transaction. It reports false where
// the transaction itself is gone.
func (w *writer) member(req *write) (alive bool) {
	if req.err = req.ctx.Err(); req.err != nil {
		return true // its caller left before it began
	}
	if err := w.exec("SAVEPOINT member"); err != nil {
		req.err = err
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.ctx), txCap)
	defer cancel()
	tx := &Tx{
		Reader: Reader{ctx: ctx, q: w, tenant: req.handle.tenant, dialect: SQLite},
		db:     w.db, now: w.db.clock.Now(),
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				req.panicked, req.err = p, fmt.Errorf("db: panic: %v", p)
			}
		}()
		req.err = req.fn(tx)
	}()
	if req.err == nil {
		if req.err = w.exec("RELEASE member"); req.err == nil {
			return true
		}
		return false
	}
	if w.exec("ROLLBACK TO member") != nil || w.exec("RELEASE member") != nil {
		return false
	}
	return true
}

func (w *writer) exec(query string) error {
	s, err := w.prepare(context.Background(), query)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(context.Background())
	return err
}

func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, steady(query))
	if err != nil {
		return nil, err
	}
	if len(w.stmts) >= maxStmts {
		for q, old := range w.stmts { // any one: the map is only this large when queries are built from data
			_ = old.Close()
			delete(w.stmts, q)
			break
		}
	}
	w.stmts[query] = s
	return s, nil
}

// ExecContext implements querier for transactions.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := w.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext implements querier for transactions.
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := w.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}
