package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"time"
)

// Within returns the handle for transactions and snapshots that may take as long as limit.
// It is for operators' commands: on SQLite all other writers wait meanwhile.
func (h Handle) Within(limit time.Duration) Handle {
	h.limit = limit
	return h
}

// ReadSnapshot runs fn with a handle whose queries all see the state of one moment. Writers
// continue meanwhile. Inside a transaction it returns ErrNested.
func (h Handle) ReadSnapshot(ctx context.Context, fn func(*Reader) error) (err error) {
	defer func() { h.db.countOutage(err) }()
	if h.db.insideTx() {
		return ErrNested
	}
	r := Reader{ctx: ctx, tenant: h.tenant, dialect: h.db.dialect}
	if h.db.dialect == Postgres {
		x := h.pgTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
		defer x.end()
		r.q = x
		return fn(&r)
	}
	conn, err := h.db.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	r.q = connReader{conn}
	return fn(&r)
}

// connReader reads on a single SQLite connection.
type connReader struct{ conn *sql.Conn }

// Query implements querier.
func (c connReader) Query(ctx context.Context, query string, args ...any) (Answer, error) {
	return c.conn.QueryContext(ctx, query, args...)
}

// Exec implements querier.
func (connReader) Exec(context.Context, string, ...any) (int64, error) { return 0, errReader }

// ForEachRow calls fn with every row in turn. It stops at the first error.
func ForEachRow(r *Reader, fn func(Row) error, query string, args ...any) error {
	rows, err := r.query(query, args)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// SchemaSum returns a checksum over the migrations of files: two programs with the same
// checksum have the same tables.
func SchemaSum(files fs.FS) (string, error) {
	list, err := listMigrationFiles(files)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range list {
		h.Write([]byte(f.name + " " + f.sum + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
