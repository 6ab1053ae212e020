package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

func (d *DB) openPostgres(ctx context.Context, url string, conns int) error {
	d.dialect = Postgres
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("db: the PostgreSQL address cannot be read: %w", err)
	}
	cfg.RuntimeParams["application_name"] = "konak"
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["statement_timeout"] = fmt.Sprint(txCap.Milliseconds())
	cfg.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(2 * txCap.Milliseconds())
	pool := stdlib.OpenDB(*cfg)
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close()
		return fmt.Errorf("db: PostgreSQL does not answer: %w", err)
	}
	d.read, d.write = pool, pool
	return nil
}

// pgRetries bounds the reruns after a deadlock or serialization failure.
const pgRetries = 5

func (h Handle) pgTx(ctx context.Context, fn func(*Tx) error) error {
	var err error
	for range pgRetries {
		if err = h.pgOnce(ctx, fn); !retryable(err) {
			return err
		}
	}
	return err
}

func (h Handle) pgOnce(ctx context.Context, fn func(*Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), txCap)
	defer cancel()
	conn, err := h.db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("db: begin: %w", err)
	}
	defer func() { _ = conn.Close() }()
	x := &exchange{conn: conn, unsent: []statement{{query: "BEGIN"}}}
	if h.db.rls {
		x.unsent = append(x.unsent, h.setTenant())
	}
	tx := &Tx{
		Reader: Reader{ctx: ctx, q: x, tenant: h.tenant, dialect: Postgres},
		db:     h.db, now: h.db.clock.Now(),
	}
	committed := false
	defer func() {
		if !committed { // a panic too
			x.rollback(ctx)
		}
	}()
	opening := len(x.unsent)
	if err := fn(tx); err != nil {
		return err
	}
	if !x.begun && len(x.unsent) == opening {
		committed = true // it did nothing
		return nil
	}
	if _, err := x.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	committed = true
	return nil
}

// setTenant tells PostgreSQL's row security whose rows may be seen.
func (h Handle) setTenant() statement {
	tenant, system := h.tenant.String(), ""
	if h.system {
		tenant, system = "", "on"
	}
	return statement{
		"SELECT set_config('app.tenant_id', $1, true), set_config('app.system', $2, true)", []any{tenant, system},
	}
}

type statement struct {
	query string
	args  []any
}

// exchange is a transaction on PostgreSQL that sends as rarely as it can: what
// needs no answer of its own goes along with the next statement that does,
// BEGIN with the first and the last of them with COMMIT.
type exchange struct {
	conn   *sql.Conn
	unsent []statement
	begun  bool
}

// Later keeps a statement for the next exchange.
func (x *exchange) Later(query string, args []any) {
	x.unsent = append(x.unsent, statement{query, args})
}

// ExecContext implements querier.
func (x *exchange) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if len(x.unsent) == 0 {
		return x.conn.ExecContext(ctx, query, args...)
	}
	return x.send(ctx, statement{query, args})
}

// QueryContext implements querier.
func (x *exchange) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if len(x.unsent) > 0 {
		if _, err := x.send(ctx); err != nil {
			return nil, err
		}
	}
	return x.conn.QueryContext(ctx, query, args...)
}

// send sends what is waiting and more in one exchange, and gives the result of
// the last.
func (x *exchange) send(ctx context.Context, more ...statement) (sql.Result, error) {
	batch := &pgx.Batch{}
	for _, s := range append(x.unsent, more...) {
		batch.Queue(s.query, s.args...)
	}
	x.unsent, x.begun = nil, true
	var last driver.RowsAffected
	err := x.conn.Raw(func(c any) error {
		results := c.(*stdlib.Conn).Conn().SendBatch(ctx, batch)
		for range batch.Len() {
			tag, err := results.Exec()
			if err != nil {
				_ = results.Close()
				return err
			}
			last = driver.RowsAffected(tag.RowsAffected())
		}
		return results.Close()
	})
	return last, err
}

// rollback gives up what was sent; what was not needs nothing.
func (x *exchange) rollback(ctx context.Context) {
	if x.begun {
		_, _ = x.conn.ExecContext(ctx, "ROLLBACK")
	}
}
