package db

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// IsUnavailable reports whether err is a temporary outage: the database or another of our
// servers is unreachable or shutting down, or the disk is full. Any other failure without
// its own fault is a bug.
func IsUnavailable(err error) bool {
	for _, outage := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EMFILE, syscall.ENFILE,
		driver.ErrBadConn, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded,
	} {
		if errors.Is(err, outage) {
			return true
		}
	}
	// A refused login is an outage too, whatever PostgreSQL's reason is.
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:min(2, len(pg.Code))] {
		case "08", "53", "58": // connection, resources (disk full, too many connections), the system below
			return true
		}
		return strings.HasPrefix(pg.Code, "57P") || pg.Code == "25006" || pg.Code == "55P03" // shut down, read-only, lock time-out
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY:
			return true
		}
		return false
	}
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// IsDiskFull reports whether err means that the database has no space left for a write.
func IsDiskFull(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "53100"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code()&0xff == sqlite3.SQLITE_FULL
}
