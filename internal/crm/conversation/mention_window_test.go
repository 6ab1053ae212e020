package conversation

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page of mentions scans a bounded number of rows, however many of the notes are deleted,
// and all pages together return the rest.
func TestMentionsOnDeletedNotes(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		tenant, me := dbtest.Tenant(t, d, "a"), uuid.New()
		const all, window = 100, 10
		fill(t, d, tenant, all, `'open'`, c.Now())
		id := `gen_random_uuid()`
		if d.Dialect() == db.SQLite {
			id = `randomblob(16)`
		}
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			for _, query := range []string{
				fmt.Sprintf(`INSERT INTO conversation_item (tenant_id, id, conversation_id, kind, author_kind, body, detail, test, at)
					SELECT tenant_id, %s, id, 'note', 'agent', 'x', '{}', false, created_at FROM conversation WHERE tenant_id = $1`, id),
				`UPDATE conversation_item SET deleted_at = 1 WHERE tenant_id = $1 AND id NOT IN (
					SELECT id FROM conversation_item WHERE tenant_id = $1 ORDER BY at LIMIT 5)`,
			} {
				if err := tx.Exec(query, tenant); err != nil {
					return err
				}
			}
			return tx.Exec(`INSERT INTO item_mention (tenant_id, item_id, agent_id, name, at, seen)
				SELECT tenant_id, id, $2, 'Ayşe', at, false FROM conversation_item WHERE tenant_id = $1`, tenant, me)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, unread := range []bool{false, true} {
			found, pages := 0, 0
			for p, more := (db.Page{Limit: 3, After: db.First, Window: window}), true; more; {
				err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
					got, err := mentionsOf(r, me, unread, p)
					pages++
					if len(got.Rows) > 0 && pages < all/window-1 {
						t.Errorf("page %d looked at more than %d mentions", pages, window)
					}
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
			if found != 5 || pages < all/window {
				t.Errorf("unread %v: %d mentions on %d pages", unread, found, pages)
			}
		}
	})
}
