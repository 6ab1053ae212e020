package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// writer is SQLite's single writer. Transactions that wait while one group is
// being committed form the next group, with one fsync for all.
//
// Members run one after the other without a savepoint between them, because a
// savepoint makes SQLite copy every page that a member touches. A member that
// fails before it changed anything leaves the group as it was. One that fails
// later spoils it: the group is rolled back and run again behind savepoints,
// and so are the next few, in case somebody makes a habit of it.
type writer struct {
	db    *DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *write
	done  chan struct{}

	// What follows belongs to the goroutine of run.
	careful int  // how many members to come get a savepoint
	changed bool // the running member has changed something
	slow    *time.Timer
	late    atomic.Bool // the running group has had its time

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

const (
	// groupMax bounds a group, so that the first in it does not wait for long.
	groupMax = 256
	// carefulFor is how many members get a savepoint after a spoiled group.
	carefulFor = 2 * groupMax
)

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

// group commits these writes and whatever else is waiting.
func (w *writer) group(pending ...*write) {
	w.late.Store(false)
	w.slow.Reset(w.db.cap)
	defer w.slow.Stop()
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		for _, req := range pending {
			req.err = fmt.Errorf("db: begin: %w", err)
			close(req.finished)
		}
		return
	}
	members := make([]*write, 0, 8)
	for {
		var req *write
		if len(pending) > 0 {
			req, pending = pending[0], pending[1:]
		} else if req = w.waiting(len(members)); req == nil {
			break
		}
		switch w.member(req, w.careful > 0) {
		case kept:
			members = append(members, req)
		case refused:
			close(req.finished)
		case spoiled:
			if len(members) == 0 { // alone in it: its failure stands
				close(req.finished)
				w.again(pending)
				return
			}
			w.careful = carefulFor
			w.again(append(append(members, req), pending...))
			return
		case lost:
			close(req.finished)
			w.again(append(members, pending...))
			return
		}
	}
	w.finish(members)
}

// waiting gives the next write for a group that has n, nil where it is
// complete.
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

// again runs what was in a group that had to be rolled back. It ends: a group
// that was spoiled is run with savepoints, and one that was lost is run
// without the member that lost it.
func (w *writer) again(members []*write) {
	_ = w.exec("ROLLBACK")
	if len(members) == 0 {
		return
	}
	for _, req := range members {
		req.err, req.panicked = nil, nil
	}
	w.group(members...)
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

// fate is what became of a member of a group.
type fate int

const (
	kept    fate = iota // it is in the group
	refused             // it failed, and nothing of it is in the group
	spoiled             // it failed, and part of it is in the group
	lost                // SQLite rolled the whole transaction back under it
)

// member runs one write inside the open transaction.
func (w *writer) member(req *write, guarded bool) fate {
	if req.err = req.ctx.Err(); req.err != nil {
		return refused // its caller left before it began
	}
	if guarded {
		w.careful--
		if req.err = w.exec("SAVEPOINT member"); req.err != nil {
			return lost
		}
	}
	w.changed = false
	w.call(req)
	switch {
	case req.err == nil && guarded:
		if req.err = w.exec("RELEASE member"); req.err != nil {
			return lost
		}
		return kept
	case req.err == nil:
		return kept
	case guarded:
		if w.exec("ROLLBACK TO member") != nil || w.exec("RELEASE member") != nil {
			return lost
		}
		return refused
	case !w.changed:
		return refused
	}
	return spoiled
}

func (w *writer) call(req *write) {
	defer func() {
		if p := recover(); p != nil {
			req.panicked, req.err = p, fmt.Errorf("db: panic: %v", p)
		}
	}()
	req.err = req.fn(&Tx{
		// Nothing can be cancelled from outside here: the driver would watch
		// every statement from a goroutine of its own.
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
		return 0, err // a statement that fails takes back what it did
	}
	n, err := res.RowsAffected()
	if err != nil || n > 0 || !counted(query) {
		w.changed = true
	}
	return n, err
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
	if verb(query) != "SELECT" {
		w.changed = true // perhaps
	}
	return s.QueryContext(ctx, args...)
}

// counted says whether SQLite counts the rows that a statement touches; for
// others it repeats an older number.
func counted(query string) bool {
	switch verb(query) {
	case "INSERT", "UPDATE", "DELETE":
		return true
	}
	return false
}

func verb(query string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\n"), " ")
	return word
}
