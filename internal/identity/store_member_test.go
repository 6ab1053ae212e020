package identity

import (
	"strings"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// However many members were removed, a page of active members, or of those in one state, is
// read from an index that has only these.
func TestMembersQueryHasAnIndex(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		for state, index := range map[string]string{"": "membership_present", "removed": "membership_state"} {
			query, args := membersQuery(tenant, state, db.Page{Limit: 25, After: db.First})
			if plan := dbtest.Plan(t, d, tenant, query, args...); !strings.Contains(plan, index) {
				t.Errorf("state %q does not go by %s:\n%s", state, index, plan)
			}
		}
	})
}
