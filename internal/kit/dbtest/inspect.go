package dbtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Tables returns every table and its columns.
func Tables(tb testing.TB, d *db.DB) map[string][]string {
	tb.Helper()
	columns, err := d.Columns(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]string{}
	for _, c := range columns {
		out[c.Table] = append(out[c.Table], c.Name)
	}
	return out
}

// AnyID returns the id of a row in a table that belongs to a tenant or to one of its
// people.
func AnyID(tb testing.TB, d *db.DB, table string, tenant uuid.UUID) (uuid.UUID, bool) {
	tb.Helper()
	columns, ok := Tables(tb, d)[table]
	if !ok {
		tb.Fatalf("there is no table %q", table)
	}
	var id uuid.UUID
	found := true
	read(tb, d, func(r *db.Reader) (err error) {
		id, err = db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM `+table+` WHERE `+tenantCondition(columns)+` LIMIT 1`, tenant)
		if db.IsNoRow(err) {
			found, err = false, nil
		}
		return err
	})
	return id, found
}

// Dump returns everything that a tenant has as text, in a fixed order.
func Dump(tb testing.TB, d *db.DB, tenant uuid.UUID) string {
	tb.Helper()
	tables := Tables(tb, d)
	names := make([]string, 0, len(tables))
	for name, columns := range tables {
		if tenantCondition(columns) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	read(tb, d, func(r *db.Reader) error {
		for _, name := range names {
			n := len(tables[name])
			rows, err := db.All(r, func(row db.Row) (string, error) {
				values, dest := make([]any, n), make([]any, n)
				for i := range values {
					dest[i] = &values[i]
				}
				err := row.Scan(dest...)
				return fmt.Sprint(values...), err
			}, `SELECT `+strings.Join(tables[name], ", ")+` FROM `+name+` WHERE `+tenantCondition(tables[name]), tenant)
			if err != nil {
				return err
			}
			slices.Sort(rows)
			fmt.Fprintf(&b, "%s\n%s\n", name, strings.Join(rows, "\n"))
		}
		return nil
	})
	return b.String()
}

// tenantCondition returns the condition for the rows of a table that are a tenant's: those that
// name it, or those of its people.
func tenantCondition(columns []string) string {
	switch {
	case slices.Contains(columns, "tenant_id"):
		return "tenant_id = $1"
	case slices.Contains(columns, "user_id"):
		return "user_id IN (SELECT user_id FROM membership WHERE tenant_id = $1)"
	}
	return ""
}

func read(tb testing.TB, d *db.DB, fn func(*db.Reader) error) {
	tb.Helper()
	if err := d.System("test").Read(tb.Context(), fn); err != nil {
		tb.Fatal(err)
	}
}
