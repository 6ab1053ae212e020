package contact

import (
	"encoding/json"
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
	for i := range w.Emails {
		w.Emails[i].Primary = i == 0
	}
	w.Phones = append(slices.Clone(w.Phones), l.Phones...)
	for i := range w.Phones {
		w.Phones[i].Primary = i == 0
	}
	w.Tags, _ = Tags(append(slices.Clone(w.Tags), l.Tags...))
	attributes := map[string]any{}
	for k, v := range l.CustomAttributes {
		attributes[k] = v
	}
	for k, v := range w.CustomAttributes {
		attributes[k] = v
	}
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
	for i := range w.Emails {
		w.Emails[i].Primary = i == 0
	}
	w.Phones = slices.DeleteFunc(slices.Clone(w.Phones), func(p Phone) bool { return slices.Contains(numbers(l), p.E164) })
	for i := range w.Phones {
		w.Phones[i].Primary = i == 0
	}
	w.Tags = slices.DeleteFunc(slices.Clone(w.Tags), func(t string) bool {
		return slices.Contains(l.Tags, t) && !slices.Contains(was.Tags, t)
	})
	attributes := map[string]any{}
	for k, v := range w.CustomAttributes {
		_, mine := was.CustomAttributes[k]
		if theirs, ok := l.CustomAttributes[k]; mine || !ok || theirs != v {
			attributes[k] = v
		}
	}
	w.CustomAttributes = attributes
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
