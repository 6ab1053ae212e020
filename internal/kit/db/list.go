package db

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/each"
)

// In returns the condition that a column is one of a list of values, and the list
// as the value of parameter n:
//
//	in, arg := db.In(r.Dialect(), 2, ids)
//	… `WHERE tenant_id = $1 AND id `+in, r.Tenant(), arg
//
// The text does not depend on the number of values, so the statement stays
// prepared. PostgreSQL gets the array through a sub-select: if it could see the
// array's length, it would plan the statement again every time.
func In[T uuid.UUID | string](d Dialect, n int, vals []T) (in string, arg any) {
	typ, value := "text", "value"
	if _, ok := any(vals).([]uuid.UUID); ok {
		typ, value = "uuid", "unhex(value)"
	}
	list := each.Map(vals, func(v T) any { return v })
	if d == Postgres {
		d.bindArgs(list)
		return fmt.Sprintf("= ANY((SELECT $%d::%s[])::%[2]s[])", n, typ), list
	}
	for i, v := range list {
		if id, ok := v.(uuid.UUID); ok {
			list[i] = hex.EncodeToString(id[:])
		}
	}
	text, _ := json.Marshal(list) // strings only
	return fmt.Sprintf("IN (SELECT %s FROM json_each($%d))", value, n), string(text)
}

// eachRows are the numbers of rows per statement on SQLite: the first size is used as often
// as possible, then the next. Every size is a prepared statement.
var eachRows = []int{64, 8, 1}

// Each runs a statement over a list of rows and returns its results, in any
// order.
//
// The text is built from a source: a query that returns the rows, with a column for
// each type ("uuid", "bigint", "text", "bytea"), for example
//
//	`WITH m(id, n) AS (` + source + `) UPDATE t SET n = m.n FROM m WHERE t.id = m.id RETURNING t.id`
//
// PostgreSQL gets all rows in one statement, as an array for each column. SQLite
// gets them as VALUES, many per statement: in a savepoint, the cost of a statement
// that writes several rows grows with what was written before it. A value that is
// the same for all rows is passed as a column, too.
func Each[T any](tx *Tx, scan func(Row) (T, error), types []string, rows [][]any, text func(source string) string) ([]T, error) {
	out := make([]T, 0, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	if tx.dialect == Postgres {
		return All(&tx.Reader, scan, text(unnest(types)), columns(len(types), rows)...)
	}
	row := `(?` + strings.Repeat(`, ?`, len(types)-1) + `)`
	for _, n := range eachRows {
		for ; len(rows) >= n; rows = rows[n:] {
			some, err := All(&tx.Reader, scan, text(`VALUES `+row+strings.Repeat(`, `+row, n-1)), slices.Concat(rows[:n]...)...)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
	}
	return out, nil
}

func unnest(types []string) string {
	parts := make([]string, len(types))
	for i, typ := range types {
		parts[i] = fmt.Sprintf("$%d::%s[]", i+1, typ)
	}
	return `SELECT * FROM unnest(` + strings.Join(parts, ", ") + `)`
}

// columns converts rows to one array per column.
func columns(n int, rows [][]any) []any {
	out := make([]any, n)
	for c := range n {
		column := each.Map(rows, func(row []any) any { return row[c] })
		Postgres.bindArgs(column)
		out[c] = column
	}
	return out
}
