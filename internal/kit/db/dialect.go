package db

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
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
// each other's rows; SQLite has one writer and needs nothing. Where it has a
// LIMIT it belongs into WITH … AS MATERIALIZED: inside of IN, PostgreSQL may
// look again for each row and go beyond the limit.
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

// shorten gives SQLite ids as their 16 bytes. Left to themselves they would be
// 36 characters, in the table and in each of its indexes. PostgreSQL has a type
// for them.
func (d Dialect) shorten(args []any) {
	if d != SQLite {
		return
	}
	for i, a := range args {
		switch id := a.(type) {
		case uuid.UUID:
			args[i] = id[:]
		case *uuid.UUID:
			if id == nil {
				args[i] = nil
			} else {
				args[i] = id[:]
			}
		}
	}
}

// Literal writes an id into SQL, for statements that are built rather than
// prepared, such as those that fill a database for a measurement.
func (d Dialect) Literal(id uuid.UUID) string {
	if d == SQLite {
		return fmt.Sprintf("x'%x'", id[:])
	}
	return "'" + id.String() + "'"
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
