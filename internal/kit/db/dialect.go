package db

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"konak/internal/kit/clock"
)

// Dialect is which of the two databases is open.
type Dialect string

// The two databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// SkipLocked returns the end of a sub-select that claims rows: nodes on PostgreSQL skip
// each other's rows; SQLite has one writer and needs nothing. A sub-select with a LIMIT
// belongs in WITH … AS MATERIALIZED: inside IN, PostgreSQL may run it again for each row
// and exceed the limit.
func (d Dialect) SkipLocked() string {
	if d == Postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}

// Position returns the column that numbers a table's rows in the order in which they were
// written. SQLite has one in every table.
func (d Dialect) Position() string {
	if d == Postgres {
		return "position"
	}
	return "rowid"
}

// ForUpdate locks the rows that a statement reads until the transaction ends.
func (d Dialect) ForUpdate(of string) string {
	if d == Postgres {
		return " FOR UPDATE OF " + of
	}
	return ""
}

// ForShare protects the rows that a statement reads from changes until the transaction
// ends; others may read and share them.
func (d Dialect) ForShare(of string) string {
	if d == Postgres {
		return " FOR SHARE OF " + of
	}
	return ""
}

// bindArgs converts ids and times to the form in which the database stores them. Otherwise
// ids would be 36 characters long: stored like that in SQLite's tables and indexes, and
// parsed again by PostgreSQL.
func (d Dialect) bindArgs(args []any) {
	for i, a := range args {
		switch v := a.(type) {
		case uuid.UUID:
			args[i] = d.id(v)
		case *uuid.UUID:
			if v == nil {
				args[i] = nil
			} else {
				args[i] = d.id(*v)
			}
		case clock.Time:
			args[i] = v.UnixMicro()
		}
	}
}

func (d Dialect) id(id uuid.UUID) any {
	if d == SQLite {
		return id[:]
	}
	return [16]byte(id)
}

// IDParam returns parameter n for places where PostgreSQL cannot infer that it is an id, such
// as VALUES.
func (d Dialect) IDParam(n int) string {
	if d == Postgres {
		return fmt.Sprintf("$%d::uuid", n)
	}
	return fmt.Sprintf("$%d", n)
}

// Literal formats an id as SQL, for statements that are built rather than prepared, such as
// those that fill a database for a measurement.
func (d Dialect) Literal(id uuid.UUID) string {
	if d == SQLite {
		return fmt.Sprintf("x'%x'", id[:])
	}
	return "'" + id.String() + "'"
}

// IsUnique reports whether err is a violation of a unique constraint.
func IsUnique(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// IsLockTimeout reports whether PostgreSQL gave up waiting for a lock.
func IsLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == lockNotAvailable
}

// lockNotAvailable is PostgreSQL's code for an expired lock_timeout.
const lockNotAvailable = "55P03"

// ErrRunAgain is returned by transaction functions that conflicted with another transaction
// on PostgreSQL, such as one that created the same record at the same moment: they are run
// again and find the record then.
var ErrRunAgain = errors.New("db: the transaction must run again")

// retryable reports whether a transaction on PostgreSQL must be run again.
func retryable(err error) bool {
	if errors.Is(err, ErrRunAgain) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01") // serialization failure, deadlock
}
