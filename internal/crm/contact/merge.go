package contact

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Merge is the merge of one contact into another.
type Merge struct {
	ID       uuid.UUID   `json:"id" format:"uuid"`
	WinnerID uuid.UUID   `json:"winner_id" format:"uuid" doc:"Contact that remains"`
	LoserID  uuid.UUID   `json:"loser_id" format:"uuid" doc:"Contact that was merged into it"`
	MergedBy *uuid.UUID  `json:"merged_by" nullable:"true" format:"uuid"`
	MergedAt clock.Time  `json:"merged_at"`
	UndoneAt *clock.Time `json:"undone_at" nullable:"true"`
}

// MergeResult is the contact that remains and the merge, which can be undone.
type MergeResult struct {
	Contact Contact `json:"contact"`
	Merge   Merge   `json:"merge"`
}

// moved is what undoing a merge needs: both contacts as they were, and the undo data of the
// followers.
type moved struct {
	Winner, Loser Contact
	Notes         []uuid.UUID
	Followers     []json.RawMessage
}

// mergeFields fills the empty fields of w from l. Addresses and tags of both are kept.
func mergeFields(w, l *Contact) {
	for _, f := range pairs(w, l) {
		if *f[0] == "" {
			*f[0] = *f[1]
		}
	}
	if w.ExternalID == nil {
		w.ExternalID = l.ExternalID
	}
	if w.OwnerID == nil {
		w.OwnerID = l.OwnerID
	}
	if l.Kind == Customer {
		w.Kind = Customer
	}
	// A merge must not unblock a contact.
	w.Blocked = w.Blocked || l.Blocked
	w.Emails = append(slices.Clone(w.Emails), l.Emails...)
	w.Phones = append(slices.Clone(w.Phones), l.Phones...)
	setPrimary(w)
	w.Tags, _ = Tags(append(slices.Clone(w.Tags), l.Tags...))
	attributes := map[string]any{}
	maps.Copy(attributes, l.CustomAttributes)
	maps.Copy(attributes, w.CustomAttributes)
	w.CustomAttributes = attributes
}

// release removes from w what mergeFields added to it, unless it has been changed since.
func release(w *Contact, m *moved) {
	was, l := &m.Winner, &m.Loser
	for i, f := range pairs(w, l) {
		if old := pairs(was, l)[i][0]; *old == "" && *f[0] == *f[1] {
			*f[0] = ""
		}
	}
	if was.ExternalID == nil && l.ExternalID != nil && w.ExternalID != nil && *w.ExternalID == *l.ExternalID {
		w.ExternalID = nil
	}
	if was.OwnerID == nil && l.OwnerID != nil && w.OwnerID != nil && *w.OwnerID == *l.OwnerID {
		w.OwnerID = nil
	}
	if w.Kind == Customer && was.Kind == Lead && l.Kind == Customer {
		w.Kind = Lead
	}
	if l.Blocked && !was.Blocked {
		w.Blocked = false
	}
	w.Emails = slices.DeleteFunc(slices.Clone(w.Emails), func(e Email) bool { return slices.Contains(addresses(l), e.Address) })
	w.Phones = slices.DeleteFunc(slices.Clone(w.Phones), func(p Phone) bool { return slices.Contains(numbers(l), p.E164) })
	setPrimary(w)
	w.Tags = slices.DeleteFunc(slices.Clone(w.Tags), func(t string) bool {
		return slices.Contains(l.Tags, t) && !slices.Contains(was.Tags, t)
	})
	w.CustomAttributes = maps.Clone(w.CustomAttributes)
	maps.DeleteFunc(w.CustomAttributes, func(k string, v any) bool {
		_, mine := was.CustomAttributes[k]
		theirs, ok := l.CustomAttributes[k]
		return !mine && ok && theirs == v
	})
}

// setPrimary makes a contact's first address and first number the primary ones.
func setPrimary(c *Contact) {
	for i := range c.Emails {
		c.Emails[i].Primary = i == 0
	}
	for i := range c.Phones {
		c.Phones[i].Primary = i == 0
	}
}

func pairs(w, l *Contact) [][2]*string {
	return [][2]*string{
		{&w.FirstName, &l.FirstName},
		{&w.LastName, &l.LastName},
		{&w.Company, &l.Company},
		{&w.Language, &l.Language},
		{&w.Timezone, &l.Timezone},
		{&w.Country, &l.Country},
	}
}
