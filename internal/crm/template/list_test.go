package template

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page reads a limited number of templates, whatever it filters by, and paging finds all
// of them.
func TestListPageReadsFewTemplates(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := d.Tenant(dbtest.Tenant(t, d, "a"))
		const all, rows = 100, 20
		account := uuid.New()
		err := tenant.InTx(t.Context(), func(tx *db.Tx) error {
			for i := range all {
				v := Template{ID: tx.NewID(), AccountID: account, Name: fmt.Sprintf("siparis_%d", i), Language: "tr", Category: "UTILITY", Status: "PENDING", CreatedAt: clock.At(tx.Now())}
				if i%10 == 0 {
					v.Status = "APPROVED"
				}
				if _, err := put(tx, &v, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		other := uuid.New()
		for name, tc := range map[string]struct {
			f     Filter
			found int
		}{
			"all":              {Filter{}, all},
			"a status of none": {Filter{Status: "PAUSED"}, 0},
			"of none":          {Filter{Language: "en", Category: "MARKETING", Query: "kargo"}, 0},
			"another account":  {Filter{AccountID: &other}, 0},
			"sendable":         {Filter{Sendable: true, AccountID: &account}, all / 10},
			"one name":         {Filter{Query: "siparis 42"}, 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: all, After: db.First, Window: rows}, func(p db.Page) (db.List[Template], error) {
				return db.Read(t.Context(), tenant, func(r *db.Reader) (db.List[Template], error) { return list(r, tc.f, p) })
			})
			if found != tc.found || pages != all/rows+1 {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, all/rows+1)
			}
		}
	})
}
