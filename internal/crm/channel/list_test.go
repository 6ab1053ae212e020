package channel_test

import (
	"testing"

	"konak/internal/crm/channel"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A page reads a limited number of accounts, and paging finds all of them.
func TestListLooksAtFewAccounts(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		ctx, s := caller.With(t.Context(), &caller.Caller{TenantID: tenant}), channel.New(channel.Config{DB: d})
		const all, rows = 100, 20
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			for i := range all {
				kind, status := "email", "disconnected"
				if i%2 == 0 {
					kind = "custom"
				}
				if i == 0 {
					status = "active"
				}
				err := tx.Exec(`INSERT INTO channel_account (tenant_id, id, kind, name, status, ai, hours, settings, created_at, updated_at)
					VALUES ($1, $2, $3, 'x', $4, false, 'null', '{}', $5, $5)`, tx.Tenant(), tx.NewID(), kind, status, clock.At(tx.Now()))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			kind, status string
			found, pages int
		}{
			"connected":      {"", "", 1, all/rows + 1},
			"paused":         {"", "paused", 0, all/rows + 1},
			"paused email":   {"email", "paused", 0, all/2/rows + 1},
			"custom":         {"custom", "", 1, all/2/rows + 1},
			"disconnected":   {"", "disconnected", all - 1, all/rows + 1},
			"of no such one": {"telegram", "", 0, 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: all, After: db.First, Window: rows}, func(p db.Page) (db.List[channel.Account], error) {
				return s.List(ctx, tc.kind, tc.status, p)
			})
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
	})
}
