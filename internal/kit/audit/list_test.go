package audit

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page reads a bounded number of lines, whatever it filters by, and page by page
// everything is found.
func TestListPageReadsFewLines(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := d.Tenant(dbtest.Tenant(t, d, "a"))
		const all, rows = 100, 20
		err := tenant.InTx(t.Context(), func(tx *db.Tx) error {
			for i := range all {
				if err := Write(tx, fmt.Sprintf("thing.%d", i%4), fmt.Sprint(i), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			f            Filter
			found, pages int
		}{
			"an object that nothing has": {Filter{Object: "x"}, 0, all/rows + 1},
			"one object":                 {Filter{Object: "3"}, 1, all/rows + 1},
			"other actions":              {Filter{Action: "other.*"}, 0, all/rows + 1},
			"an action's object":         {Filter{Action: "thing.1", Object: "x"}, 0, all/4/rows + 1},
			"an action":                  {Filter{Action: "thing.1"}, all / 4, 3},
			"nobody":                     {Filter{Actor: uuid.New()}, 0, 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: 10, After: db.First, Window: rows}, func(p db.Page) (db.List[Line], error) {
				return db.Read(t.Context(), tenant, func(r *db.Reader) (db.List[Line], error) { return List(r, tc.f, p) })
			})
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
	})
}

// The installation's own lines are those without a workspace, newest first.
func TestListInstallation(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		write := func(h db.Handle, actions ...string) {
			t.Helper()
			for _, action := range actions {
				if err := h.InTx(t.Context(), func(tx *db.Tx) error { return Write(tx, action, "x", nil) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		write(d.System("test"), "a.first", "a.second", "a.third")
		write(d.Tenant(dbtest.Tenant(t, d, "a")), "of.workspace")
		got, err := ListInstallation(t.Context(), d, 2)
		if err != nil || len(got) != 2 || got[0].Action != "a.third" || got[1].Action != "a.second" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
