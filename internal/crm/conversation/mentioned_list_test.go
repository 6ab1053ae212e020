package conversation

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// However often notes mention an agent, the list of these conversations scans only the
// newest of these notes.
func TestMentionedListReadsOnlyNewestNotes(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant, me := dbtest.Tenant(t, d, "a"), uuid.New()
		const all = fewRows + 50
		fill(t, d, tenant, all, `'open'`, c.Now())
		id := `gen_random_uuid()`
		if d.Dialect() == db.SQLite {
			id = `randomblob(16)`
		}
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			err := tx.Exec(fmt.Sprintf(`INSERT INTO conversation_item (tenant_id, id, conversation_id, kind, author_kind, body, detail, test, at)
				SELECT tenant_id, %s, id, 'note', 'agent', 'x', '{}', false, created_at FROM conversation WHERE tenant_id = $1`, id), tenant)
			if err != nil {
				return err
			}
			return tx.Exec(`INSERT INTO item_mention (tenant_id, item_id, agent_id, name, at, seen)
				SELECT tenant_id, id, $2, 'Ayşe', at, true FROM conversation_item WHERE tenant_id = $1`, tenant, me)
		})
		if err != nil {
			t.Fatal(err)
		}
		dbtest.CollectStatistics(t, d)
		found := 0
		for p, more := (db.Page{Limit: 200, After: db.First}), true; more; {
			err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
				got, err := list(r, Filter{Mentioned: &me}, Order{Name: "last_activity"}, p)
				found += len(got.Rows)
				if more = got.Next != nil; more {
					p.After = *got.Next
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if found != fewRows {
			t.Errorf("found %d conversations, want those of the newest %d notes", found, fewRows)
		}
	})
}
