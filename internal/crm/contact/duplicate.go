package contact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/trtext"
)

// Reasons why two contacts may be one person.
const (
	SameName  = "name"
	SameEmail = "email"
	SamePhone = "phone"
)

// maxDuplicates is the maximum number of contacts suggested for each reason.
const maxDuplicates = 10

// Duplicate is another contact that may be the same person.
type Duplicate struct {
	Contact Contact  `json:"contact"`
	Reasons []string `json:"reasons" nullable:"false" enum:"name,email,phone" doc:"What matches: the full name, or an address or number that one contact has and the other claims"`
}

// Duplicates lists the contacts that may be the same person; those that share an address or
// a number come first. It returns not_found if the contact does not exist.
func (s *Service) Duplicates(ctx context.Context, id uuid.UUID) ([]Duplicate, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) ([]Duplicate, error) {
		c, err := byID(r, id)
		if err != nil {
			return nil, db.NotFound(err)
		}
		return duplicatesOf(r, c)
	})
}

func duplicatesOf(r *db.Reader, c Contact) ([]Duplicate, error) {
	reasons := map[uuid.UUID][]string{}
	add := func(id uuid.UUID, reason string) {
		if id != c.ID && !slices.Contains(reasons[id], reason) {
			reasons[id] = append(reasons[id], reason)
		}
	}
	if err := matchClaims(r, &c); err != nil {
		return nil, err
	}
	keys := map[string][]string{}
	for _, e := range c.Emails {
		if parsed, ok := address.ParseEmail(e.Address); ok {
			keys[ClaimEmail] = append(keys[ClaimEmail], parsed.Key)
		}
	}
	for _, p := range c.Phones {
		keys[ClaimPhone] = append(keys[ClaimPhone], p.E164)
	}
	reasonOf := map[string]string{ClaimEmail: SameEmail, ClaimPhone: SamePhone}
	for _, k := range c.Claims {
		if k.Proof != nil {
			continue
		}
		keys[k.Kind] = append(keys[k.Kind], k.key)
		if k.Match.V != nil {
			add(k.Match.V.ID, reasonOf[k.Kind])
		}
	}
	for _, kind := range []string{ClaimEmail, ClaimPhone} {
		ids, err := claimants(r, kind, keys[kind], c.Test)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			add(id, reasonOf[kind])
		}
	}
	namesakes, err := sameName(r, c)
	if err != nil {
		return nil, err
	}
	for _, other := range namesakes {
		add(other.ID, SameName)
	}
	return readDuplicates(r, reasons)
}

// sameName lists the contacts with the same full name, ignoring case and marks. A first
// name alone is not enough.
func sameName(r *db.Reader, c Contact) ([]Contact, error) {
	whole := func(name string) string { return strings.Join(strings.Fields(trtext.Fold(name)), " ") }
	wanted := whole(c.Name)
	if !strings.Contains(wanted, " ") {
		return nil, nil
	}
	page, err := list(r, Filter{Query: c.Name, Test: &c.Test}, db.Page{Limit: maxDuplicates + 1, After: db.First})
	return slices.DeleteFunc(page.Rows, func(other Contact) bool { return whole(other.Name) != wanted }), err
}

// readDuplicates reads the contacts that have reasons: first those that share an address or
// a number, then the newest.
func readDuplicates(r *db.Reader, reasons map[uuid.UUID][]string) ([]Duplicate, error) {
	ids := make([]uuid.UUID, 0, len(reasons))
	for id := range reasons {
		ids = append(ids, id)
	}
	rows, err := SearchOf(r, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Duplicate, len(rows))
	for i, c := range rows {
		out[i] = Duplicate{Contact: c, Reasons: reasons[c.ID]}
	}
	weight := func(d Duplicate) int {
		return len(slices.DeleteFunc(slices.Clone(d.Reasons), func(s string) bool { return s == SameName }))
	}
	slices.SortFunc(out, func(a, b Duplicate) int {
		return cmp.Or(weight(b)-weight(a), b.Contact.CreatedAt.Compare(a.Contact.CreatedAt.Time), slices.Compare(b.Contact.ID[:], a.Contact.ID[:]))
	})
	return out, nil
}
