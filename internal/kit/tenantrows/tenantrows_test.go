package tenantrows

import (
	"slices"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// Every table that has a tenant_id is listed before the tables that it refers to.
func TestTablesAreListedChildrenFirst(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tables, err := Tables(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		refs, err := db.Read(t.Context(), d.System("test"), references)
		if err != nil {
			t.Fatal(err)
		}
		if len(tables) < 100 || len(refs) < 50 {
			t.Fatalf("only %d tables and %d references", len(tables), len(refs))
		}
		for _, r := range refs {
			from, to := slices.Index(tables, r.from), slices.Index(tables, r.to)
			if to >= 0 && r.from != r.to && (from < 0 || from > to) {
				t.Errorf("%s (%d) refers to %s (%d)", r.from, from, r.to, to)
			}
		}
	})
}

// Tables that refer to each other in a circle are refused.
func TestCircularReferencesAreRefused(t *testing.T) {
	t.Parallel()
	refs := []reference{{from: "a", to: "b"}, {from: "b", to: "a"}, {from: "c", to: "c"}}
	if got, err := childrenFirst([]string{"c"}, refs); err != nil || len(got) != 1 {
		t.Errorf("a table that refers to itself: %v, %v", got, err)
	}
	if got, err := childrenFirst([]string{"a", "b", "c"}, refs); err == nil {
		t.Errorf("a circle was ordered: %v", got)
	}
}
