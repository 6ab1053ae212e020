package contact_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// anybody accepts every id as an agent's.
type anybody struct{}

func (anybody) IsAgent(*db.Reader, uuid.UUID) (bool, error) { return true, nil }

// A page reads a limited number of contacts, whatever it filters by, and paging finds all
// of them.
func TestListPageReadsFewContacts(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		const all, rows = 100, 20
		s := contact.New(contact.Config{DB: d, Book: contact.NewBook(anybody{})})
		tenant, owner := dbtest.Tenant(t, d, "a"), uuid.New()
		live := caller.With(t.Context(), &caller.Caller{TenantID: tenant})
		test := caller.With(t.Context(), &caller.Caller{TenantID: tenant, Test: true})
		for i := range all {
			in := contact.Input{Name: new(fmt.Sprintf("Kişi %d", i))}
			if i%10 == 0 {
				in.OwnerID = &owner
			}
			if _, err := s.Create(live, in); err != nil {
				t.Fatal(err)
			}
		}
		for name, tc := range map[string]struct {
			f            contact.Filter
			found, pages int
		}{
			"tests":               {contact.Filter{Test: new(true)}, 0, all/rows + 1},
			"leads among tests":   {contact.Filter{Test: new(true), Kind: "lead"}, 0, all/rows + 1},
			"an owner's tests":    {contact.Filter{Test: new(true), OwnerID: &owner}, 0, 1},
			"an owner's":          {contact.Filter{OwnerID: &owner}, all / 10, 1},
			"not blocked":         {contact.Filter{Blocked: new(false), OwnerID: &owner}, all / 10, 1},
			"a word":              {contact.Filter{Query: "kişi", OwnerID: &owner}, all / 10, 1},
			"a word of one":       {contact.Filter{Query: "42"}, 1, 1},
			"a word that is none": {contact.Filter{Query: "yok"}, 0, 1},
		} {
			found, pages := dbtest.CountPages(t, db.Page{Limit: 10, After: db.First, Window: rows}, func(p db.Page) (db.List[contact.Contact], error) { return s.List(live, tc.f, p) })
			if found != tc.found || pages != tc.pages {
				t.Errorf("%s: found %d in %d pages, want %d in %d", name, found, pages, tc.found, tc.pages)
			}
		}
		if got, err := s.List(test, contact.Filter{}, db.Page{Limit: 10, After: db.First, Window: rows}); err != nil || len(got.Rows) > 0 || got.Next != nil {
			t.Errorf("a test key sees %+v, %v", got, err)
		}
	})
}
