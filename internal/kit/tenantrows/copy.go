package tenantrows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// tenantTable is the table of the workspaces.
const tenantTable = "tenant"

var (
	// personTables are the tables of what belongs to a person; their rows are copied with
	// the person.
	personTables = []string{"recovery_code", "passkey"}
	// momentary are the tables whose rows are useful only for a short time and in this
	// installation: sessions, and codes that are valid for minutes. They are not copied.
	momentary = []string{"session", "mfa_ticket", "handover", "oauth_code", "phone_ticket", "mobile_qr", "password_reset", "passkey_challenge", "partner_signup", "partner_signup_failure"}
)

// Kind is the kind of owner that the rows of a table belong to.
type Kind int

// The kinds of tables.
const (
	OfTenant     Kind = iota // rows have a tenant_id
	Tenant                   // the workspaces themselves
	People                   // the people
	OfPerson                 // rows have a user_id
	OfMembership             // rows have a tenant_id and a user_id
)

// CopyTable is a table from which a workspace's rows are copied.
type CopyTable struct {
	Name    string
	Kind    Kind
	Columns []db.Column
	order   string
}

// CopyTables returns the tables whose rows are copied with a workspace, each after the
// tables that it refers to.
func CopyTables(ctx context.Context, d *db.DB) ([]CopyTable, error) {
	names, err := Tables(ctx, d)
	if err != nil {
		return nil, err
	}
	slices.Reverse(names)
	names = slices.Concat([]string{tenantTable, peopleTable}, personTables, names)
	columns, err := d.Columns(ctx)
	if err != nil {
		return nil, err
	}
	var out []CopyTable
	for _, name := range names {
		if slices.Contains(momentary, name) {
			continue
		}
		t := CopyTable{Name: name}
		switch {
		case name == tenantTable:
			t.Kind = Tenant
		case name == peopleTable:
			t.Kind = People
		case name == memberTable:
			t.Kind = OfMembership
		case slices.Contains(personTables, name):
			t.Kind = OfPerson
		}
		if d.Dialect() == db.SQLite {
			t.order = "rowid"
		}
		for _, c := range columns {
			switch {
			case c.Table != name:
			case c.Generated:
				t.order = `"` + c.Name + `"` // the column that numbers the table's rows
			case readers[c.Type] == nil:
				return nil, fmt.Errorf("tenantrows: %s.%s has the type %s, which cannot be copied", name, c.Name, c.Type)
			default:
				t.Columns = append(t.Columns, c)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// names lists the columns of a table for SQL.
func (t *CopyTable) names() string {
	return strings.Join(each.Map(t.Columns, func(c db.Column) string { return `"` + c.Name + `"` }), ", ")
}

// Row is a row of a table: a value for each column, which is nil, a uuid.UUID, a string, an
// int64, a bool or a []byte.
type Row []any

// Read calls fn with each row of the reader's workspace in a table, in the order in which
// they were written if the database knows it.
func (t *CopyTable) Read(r *db.Reader, fn func(Row) error) error {
	members := `(SELECT user_id FROM ` + memberTable + ` WHERE tenant_id = $1)`
	where := map[Kind]string{Tenant: `id = $1`, People: `id IN ` + members, OfPerson: `user_id IN ` + members}[t.Kind]
	if where == "" {
		where = `tenant_id = $1`
	}
	query := `SELECT ` + t.names() + ` FROM "` + t.Name + `" WHERE ` + where
	if t.order != "" {
		query += ` ORDER BY ` + t.order
	}
	err := db.ForEachRow(r, func(scan db.Row) error {
		row, err := t.scan(scan)
		if err != nil {
			return err
		}
		return fn(row)
	}, query, r.Tenant())
	if err != nil {
		return fmt.Errorf("tenantrows: read %s: %w", t.Name, err)
	}
	return nil
}

// readers return, for each type, the target to scan a value into and a function that
// returns the value.
var readers = map[string]func() (into any, value func() any){
	"uuid":     reader[uuid.UUID],
	"text":     reader[string],
	"bigint":   reader[int64],
	"smallint": reader[int64],
	"boolean":  reader[bool],
	"bytea":    reader[[]byte],
}

func reader[T any]() (into any, value func() any) {
	var v *T
	return &v, func() any {
		if v == nil {
			return nil
		}
		return *v
	}
}

func (t *CopyTable) scan(scan db.Row) (Row, error) {
	into, values, row := make([]any, len(t.Columns)), make([]func() any, len(t.Columns)), make(Row, len(t.Columns))
	for i, c := range t.Columns {
		into[i], values[i] = readers[c.Type]()
	}
	if err := scan.Scan(into...); err != nil {
		return nil, err
	}
	for i := range row {
		row[i] = values[i]()
		if b, ok := row[i].([]byte); ok && b == nil { // empty, which is not null
			row[i] = []byte{}
		}
	}
	return row, nil
}

// ErrExists means that a row exists already, or another row with a value that must be
// unique.
var ErrExists = errors.New("already exists")

// InsertBatch is the largest number of rows that Insert accepts at once.
const InsertBatch = 100

// Insert inserts rows into a table. It returns ErrExists if one of them, or a value of it
// that must be unique, exists already.
func (t *CopyTable) Insert(tx *db.Tx, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	var marks strings.Builder
	args := make([]any, 0, len(rows)*len(t.Columns))
	for i, row := range rows {
		if i > 0 {
			marks.WriteString(", ")
		}
		marks.WriteString("(")
		for j, v := range row {
			if j > 0 {
				marks.WriteString(", ")
			}
			args = append(args, v)
			fmt.Fprintf(&marks, "$%d", len(args))
		}
		marks.WriteString(")")
	}
	n, err := tx.ExecCount(`INSERT INTO "`+t.Name+`" (`+t.names()+`) VALUES `+marks.String()+` ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		return fmt.Errorf("tenantrows: insert into %s: %w", t.Name, err)
	}
	if n != int64(len(rows)) {
		return fmt.Errorf("a row of %s %w", t.Name, ErrExists)
	}
	return nil
}

// Index returns the position of a column in the rows of a table, -1 if there is no such
// column.
func (t *CopyTable) Index(column string) int {
	return slices.IndexFunc(t.Columns, func(c db.Column) bool { return c.Name == column })
}

// PersonByEmail returns the id of the person with an address, given by its key, and whether
// there is one.
func PersonByEmail(r *db.Reader, key string) (uuid.UUID, bool, error) {
	id, err := db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM `+peopleTable+` WHERE email_key = $1`, key)
	return id, err == nil, db.IgnoreNoRow(err)
}

// FindTenant returns the slug of the workspace that already has the id or slug, and whether
// there is one.
func FindTenant(r *db.Reader, id uuid.UUID, slug string) (string, bool, error) {
	found, err := db.One(r, db.Scalar[string], `SELECT slug FROM `+tenantTable+` WHERE id = $1 OR slug = $2 LIMIT 1`, id, slug)
	return found, err == nil, db.IgnoreNoRow(err)
}
