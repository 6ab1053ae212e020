package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/trace"
)

// Options are the settings for opening a database.
type Options struct {
	// URL is postgres://… or sqlite:PATH.
	URL string
	// Setting is the name of the address setting in errors: --db by default.
	Setting string
	Clock   clock.Source
	Log     *slog.Logger
	// RowSecurity makes PostgreSQL check the tenant of every row as a second line of
	// defence. It costs two round trips for a read, so servers run without it and the tests
	// run with it (docs/decisions).
	RowSecurity bool
	// Sync is SQLite's synchronous setting: FULL (default) or NORMAL.
	Sync string
	// MaxConns limits the PostgreSQL pool.
	MaxConns int
}

// DB is an open database.
type DB struct {
	dialect Dialect
	clock   clock.Source
	log     *slog.Logger
	rls     bool
	dsn     string        // SQLite only
	path    string        // of SQLite's file
	cap     time.Duration // limits one transaction; txCap except in tests

	read   *sql.DB
	write  *sql.DB
	stmts  *stmtCache // SQLite readers; pgx keeps its own
	writer *writer    // SQLite only

	pg *pgxpool.Pool // PostgreSQL only

	running atomic.Int64 // running transaction functions
	outages atomic.Int64 // transactions and reads that failed in an outage

	suspended suspendedCache

	mu        sync.Mutex
	listeners map[string][]func()
	onWake    func(topic string)
}

// txCap limits the duration of a transaction, so that a stuck one does not hold up the
// writer.
const txCap = 15 * time.Second

// Open opens a database; Migrate brings it up to date.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxConns == 0 {
		o.MaxConns = max(16, 8*runtime.NumCPU())
	}
	d := &DB{clock: o.Clock, log: o.Log, cap: txCap, listeners: map[string][]func(){}}
	var err error
	switch scheme, rest, _ := strings.Cut(o.URL, ":"); scheme {
	case "sqlite":
		err = d.openSQLite(ctx, rest, o.Sync)
	case "postgres", "postgresql":
		d.rls = o.RowSecurity
		err = d.openPostgres(ctx, o.URL, cmp.Or(o.Setting, "--db"), o.MaxConns)
	default:
		err = errors.New("db: the database address must begin with sqlite: or postgres://")
	}
	if err != nil {
		return nil, d.explain(err)
	}
	d.Listen(TopicSuspended, d.suspended.forget)
	return d, nil
}

// Close waits for the writer and closes the connections.
func (d *DB) Close() error {
	if d.writer != nil {
		d.writer.stop()
	}
	if d.stmts != nil {
		d.stmts.close()
	}
	var err error
	if d.write != nil {
		err = d.write.Close()
	}
	if d.read != d.write {
		err = errors.Join(err, d.read.Close())
	}
	if d.pg != nil {
		d.pg.Close()
	}
	return err
}

// Dialect returns which of the two databases this is, for SQL that must differ.
func (d *DB) Dialect() Dialect { return d.dialect }

// Clock returns the source of time and ids of this database.
func (d *DB) Clock() clock.Source { return d.clock }

