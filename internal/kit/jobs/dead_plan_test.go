package jobs

import (
	"slices"
	"strings"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// The list of dead jobs, also of one kind, reads no more rows than it shows: an index
// returns them in the order of the list.
func TestDeadJobsUseIndex(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		for kind, index := range map[string]string{"": "job_dead", "email.send": "job_dead_kind"} {
			query, args := deadQuery(kind, 50)
			explain := "EXPLAIN QUERY PLAN "
			if d.Dialect() == db.Postgres {
				explain = "EXPLAIN "
			}
			var plan []string
			err := d.System("dead jobs").InTx(t.Context(), func(tx *db.Tx) (err error) {
				if d.Dialect() == db.Postgres { // a small table would be read whole
					for _, off := range []string{"seqscan", "bitmapscan", "sort"} {
						if _, err := tx.Exec("SET LOCAL enable_" + off + " = off"); err != nil {
							return err
						}
					}
				}
				plan, err = db.All(&tx.Reader, func(row db.Row) (text string, err error) {
					if d.Dialect() == db.SQLite {
						var a, b, c int
						err = row.Scan(&a, &b, &c, &text)
						return text, err
					}
					err = row.Scan(&text)
					return text, err
				}, explain+query, args...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(plan, "\n")
			filtered := slices.ContainsFunc(plan, func(line string) bool { // row security has a filter, too
				return strings.Contains(line, "Filter:") && strings.Contains(line, "kind")
			})
			if !strings.Contains(got+" ", index+" ") || strings.Contains(got, "B-TREE") || strings.Contains(got, "Sort") || filtered {
				t.Errorf("%q: %s", kind, got)
			}
		}
	})
}
