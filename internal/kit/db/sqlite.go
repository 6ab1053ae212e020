package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver
)

func (d *DB) openSQLite(ctx context.Context, path, sync string) error {
	d.dialect = SQLite
	switch sync = strings.ToUpper(sync); sync {
	case "":
		sync = "FULL"
	case "FULL", "NORMAL":
	default:
		return fmt.Errorf("db: sync %q: use FULL or NORMAL", sync)
	}
	pragmas := func(extra ...string) string {
		v := url.Values{"_pragma": append([]string{
			"busy_timeout(10000)", "foreign_keys(1)", "journal_mode(WAL)",
			"synchronous(" + sync + ")", "temp_store(MEMORY)",
		}, extra...)}
		return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
	}
	var err error
	d.path = path
	d.dsn = pragmas("wal_autocheckpoint(4000)", "cache_size(-64000)")
	if d.write, err = sql.Open("sqlite", d.dsn); err != nil {
		return err
	}
	d.write.SetMaxOpenConns(1)
	if err := d.write.PingContext(ctx); err != nil {
		_ = d.write.Close()
		return fmt.Errorf("db: open %s: %w", path, err)
	}
	if d.read, err = sql.Open("sqlite", pragmas("query_only(1)", "cache_size(-16000)", "mmap_size(268435456)")); err != nil {
		_ = d.write.Close()
		return err
	}
	n := max(4, 2*runtime.NumCPU())
	d.read.SetMaxOpenConns(n)
	d.read.SetMaxIdleConns(n)
	d.stmts = &stmtCache{db: d.read}
	d.writer, err = newWriter(d)
	return err
}

var limitParam = regexp.MustCompile(`LIMIT \$\d+`)

// hideLimitParam keeps a prepared statement prepared. SQLite uses the value of a bare LIMIT
// parameter for planning, so it prepares the statement again for every execution, which
// costs more than running it. It does not do so if the parameter is part of a sum.
func hideLimitParam(query string) string {
	return limitParam.ReplaceAllStringFunc(query, func(s string) string { return s + " + 0" })
}

// stmtCache keeps prepared statements for the readers: on SQLite, preparing most of our
// queries costs more than running them.
type stmtCache struct {
	db *sql.DB
	m  sync.Map // query -> *sql.Stmt
	n  int
	mu sync.Mutex
}

// maxStmts limits the cache; queries are constants, so it is reached only if one is built
// from data.
const maxStmts = 512

func (c *stmtCache) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := c.m.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.m.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	if c.n >= maxStmts {
		return nil, nil
	}
	s, err := c.db.PrepareContext(context.WithoutCancel(ctx), hideLimitParam(query))
	if err != nil {
		return nil, err
	}
	c.n++
	c.m.Store(query, s)
	return s, nil
}

// Query implements querier.
func (c *stmtCache) Query(ctx context.Context, query string, args ...any) (Answer, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.db.QueryContext(ctx, query, args...)
	}
	return s.QueryContext(ctx, args...)
}

// Exec implements querier.
func (*stmtCache) Exec(context.Context, string, ...any) (int64, error) { return 0, errReader }

func (c *stmtCache) close() {
	c.m.Range(func(_, s any) bool { _ = s.(*sql.Stmt).Close(); return true })
}

// migrationConn opens a second writing connection for a migration or a copy.
func (d *DB) migrationConn() (*sql.DB, error) {
	handle, err := sql.Open("sqlite", d.dsn)
	if err != nil {
		return nil, err
	}
	handle.SetMaxOpenConns(1)
	return handle, nil
}

// CopyTo writes a complete, consistent copy of an SQLite database to a new file. Writers
// continue meanwhile.
func (d *DB) CopyTo(ctx context.Context, path string) error {
	handle, err := d.migrationConn()
	if err != nil {
		return err
	}
	_, err = handle.ExecContext(ctx, `VACUUM INTO $1`, path)
	if err = errors.Join(err, handle.Close()); err != nil {
		return fmt.Errorf("db: copy to %s: %w", path, d.explain(err))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Sync(), f.Close())
}

// CheckIntegrity reads a whole SQLite database and returns an error that describes the
// damage, if there is any.
func (d *DB) CheckIntegrity(ctx context.Context) error {
	var answer string
	if err := d.read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&answer); err != nil {
		return fmt.Errorf("db: check: %w", err)
	}
	if answer != "ok" {
		return fmt.Errorf("the database is damaged: %s", answer)
	}
	return nil
}
