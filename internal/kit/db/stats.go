package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Stats are the figures of a database that operators watch.
type Stats struct {
	// InUse and Idle count the connections of the pool, MaxOpen limits their sum.
	InUse, Idle, MaxOpen int
	// Waits counts the waits for a connection, and Waited is their total duration.
	Waits  int64
	Waited time.Duration
	// Outages counts the transactions and reads that failed because of an outage of the
	// database.
	Outages int64
	// Bytes is the size of the database, LogBytes that of SQLite's write-ahead log.
	Bytes, LogBytes int64
}

// countOutage counts err if it is caused by an outage of the database.
func (d *DB) countOutage(err error) {
	if err != nil && !errors.Is(err, sql.ErrNoRows) && IsUnavailable(err) {
		d.outages.Add(1)
	}
}

// Stats returns the current figures. Its cost does not grow with the tables. If it returns
// an error, sizes may be missing.
func (d *DB) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Outages: d.outages.Load()}
	if d.dialect == Postgres {
		pool := d.pg.Stat()
		s.InUse, s.Idle, s.MaxOpen = int(pool.AcquiredConns()), int(pool.IdleConns()), int(pool.MaxConns())
		s.Waits, s.Waited = pool.EmptyAcquireCount(), pool.EmptyAcquireWaitTime()
		if err := d.pg.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&s.Bytes); err != nil {
			return s, fmt.Errorf("db: size: %w", err)
		}
		return s, nil
	}
	pool := d.read.Stats()
	s.InUse, s.Idle, s.MaxOpen = pool.InUse, pool.Idle, pool.MaxOpenConnections
	s.Waits, s.Waited = pool.WaitCount, pool.WaitDuration
	var err error
	if s.Bytes, err = fileSize(d.path); err == nil {
		s.LogBytes, err = fileSize(d.path + "-wal")
	}
	return s, err
}

// fileSize returns the size of a file, 0 if it does not exist.
func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("db: size: %w", err)
	}
	return info.Size(), nil
}

// ServerTime returns the time of the database server. On SQLite, which has no server, it is
// this machine's.
func (d *DB) ServerTime(ctx context.Context) (time.Time, error) {
	query := `SELECT CAST(unixepoch('subsec') * 1000000 AS integer)`
	if d.dialect == Postgres {
		query = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	}
	var micros int64
	if err := d.read.QueryRowContext(ctx, query).Scan(&micros); err != nil {
		return time.Time{}, fmt.Errorf("db: time of the server: %w", err)
	}
	return time.UnixMicro(micros).UTC(), nil
}
