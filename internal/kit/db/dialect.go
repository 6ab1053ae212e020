package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Dialect is which of the two databases is open.
type Dialect string

// The two databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// SkipLocked ends a sub-select that claims rows: nodes on PostgreSQL pass over
// each other's rows; SQLite has one writer and needs nothing.
func (d Dialect) SkipLocked() string {
	if d == Postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}

// ForUpdate locks what a statement reads until the transaction ends.
func (d Dialect) ForUpdate(of string) string {
	if d == Postgres {
		return " FOR UPDATE OF " + of
	}
	return ""
}

// IsUnique says whether err is a violation of a unique constraint.
func IsUnique(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// retryable says whether PostgreSQL asks to run the transaction again.
func retryable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}
