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

// Stats are what operators watch of a database.
type Stats struct {
	// InUse and Idle count the connections of the pool, MaxOpen bounds their sum.
	InUse, Idle, MaxOpen int
	// Waits counts those who waited for a connection, and Waited how long they did.
	Waits  int64
	Waited time.Duration
	// Outages counts the transactions and reads that an outage of the database ended.
	Outages int64
	// Bytes is the size of the database, LogBytes that of SQLite's write-ahead log.
	Bytes, LogBytes int64
}

// countOutage counts what an outage of the database ended.
func (d *DB) countOutage(err error) {
	if err != nil && !errors.Is(err, sql.ErrNoRows) && IsUnavailable(err) {
		d.outages.Add(1)
	}
}

// Stats reads them. Its cost does not grow with what the tables hold. With an error the
// sizes are missing.
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

// fileSize is the size of a file, 0 where there is none.
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

// ServerTime returns the time that the database server has. On SQLite, which has no server,
// it is this machine's.
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