// Ping checks that the database answers.
func (d *DB) Ping(ctx context.Context) error {
	var one int
	return d.read.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Handle gives access to the database, as one tenant or as the system.
type Handle struct {
	db     *DB
	tenant uuid.UUID
	system bool
	limit  time.Duration // of a transaction; 0 for the database's limit
}

// Tenant returns the handle of one workspace.
func (d *DB) Tenant(id uuid.UUID) Handle { return Handle{db: d, tenant: id} }

// TenantOf returns the handle of the workspace of the context's caller.
func (d *DB) TenantOf(ctx context.Context) Handle { return d.Tenant(caller.From(ctx).TenantID) }

// System returns a handle that crosses workspaces. The reason is for the reader and for the
// test that lists the callers.
func (d *DB) System(reason string) Handle {
	_ = reason
	return Handle{db: d, system: true}
}

// startSpan begins the span of a transaction or a read, if the request or job is traced.
func (d *DB) startSpan(ctx context.Context, name string) (context.Context, trace.Span) {
	if !trace.IsTraced(ctx) {
		return ctx, trace.Span{}
	}
	system := "sqlite"
	if d.dialect == Postgres {
		system = "postgresql"
	}
	return trace.StartChild(ctx, name, trace.Client, trace.Text(trace.Database, system))
}

// InTx runs fn in a write transaction and returns once it is durable. Inside another
// transaction it returns ErrNested.
func (h Handle) InTx(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, span := h.db.startSpan(ctx, "db write")
	defer func() { err = h.db.explain(err); h.db.countOutage(err); span.End("") }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if h.tenant == uuid.Nil && !h.system {
		return errors.New("db: transaction without a tenant")
	}
	if IsRefused(ctx, h.tenant) {
		return fault.New(fault.WorkspaceSuspended)
	}
	if h.db.insideTx() {
		return ErrNested
	}
	var after []func()
	var wakes map[string]struct{}
	run := func(tx *Tx) error {
		// A rerun starts from scratch.
		tx.after, tx.wakes = nil, nil
		tx.trace, _ = ctx.Value(traceKey{}).(func(string, []any))
		h.db.running.Add(1)
		defer h.db.running.Add(-1)
		if err := runTx(tx, fn); err != nil {
			return err
		}
		after, wakes = tx.after, tx.wakes
		return nil
	}
	if h.db.writer != nil {
		err = h.db.writer.do(ctx, h, run)
	} else {
		err = h.pgTx(ctx, run)
	}
	if err != nil {
		return err
	}
	for _, f := range after {
		f()
	}
	for topic := range wakes {
		h.db.Wake(topic)
	}
	return nil
}

// Read runs fn with a handle for queries. Without row security each query sees the newest
// committed state on its own. Inside a transaction it returns ErrNested: use the Tx to
// read, which sees its own writes.
func (h Handle) Read(ctx context.Context, fn func(*Reader) error) (err error) {
	ctx, span := h.db.startSpan(ctx, "db read")
	defer func() { err = h.db.explain(err); h.db.countOutage(err); span.End("") }()
	if h.tenant == uuid.Nil && !h.system {
		return errors.New("db: read without a tenant")
	}
	if IsRefused(ctx, h.tenant) {
		return fault.New(fault.WorkspaceSuspended)
	}
	if h.db.insideTx() {
		return ErrNested
	}
	if h.db.dialect == Postgres {
		return h.pgRead(ctx, fn)
	}
	return fn(&Reader{ctx: ctx, tenant: h.tenant, dialect: SQLite, q: h.db.stmts})
}

// Read runs fn with h.Read and returns its result.
func Read[T any](ctx context.Context, h Handle, fn func(*Reader) (T, error)) (out T, err error) {
	err = h.Read(ctx, func(r *Reader) error {
		out, err = fn(r)
		return err
	})
	return out, err
}

// Write runs fn with h.InTx and returns its result.
func Write[T any](ctx context.Context, h Handle, fn func(*Tx) (T, error)) (out T, err error) {
	err = h.InTx(ctx, func(tx *Tx) error {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// Listen registers fn to run after a commit that woke the topic. Wake-ups are hints:
// listeners must also check from time to time by themselves.
func (d *DB) Listen(topic string, fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listeners[topic] = append(d.listeners[topic], fn)
}

// Wake calls the listeners of a topic, and the function of OnWake, which passes wake-ups on
// to other nodes.
func (d *DB) Wake(topic string) {
	d.WakeHere(topic)
	d.mu.Lock()
	fn := d.onWake
	d.mu.Unlock()
	if fn != nil {
		fn(topic)
	}
}

// WakeHere calls only this node's listeners of a topic that another node has woken.
func (d *DB) WakeHere(topic string) {
	d.mu.Lock()
	fns := d.listeners[topic]
	d.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

// OnWake sets the function that is called with each topic that this node wakes. It must be
// quick.
func (d *DB) OnWake(fn func(topic string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onWake = fn
}
