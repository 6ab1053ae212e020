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

// Columns lists the columns of every table, ordered by table name.
func (d *DB) Columns(ctx context.Context) ([]Column, error) {
	query := `SELECT m.name, c.name, lower(c.type), c.hidden > 1 FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid`
	if d.dialect == Postgres {
		query = `SELECT c.table_name, c.column_name, c.data_type, c.is_identity = 'YES' OR c.is_generated = 'ALWAYS'
			FROM information_schema.columns c JOIN information_schema.tables t
			ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
			WHERE c.table_schema = current_schema() ORDER BY c.table_name, c.ordinal_position`
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
