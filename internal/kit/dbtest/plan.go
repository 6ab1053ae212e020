package dbtest

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Plan returns how the database would run a tenant's query, one line per step. On
// PostgreSQL, where the role used in tests cannot gather statistics, the planner is told to
// sort only if no index has the order.
func Plan(tb testing.TB, d *db.DB, tenant uuid.UUID, query string, args ...any) string {
	tb.Helper()
	explain := "EXPLAIN "
	if d.Dialect() == db.SQLite {
		explain = "EXPLAIN QUERY PLAN "
	}
	var plan []string
	err := d.Tenant(tenant).InTx(tb.Context(), func(tx *db.Tx) (err error) {
		if d.Dialect() == db.Postgres {
			if err := tx.Exec(`SET LOCAL enable_sort = off`); err != nil {
				return err
			}
		}
		plan, err = db.All(&tx.Reader, func(row db.Row) (string, error) {
			var s string
			if d.Dialect() == db.SQLite {
				var a, b, c int
				err := row.Scan(&a, &b, &c, &s)
				return s, err
			}
			err := row.Scan(&s)
			return s, err
		}, explain+query, args...)
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return strings.Join(plan, "\n")
}
