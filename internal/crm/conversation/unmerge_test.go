package conversation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
)

// Conversations of two customers cannot be merged, and the error says what to do instead.
func TestMergeOfTwoCustomers(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		mine := in.begin()
		var other contact.Contact
		in.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Bora Ak"}).Want(201).Data(&other)
		var theirs conversation.Conversation
		in.Owner.Post(base, map[string]any{"contact_id": other.ID, "body": "x"}).Want(201).Data(&theirs)
		in.events()
		e := in.Owner.Post(base+"/"+mine.String()+"/merge", map[string]any{"into_id": theirs.ID}).Refused(409, "other_customer")
		if e.Message != "These conversations belong to two customers. If they are the same person, merge the contacts first." {
			t.Errorf("got %q", e.Message)
		}
		if got := in.events(); len(got) != 0 || in.get(mine).MergedIntoID != nil {
			t.Errorf("it was merged: %v", got)
		}
	})
}

// Undoing a merge restores both conversations, and what came since stays where it came.
func TestUnmerge(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		from, into := in.begin(), in.begin()
		path := base + "/" + from.String()
		in.Owner.Post(path+"/join", nil).Want(200)
		in.later(from, 60, nil)
		had, stood := in.items(from), in.get(from)
		stays := in.items(into)
		if e := in.Owner.Post(path+"/unmerge", nil).Refused(409, "conflict"); e.Reason != "not_merged" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Post(path+"/merge", map[string]any{"into_id": into}).Want(200)
		in.Owner.Post(base+"/"+into.String()+"/reply-as-agent", map[string]any{"body": "sonradan"}).Want(200)
		guest, _ := in.memberAs("Ece", identity.RoleGuest)
		guest.Post(path+"/unmerge", nil).Refused(403, "forbidden")
		in.events()
		s.Clock.Advance(time.Minute)

		var c conversation.Conversation
		in.Owner.Post(path+"/unmerge", nil).Want(200).Data(&c)
		if c.ID != from || c.MergedIntoID != nil || c.State != stood.State || *c.OwnerID != *stood.OwnerID || c.Preview != stood.Preview {
			t.Errorf("got %+v, it was %+v", c, stood)
		}
		if !slices.Contains(in.events(), conversation.Restored) {
			t.Error("nobody was told")
		}
		bodies := func(id uuid.UUID) (out []string) {
			for _, i := range in.items(id) {
				if i.Kind == conversation.Message {
					out = append(out, i.Body)
				}
			}
			return out
		}
		if got := bodies(from); len(got) != 1 || got[0] != had[len(had)-1].Body {
			t.Errorf("it got back %v", got)
		}
		if got := bodies(into); len(got) != 2 || got[0] != "sonradan" || got[1] != stays[len(stays)-1].Body {
			t.Errorf("the other has %v", got)
		}
		if list := in.scheduled(from, "?state=waiting"); len(list) != 1 {
			t.Errorf("got %+v", list)
		}
		if !in.audited("conversation.unmerged", from.String()) {
			t.Error("the audit log does not know")
		}
		if e := in.Owner.Post(path+"/unmerge", nil).Refused(409, "conflict"); e.Reason != "not_merged" {
			t.Errorf("got %+v", e)
		}
		in.Owner.Post(base+"/"+uuid.NewString()+"/unmerge", nil).Refused(404, "not_found")
	})
}

// A merge cannot be undone if the customer has another conversation on the messaging
// account by now, or if the other conversation was itself merged since.
func TestUnmergeRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		p := twoCustomers(t, s)
		p.merge() // the contacts, and so the conversations on one account
		if e := p.Owner.Post(base+"/"+p.bora.ID.String()+"/unmerge", nil).Refused(409, "conflict"); e.Reason != "single_thread" {
			t.Errorf("got %+v", e)
		}
		first, second, third := p.begin(), p.begin(), p.begin()
		p.Owner.Post(base+"/"+first.String()+"/merge", map[string]any{"into_id": second}).Want(200)
		p.Owner.Post(base+"/"+second.String()+"/merge", map[string]any{"into_id": third}).Want(200)
		if e := p.Owner.Post(base+"/"+first.String()+"/unmerge", nil).Refused(409, "conflict"); e.Reason != "conversation_merged" {
			t.Errorf("got %+v", e)
		}
		p.Owner.Post(base+"/"+second.String()+"/unmerge", nil).Want(200)
		p.Owner.Post(base+"/"+first.String()+"/unmerge", nil).Want(200)
		if n := len(p.items(first)); n == 0 {
			t.Error("the first has nothing")
		}
	})
}
