package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// writer is SQLite's single writer. Transactions that wait while a group is being committed
// form the next group, with one fsync for all. Each but the first runs in its own
// savepoint, so that a failure does not affect the others.
type writer struct {
	db    *DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *write
	done  chan struct{}

	// The following fields belong to the goroutine of run.
	slow *time.Timer
	late atomic.Bool // the running group has used up its time

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

// groupMax limits a group, so that its first member does not wait long.
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
	w.slow = time.AfterFunc(d.cap, func() {
		w.late.Store(true)
		d.logStuck()
	})
	w.slow.Stop()
	go w.run()
	return w, nil
}

// do hands fn to the writer and waits until it is durable or has failed. Once started it
// runs to its end: a caller that goes away must not roll back the group, and must not get
// an error for a committed write.
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
	default: // full: only now is it worth watching for the caller to leave
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

// group commits a write together with all that are waiting. If the transaction as a whole
// fails (the disk is full or broken), every member fails with it.
func (w *writer) group(req *write) {
	w.late.Store(false)
	w.slow.Reset(w.db.cap)
	defer w.slow.Stop()
	var members []*write
	err := w.exec("BEGIN IMMEDIATE")
	for ; req != nil; req = w.waiting(len(members)) {
		members = append(members, req)
		if err == nil {
			err = w.member(req, len(members) == 1)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = w.exec("COMMIT")
	}
	if err != nil {
		_ = w.exec("ROLLBACK")
		w.db.log.Error("commit failed", "error", err, "transactions", len(members))
	}
	for _, m := range members {
		if err != nil && m.err == nil {
			m.err = fmt.Errorf("db: commit: %w", err)
		}
		close(m.finished)
	}
}

// waiting returns the next write for a group of n members, nil if the group is complete.
func (w *writer) waiting(n int) *write {
	if n >= groupMax || w.late.Load() {
		return nil
	}
	select {
	case req := <-w.queue: // nil once closed
		return req
	default:
		return nil
	}
}

// member runs one write in the open transaction. The first of a group needs no savepoint:
// if it fails, the transaction is simply begun again, since nothing is lost. It returns the
// error of the transaction; the write's own error is in req.
func (w *writer) member(req *write, first bool) error {
	if req.err = req.ctx.Err(); req.err != nil {
		return nil // its caller left before it began
	}
	if first {
		if w.call(req); req.err == nil {
			return nil
		}
		return w.execAll("ROLLBACK", "BEGIN IMMEDIATE")
	}
	if err := w.exec("SAVEPOINT member"); err != nil {
		return err
	}
	if w.call(req); req.err != nil {
		return w.execAll("ROLLBACK TO member", "RELEASE member")
	}
	return w.exec("RELEASE member")
}

// execAll runs statements until one fails.
func (w *writer) execAll(queries ...string) error {
	for _, q := range queries {
		if err := w.exec(q); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) call(req *write) {
	defer func() {
		if p := recover(); p != nil {
			req.panicked, req.err = p, fmt.Errorf("db: panic: %v", p)
		}
	}()
	if req.handle.limit > 0 {
		w.slow.Reset(req.handle.limit)
		w.late.Store(false) // others of its group may have been slow
	}
	req.err = req.fn(&Tx{
		// The context must not be cancellable: the driver would watch every statement from
		// another goroutine.
		Reader: Reader{ctx: context.WithoutCancel(req.ctx), q: w, tenant: req.handle.tenant, dialect: SQLite},
		db:     w.db, now: w.db.clock.Now(),
	})
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
	s, err := w.conn.PrepareContext(ctx, hideLimitParam(query))
	if err != nil {
		return nil, err
	}
	if len(w.stmts) >= maxStmts {
		for q, old := range w.stmts { // any entry: the map is this large only if queries are built from data
			_ = old.Close()
			delete(w.stmts, q)
			break
		}
	}
	w.stmts[query] = s
	return s, nil
}

var errLate = fmt.Errorf("db: the transaction took longer than %s: %w", txCap, context.DeadlineExceeded)

// Exec implements querier for transactions.
func (w *writer) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if w.late.Load() {
		return 0, errLate
	}
	s, err := w.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Query implements querier for transactions.
func (w *writer) Query(ctx context.Context, query string, args ...any) (Answer, error) {
	if w.late.Load() {
		return nil, errLate
	}
	s, err := w.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}
