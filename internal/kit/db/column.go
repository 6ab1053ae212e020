package db

import (
	"context"
	"fmt"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Table, Name string
	Type        string // as written in migrations: text, bigint, uuid, bytea …
	Generated   bool   // PostgreSQL computes its value
}

// isTable selects the tables t of PostgreSQL's catalog. The views of information_schema
// take seconds in a database with this many columns.
const isTable = `t.relkind IN ('r', 'p') AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`

// Columns lists the columns of every table, ordered by table name.
func (d *DB) Columns(ctx context.Context) ([]Column, error) {
	query := `SELECT m.name, c.name, lower(c.type), c.hidden > 1 FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid`
	if d.dialect == Postgres {
		query = `SELECT t.relname, a.attname, format_type(a.atttypid, NULL), a.attidentity <> '' OR a.attgenerated <> ''
			FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE ` + isTable + ` ORDER BY t.relname, a.attnum`
	}
	rows, err := d.read.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("db: columns: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []Column
	for rows.Next() {
		var c Column
		if err := rows.Scan(&c.Table, &c.Name, &c.Type, &c.Generated); err != nil {
			return nil, err
		}
		c.Type, _, _ = strings.Cut(c.Type, "(")
		out = append(out, c)
	}
	return out, rows.Err()
}
