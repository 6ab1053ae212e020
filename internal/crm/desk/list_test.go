package desk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/desk"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/perm"
)

// A page scans a bounded number of the replies visible to the agent, and none of anybody
// else, and all pages together find everything.
func TestListPageReadsFewCannedReplies(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		const each, rows = 20, 8
		s, tenant := desk.New(desk.Config{DB: d}), dbtest.Tenant(t, d, "a")
		me, other, third := uuid.New(), uuid.New(), uuid.New()
		as := func(agent uuid.UUID) context.Context {
			return caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, TenantID: tenant, ID: agent, Perms: perm.NewSet(perm.CannedManage)})
		}
		for i := range each {
			title := "x"
			if i%10 == 0 {
				title = "Kargo"
			}
			for _, agent := range []uuid.UUID{uuid.Nil, me, other} {
				_, err := s.AddCannedReply(as(agent), desk.NewCannedReply{Shared: agent == uuid.Nil, Shortcut: fmt.Sprint(i), Title: title, Body: "x"})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for name, tc := range map[string]struct {
			agent        uuid.UUID
			q            string
			found, pages int
		}{
			"all":                    {me, "", 2 * each, 2*each/rows + 1},
			"a rare word":            {me, "karg", 2 * each / 10, 2*each/rows + 1},
			"a word of none":         {me, "yok", 0, 2*each/rows + 1},
			"who has none of theirs": {third, "karg", each / 10, each/rows + 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: 200, After: db.Before, Window: rows}, func(p db.Page) (db.List[desk.CannedReply], error) {
				return s.CannedReplies(as(tc.agent), tc.q, p)
			})
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
	})
}
