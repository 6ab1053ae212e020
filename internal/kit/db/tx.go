package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

type querier interface {
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	Query(ctx context.Context, query string, args ...any) (Answer, error)
}

var errReader = errors.New("db: write on a reader")

// Answer is the rows of a query.
type Answer interface {
	Row
	Next() bool
	Err() error
	Close() error
}

// Reader runs queries for one tenant (or the system). *Tx embeds it, so store functions
// that only read take a *Reader and work with both.
type Reader struct {
	ctx     context.Context
	q       querier
	tenant  uuid.UUID
	dialect Dialect
	trace   func(query string, args []any)
}

// Tenant returns the workspace that the handle is bound to.
func (r *Reader) Tenant() uuid.UUID { return r.tenant }

// Dialect returns which of the two databases this is, for SQL that must differ.
func (r *Reader) Dialect() Dialect { return r.dialect }

// Context carries the caller and the trace; inside a transaction it cannot be cancelled.
func (r *Reader) Context() context.Context { return r.ctx }

func (r *Reader) query(query string, args []any) (Answer, error) {
	r.bind(query, args)
	return r.q.Query(r.ctx, query, args...)
}

// bind converts the arguments to the form of the database.
func (r *Reader) bind(query string, args []any) {
	if r.trace != nil {
		r.trace(query, slices.Clone(args))
	}
	r.dialect.bindArgs(args)
}

type traceKey struct{}

// WithTrace returns a context whose write transactions call fn with every statement before
// it is run. The benchmark uses it to run the same statements on their own.
func WithTrace(ctx context.Context, fn func(query string, args []any)) context.Context {
	return context.WithValue(ctx, traceKey{}, fn)
}

// Tx is a write transaction.
type Tx struct {
	Reader
	db    *DB
	now   time.Time
	after []func()
	wakes map[string]struct{}
}

// Now returns the time at which the transaction began; it stays the same until the end.
func (tx *Tx) Now() time.Time { return tx.now }

// NewID creates a record id.
func (tx *Tx) NewID() uuid.UUID { return tx.db.clock.NewID() }

// NewCapability creates an id that grants access to anyone who knows it.
func (tx *Tx) NewCapability() uuid.UUID { return tx.db.clock.NewCapability() }

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) error {
	_, err := tx.ExecCount(query, args...)
	return err
}

// ExecAny runs a statement and reports whether it affected any row.
func (tx *Tx) ExecAny(query string, args ...any) (bool, error) {
	n, err := tx.ExecCount(query, args...)
	return n > 0, err
}

// ExecCount runs a statement and returns the number of rows it affected.
func (tx *Tx) ExecCount(query string, args ...any) (int64, error) {
	tx.bind(query, args)
	return tx.q.Exec(tx.ctx, query, args...)
}

// ExecDeferred runs a statement whose result is not needed, such as a log line or an event.
// PostgreSQL gets it together with the next statement or with COMMIT, which saves a round
// trip, and its failure is returned there.
func (tx *Tx) ExecDeferred(query string, args ...any) error {
	if x, ok := tx.q.(*pgTransaction); ok {
		tx.bind(query, args)
		x.unsent = append(x.unsent, statement{query, args})
		return nil
	}
	return tx.Exec(query, args...)
}

// AfterCommit runs fn once the transaction is durable.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Wake wakes the listeners of a topic once the transaction is durable.
func (tx *Tx) Wake(topic string) {
	if tx.wakes == nil {
		tx.wakes = map[string]struct{}{}
	}
	tx.wakes[topic] = struct{}{}
}

// TryLock takes a named lock until the transaction ends; false if another node holds it.
// SQLite has one writer, so there the lock is always free.
func (tx *Tx) TryLock(name string) (bool, error) {
	if tx.dialect == SQLite {
		return true, nil
	}
	return One(&tx.Reader, Scalar[bool], "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", name)
}

// Lock takes a named lock until the transaction ends, and waits while another one holds it.
// SQLite has one writer, so there the lock is always free.
func (tx *Tx) Lock(name string) error {
	if tx.dialect == SQLite {
		return nil
	}
	return tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
}

// Row is what a scan function reads from.
type Row interface{ Scan(dest ...any) error }

// Scalar scans a single column.
func Scalar[T any](r Row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// Fields returns a function for One and All that scans the columns into the fields of a T.
func Fields[T any](fields func(*T) []any) func(Row) (T, error) {
	return func(r Row) (v T, err error) {
		err = r.Scan(fields(&v)...)
		return v, err
	}
}

// ErrNoRow is returned by One if there is no row.
var ErrNoRow = sql.ErrNoRows

// One reads exactly one row; ErrNoRow if there is none.
func One[T any](r *Reader, scan func(Row) (T, error), query string, args ...any) (T, error) {
	var zero T
	rows, err := r.query(query, args)
	if err != nil {
		return zero, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return zero, err
		}
		return zero, ErrNoRow
	}
	v, err := scan(rows)
	if err != nil {
		return zero, err
	}
	return v, rows.Close()
}

// OneOr reads exactly one row; it returns absent if there is none.
func OneOr[T any](r *Reader, absent T, scan func(Row) (T, error), query string, args ...any) (T, error) {
	v, err := One(r, scan, query, args...)
	if IsNoRow(err) {
		return absent, nil
	}
	return v, err
}

// Map reads every row of two columns into a map from the first to the second.
func Map[K comparable, V any](r *Reader, query string, args ...any) (map[K]V, error) {
	out := map[K]V{}
	_, err := All(r, func(row Row) (k K, err error) {
		var v V
		err = row.Scan(&k, &v)
		out[k] = v
		return k, err
	}, query, args...)
	return out, err
}

// All reads every row. The list is never nil, so it is [] in JSON.
func All[T any](r *Reader, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := r.query(query, args)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// IsNoRow reports whether err is ErrNoRow.
func IsNoRow(err error) bool { return errors.Is(err, ErrNoRow) }
