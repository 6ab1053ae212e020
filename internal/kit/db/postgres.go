package db

import (
	"context"
	"database/sql"
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

func (h Handle) pgOnce(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), txCap)
	defer cancel()
	sqlTx, err := h.db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("db: begin: %w", err)
	}
	defer func() { _ = sqlTx.Rollback() }()
	if h.db.rls {
		if err := h.setTenant(ctx, sqlTx); err != nil {
			return err
		}
	}
	tx := &Tx{
		Reader: Reader{ctx: ctx, q: sqlTx, tenant: h.tenant, dialect: Postgres},
		db:     h.db, now: h.db.clock.Now(),
	}
	if err := fn(tx); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	return nil
}

// setTenant tells PostgreSQL's row security whose rows may be seen.
func (h Handle) setTenant(ctx context.Context, tx *sql.Tx) error {
	tenant, system := h.tenant.String(), ""
	if h.system {
		tenant, system = "", "on"
	}
	_, err := tx.ExecContext(ctx,
		"SELECT set_config('app.tenant_id', $1, true), set_config('app.system', $2, true)", tenant, system)
	if err != nil {
		return fmt.Errorf("db: set tenant: %w", err)
	}
	return nil
}
