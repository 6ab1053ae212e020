package db

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Each runs a statement over a list of rows and returns what it returns.
//
// The text is made from a source: a query that gives the rows, with a column for
// each type ("uuid", "bigint", "text", "bytea"), for example
//
//	`WITH m(id, n) AS (` + source + `) UPDATE t SET n = m.n FROM m WHERE t.id = m.id RETURNING t.id`
//
// PostgreSQL gets all rows in one statement, as an array for each column. SQLite,
// where a statement costs little, gets one prepared statement for each row. The
// rest are the values of the parameters after the columns, from $(columns+1) on.
func Each[T any](tx *Tx, scan func(Row) (T, error), types []string, rows [][]any, text func(source string) string, rest ...any) ([]T, error) {
	out := make([]T, 0, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	if tx.dialect == Postgres {
		args, err := arrays(types, rows)
		if err != nil {
			return nil, err
		}
		return All(&tx.Reader, scan, text(unnest(types)), append(args, rest...)...)
	}
	query := text(`VALUES ` + Rows(SQLite, 1, types, 1))
	for _, row := range rows {
		some, err := All(&tx.Reader, scan, query, append(row[:len(row):len(row)], rest...)...)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
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

// arrays turns rows into an array for each column.
func arrays(types []string, rows [][]any) ([]any, error) {
	out := make([]any, len(types))
	var err error
	for c, typ := range types {
		switch typ {
		case "uuid":
			out[c], err = column(rows, c, func(v uuid.UUID) [16]byte { return v })
		case "bigint":
			out[c], err = numbers(rows, c)
		case "text":
			out[c], err = column(rows, c, func(v string) string { return v })
		case "bytea":
			out[c], err = column(rows, c, func(v []byte) []byte { return v })
		default:
			err = fmt.Errorf("db: a list cannot have a column of %s", typ)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// column collects one column; a nil pointer is NULL.
func column[V, W any](rows [][]any, c int, form func(V) W) ([]*W, error) {
	out := make([]*W, len(rows))
	for i, row := range rows {
		switch v := row[c].(type) {
		case V:
			w := form(v)
			out[i] = &w
		case *V:
			if v != nil {
				w := form(*v)
				out[i] = &w
			}
		case nil:
		default:
			return nil, fmt.Errorf("db: a list has a %T in column %d", v, c)
		}
	}
	return out, nil
}

// numbers collects a column of numbers and times.
func numbers(rows [][]any, c int) ([]*int64, error) {
	out := make([]*int64, len(rows))
	for i, row := range rows {
		var n int64
		switch v := row[c].(type) {
		case int64:
			n = v
		case int:
			n = int64(v)
		case clock.Time:
			n = v.UnixMicro()
		case *int:
			if v == nil {
				continue
			}
			n = int64(*v)
		case *clock.Time:
			if v == nil {
				continue
			}
			n = v.UnixMicro()
		case nil:
			continue
		default:
			return nil, fmt.Errorf("db: a list has a %T in column %d", v, c)
		}
		out[i] = &n
	}
	return out, nil
}
