package desk

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page looks at a bounded number of the replies that the agent sees, at none
// of anybody else, and page by page everything is found.
func TestListLooksAtFewCannedReplies(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := d.Tenant(dbtest.Tenant(t, d, "a"))
		const each, rows = 50, 20
		me, other := uuid.New(), uuid.New()
		err := tenant.InTx(t.Context(), func(tx *db.Tx) error {
			for i := range each {
				for _, scope := range []uuid.UUID{uuid.Nil, me, other} {
					c := CannedReply{ID: tx.NewID(), Shortcut: fmt.Sprint(i), Title: "x", Body: "x", CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now())}
					if _, err := putCanned(tx, c, scope, c.Shortcut); err != nil {
						return err
					}
					if i%10 == 0 {
						if err := putCannedTerms(tx, c.ID, []string{"kargo"}); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			agent        uuid.UUID
			terms        []string
			found, pages int
		}{
			"all":                    {me, nil, 2 * each, 2*each/rows + 1},
			"a rare word":            {me, []string{"karg"}, 2 * each / 10, 2*each/rows + 1},
			"a word of none":         {me, []string{"yok"}, 0, 2*each/rows + 1},
			"who has none of theirs": {uuid.New(), []string{"karg"}, each / 10, each/rows + 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: 200, After: db.Before, Window: rows}, func(p db.Page) (db.List[CannedReply], error) {
				return db.Read(t.Context(), tenant, func(r *db.Reader) (db.List[CannedReply], error) { return cannedReplies(r, tc.agent, tc.terms, p) })
			})
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
	})
}
