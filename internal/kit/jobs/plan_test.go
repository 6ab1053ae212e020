package jobs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

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
			plan := explain(t, d, query, args...)
			filtered := slices.ContainsFunc(plan, func(line string) bool { // row security has a filter, too
				return strings.Contains(line, "Filter:") && strings.Contains(line, "kind")
			})
			got := strings.Join(plan, "\n")
			if !strings.Contains(got+" ", index+" ") || strings.Contains(got, "B-TREE") || strings.Contains(got, "Sort") || filtered {
				t.Errorf("%q: %s", kind, got)
			}
		}
	})
}

// Looking for due jobs seeks every tenant and its first due job in the index, however many
// kinds and jobs there are.
func TestDueJobsUseIndex(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		kinds := []string{"email.send", "email.poll", "mail.deliver"}
		now := clock.At(c.Now())
		for name, plan := range map[string][]string{
			"queues":  explain(t, d, dueQueuesSQL(d.Dialect(), kinds), now, 64, uuid.Nil, d.Clock().NewID(), uuid.Nil),
			"metrics": explain(t, d, dueJobsSQL(kinds), now),
		} {
			seeks := 0
			for _, line := range plan {
				if !strings.Contains(line, " job") || strings.Contains(line, "Filter:") {
					continue
				}
				seeks++
				if !strings.Contains(line, "job_due") || !strings.Contains(line, "Index") && !strings.Contains(line, "SEARCH") {
					t.Errorf("%s: %s", name, line)
				}
			}
			if seeks == 0 || strings.Contains(strings.Join(plan, "\n"), "B-TREE") {
				t.Errorf("%s: %s", name, strings.Join(plan, "\n"))
			}
		}
	})
}

// explain returns how the database would run a query, one line per step.
func explain(t *testing.T, d *db.DB, query string, args ...any) (plan []string) {
	t.Helper()
	explain := "EXPLAIN QUERY PLAN "
	if d.Dialect() == db.Postgres {
		explain = "EXPLAIN "
	}
	err := d.System("plan").InTx(t.Context(), func(tx *db.Tx) (err error) {
		if d.Dialect() == db.Postgres { // a small table would be read whole
			for _, off := range []string{"seqscan", "bitmapscan", "sort"} {
				if err := tx.Exec("SET LOCAL enable_" + off + " = off"); err != nil {
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
	return plan
}
