// Package move copies an embedded database into PostgreSQL.
//
// Everything is written in one transaction, and compared before it is committed: the number
// of rows of each table, and a checksum over their values. An interrupted move leaves the
// target empty, or with all rows; either way it can be repeated. Nobody may write to the
// source meanwhile.
package move

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// ErrNotEmpty means that the target has other rows than the source.
var ErrNotEmpty = errors.New("the target database has rows already; give an empty one")

// Table describes what was moved of one table.
type Table struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`
	Checksum string `json:"checksum"`
}

// skipped are the tables that describe the database itself and not its content.
var skipped = []string{"goose_db_version", "migration_checksum", "serving_node"}

// table is a table with its columns, as both databases have them.
type table struct {
	name    string
	columns []db.Column
}

// Copy copies every table of the SQLite file source into a PostgreSQL database, which has
// the same migrations and no rows, or the rows of a move that was interrupted at its very
// end. Then it leaves the mark next to the source, and a line in the target's audit log. It
// returns what it copied. It returns ErrNotEmpty if the target has other rows, and an error
// that names the table if a comparison fails. If it returns tables with an error, they were
// copied.
func Copy(ctx context.Context, source, target *db.DB, sourceFile, targetURL string) (moved []Table, err error) {
	tables, err := commonTables(ctx, source, target)
	if err != nil {
		return nil, err
	}
	from, err := sql.Open("sqlite", "file:"+sourceFile+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	conn, err := pgx.Connect(ctx, targetURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		empty, err := isEmpty(ctx, tx, tables)
		if err != nil {
			return err
		}
		if !empty {
			moved, err = compareTables(ctx, from, tx, tables)
			return err
		}
		moved, err = copyTables(ctx, from, tx, tables)
		return err
	})
	if err != nil {
		return nil, err
	}
	// The mark comes first: until it is there, the old database could still be served.
	if err := Mark(sourceFile, targetURL, source.Clock().Now()); err != nil {
		return moved, err
	}
	return moved, target.System("installation's audit log").InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, "database.moved_by_operator", "", map[string]any{"tables": len(moved)})
	})
}

// isEmpty reports whether none of the tables has a row.
func isEmpty(ctx context.Context, tx pgx.Tx, tables []table) (bool, error) {
	for _, t := range tables {
		var there bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+quote(t.name)+`)`).Scan(&there); err != nil || there {
			return false, err
		}
	}
	return true, nil
}

// compareTables returns the tables if the target already has the same rows as the source,
// and ErrNotEmpty if it has others.
func compareTables(ctx context.Context, from *sql.DB, tx pgx.Tx, tables []table) (same []Table, err error) {
	for _, t := range tables {
		src, err := t.read(ctx, from)
		if err != nil {
			return nil, err
		}
		for src.Next() {
			if _, err := src.Values(); err != nil {
				return nil, errors.Join(err, src.rows.Close())
			}
		}
		if err := errors.Join(src.Err(), src.rows.Close()); err != nil {
			return nil, err
		}
		n, sum, err := t.sum(ctx, tx)
		if err != nil {
			return nil, err
		}
		if n != src.count || sum != src.sum {
			return nil, ErrNotEmpty
		}
		same = append(same, Table{t.name, n, sum.String()})
	}
	return same, nil
}

// copyTables copies all tables into a target without rows.
func copyTables(ctx context.Context, from *sql.DB, tx pgx.Tx, tables []table) (moved []Table, err error) {
	restore, err := dropForeignKeys(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		one, err := copyTable(ctx, from, tx, t)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		moved = append(moved, one)
	}
	for _, statement := range restore {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return moved, nil
}

// commonTables returns the tables of both databases, which must have the same columns.
// Columns whose value PostgreSQL generates are left out.
func commonTables(ctx context.Context, source, target *db.DB) ([]table, error) {
	from, err := source.Columns(ctx)
	if err != nil {
		return nil, err
	}
	to, err := target.Columns(ctx)
	if err != nil {
		return nil, err
	}
	names := func(list []db.Column) (out []string) {
		for _, c := range list {
			if !c.Generated && !slices.Contains(skipped, c.Table) {
				out = append(out, c.Table+"."+c.Name)
			}
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(names(from), names(to)) {
		return nil, errors.New("the two databases have different tables: both must have exactly the migrations of this version and no other tables")
	}
	var out []table
	for _, c := range to {
		if c.Generated || slices.Contains(skipped, c.Table) {
			continue
		}
		if len(out) == 0 || out[len(out)-1].name != c.Table {
			out = append(out, table{name: c.Table})
		}
		t := &out[len(out)-1]
		t.columns = append(t.columns, c)
	}
	return out, nil
}

// dropForeignKeys removes the foreign keys, because tables refer to each other, and returns
// the statements that restore and check them.
func dropForeignKeys(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
		format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, err
	}
	pairs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p [2]string, err error) {
		err = row.Scan(&p[0], &p[1])
		return p, err
	})
	if err != nil {
		return nil, err
	}
	var restore []string
	for _, p := range pairs {
		if _, err := tx.Exec(ctx, p[0]); err != nil {
			return nil, fmt.Errorf("%s: %w", p[0], err)
		}
		restore = append(restore, p[1])
	}
	return restore, nil
}

// copyTable copies one table and compares what arrived.
func copyTable(ctx context.Context, from *sql.DB, tx pgx.Tx, t table) (Table, error) {
	out := Table{Name: t.name}
	src, err := t.read(ctx, from)
	if err != nil {
		return out, err
	}
	defer func() { _ = src.rows.Close() }()
	names := each.Map(t.columns, func(c db.Column) string { return c.Name })
	if out.Rows, err = tx.CopyFrom(ctx, pgx.Identifier{t.name}, names, src); err != nil {
		return out, err
	}
	n, sum, err := t.sum(ctx, tx)
	if err != nil {
		return out, err
	}
	if n != src.count || n != out.Rows || sum != src.sum {
		return out, fmt.Errorf("%d of %d rows arrived, or values differ", n, src.count)
	}
	out.Checksum = sum.String()
	return out, nil
}

// read reads the rows of a SQLite table in the order in which they were written.
func (t table) read(ctx context.Context, from *sql.DB) (*reader, error) {
	quoted := each.Map(t.columns, func(c db.Column) string { return quote(c.Name) })
	rows, err := from.QueryContext(ctx, `SELECT `+strings.Join(quoted, ", ")+` FROM `+quote(t.name)+` ORDER BY rowid`)
	return &reader{rows: rows, columns: t.columns}, err
}

// sum returns the number of rows of a PostgreSQL table, and their checksum.
func (t table) sum(ctx context.Context, tx pgx.Tx) (n int64, sum checksum, err error) {
	texts := each.Map(t.columns, func(c db.Column) string { return quote(c.Name) + `::text` })
	arrived, err := tx.Query(ctx, `SELECT `+strings.Join(texts, ", ")+` FROM `+quote(t.name))
	if err != nil {
		return 0, sum, err
	}
	for arrived.Next() {
		line := make([]*string, len(t.columns))
		into := make([]any, len(line))
		for i := range line {
			into[i] = &line[i]
		}
		if err := arrived.Scan(into...); err != nil {
			return 0, sum, err
		}
		sum.add(line)
		n++
	}
	return n, sum, arrived.Err()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// reader reads the rows of a SQLite table in the form that PostgreSQL needs.
type reader struct {
	rows    *sql.Rows
	columns []db.Column
	count   int64
	sum     checksum
}

// Next implements pgx.CopyFromSource.
func (r *reader) Next() bool { return r.rows.Next() }

// Err implements pgx.CopyFromSource.
func (r *reader) Err() error { return r.rows.Err() }

// Values implements pgx.CopyFromSource.
func (r *reader) Values() ([]any, error) {
	values := make([]any, len(r.columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	if err := r.rows.Scan(into...); err != nil {
		return nil, err
	}
	line := make([]*string, len(values))
	for i, c := range r.columns {
		text, err := convert(&values[i], c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		line[i] = text
	}
	r.sum.add(line)
	r.count++
	return values, nil
}

// convert converts a SQLite value into a value of a PostgreSQL type, and returns the text
// that PostgreSQL writes for it; nil for null.
func convert(value *any, kind string) (*string, error) {
	switch v := (*value).(type) {
	case nil:
		return nil, nil
	case []byte:
		if kind == "uuid" {
			id, err := uuid.FromBytes(v)
			*value = [16]byte(id)
			return new(id.String()), err
		}
		if kind == "text" {
			*value = string(v)
			return new(string(v)), nil
		}
		return new(`\x` + hex.EncodeToString(v)), nil
	case string:
		if kind == "uuid" {
			id, err := uuid.Parse(v)
			*value = [16]byte(id)
			return new(id.String()), err
		}
		if kind == "bytea" {
			*value = []byte(v)
			return new(`\x` + hex.EncodeToString([]byte(v))), nil
		}
		return &v, nil
	case int64:
		if kind == "boolean" {
			*value = v != 0
			return new(strconv.FormatBool(v != 0)), nil
		}
		return new(strconv.FormatInt(v, 10)), nil
	case bool:
		return new(strconv.FormatBool(v)), nil
	}
	return nil, fmt.Errorf("a value of type %T", *value)
}

// checksum is a sum over rows that does not depend on their order.
type checksum [4]uint64

func (c *checksum) add(line []*string) {
	h := sha256.New()
	for _, v := range line {
		if v == nil {
			h.Write([]byte{0})
			continue
		}
		h.Write(binary.BigEndian.AppendUint64([]byte{1}, uint64(len(*v))))
		h.Write([]byte(*v))
	}
	sum := h.Sum(nil)
	for i := range c {
		c[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
}

// String implements fmt.Stringer.
func (c checksum) String() string { return fmt.Sprintf("%016x%016x%016x%016x", c[0], c[1], c[2], c[3]) }
