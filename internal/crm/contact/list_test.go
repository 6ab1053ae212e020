package contact

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page looks at a bounded number of contacts, whatever it filters by, and page
// by page everything is found.
func TestListLooksAtFewContacts(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := d.Tenant(dbtest.Tenant(t, d, "a"))
		const all, rows = 100, 20
		owner := uuid.New()
		err := tenant.InTx(t.Context(), func(tx *db.Tx) error {
			for i := range all {
				c := Contact{ID: tx.NewID(), Kind: "lead", Name: fmt.Sprintf("Kişi %d", i), Tags: []string{}, CustomAttributes: map[string]any{}, CreatedAt: clock.At(tx.Now())}
				if i%10 == 0 {
					c.OwnerID = &owner
				}
				if err := put(tx, c); err != nil {
					return err
				}
				if err := putWords(tx, nil, &c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		yes, no := true, false
		for name, tc := range map[string]struct {
			f            Filter
			found, pages int
		}{
			"a test key's":        {Filter{onlyTest: true}, 0, 1},
			"tests":               {Filter{Test: &yes}, 0, all/rows + 1},
			"leads among tests":   {Filter{Test: &yes, Kind: "lead"}, 0, all/rows + 1},
			"an owner's tests":    {Filter{Test: &yes, OwnerID: &owner}, 0, 1},
			"an owner's":          {Filter{OwnerID: &owner}, all / 10, 1},
			"not blocked":         {Filter{Blocked: &no, OwnerID: &owner}, all / 10, 1},
			"a word":              {Filter{Query: "kişi", OwnerID: &owner}, all / 10, 1},
			"a word of one":       {Filter{Query: "42"}, 1, 1},
			"a word that is none": {Filter{Query: "yok"}, 0, 1},
		} {
			found, pages := dbtest.CountPages(t, tenant, db.Page{Limit: 10, After: db.First}, func(r *db.Reader, p db.Page) (db.List[Contact], error) {
				return list(r, tc.f, p, rows)
			})
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
	})
}
