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

// Position names the column that counts a table's rows in the order in which
// they were written. SQLite has one in every table.
func (d Dialect) Position() string {
	if d == Postgres {
		return "position"
	}
	return "rowid"
}

// ForUpdate locks what a statement reads until the transaction ends.
func (d Dialect) ForUpdate(of string) string {
	if d == Postgres {
		return " FOR UPDATE OF " + of
	}
	return ""
}

// ForShare keeps what a statement reads from being changed until the transaction
// ends; others may read and share it.
func (d Dialect) ForShare(of string) string {
	if d == Postgres {
		return " FOR SHARE OF " + of
	}
	return ""
}

// bindArgs gives ids and times in the form in which the database keeps them. Left
// to themselves ids would be 36 characters, on SQLite in the table and in each
// of its indexes, on PostgreSQL to be read again.
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

// IsLockTimeout says whether PostgreSQL gave up waiting for a lock.
func IsLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == lockNotAvailable
}

// lockNotAvailable is PostgreSQL's code for a lock_timeout that ran out.
const lockNotAvailable = "55P03"

// ErrRunAgain is for functions of transactions that met another on PostgreSQL,
// such as one that made the same record at the same moment: they are run again
// and find it then.
var ErrRunAgain = errors.New("db: the transaction must run again")

// retryable says whether a transaction on PostgreSQL is to be run again.
func retryable(err error) bool {
	if errors.Is(err, ErrRunAgain) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01") // serialization failure, deadlock
}
