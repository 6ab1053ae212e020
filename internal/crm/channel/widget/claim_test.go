package widget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
)

const contacts = "/api/crm/v1/contacts"

func (c *chat) contact(id uuid.UUID) (out contact.Contact) {
	c.t.Helper()
	c.Owner.Get(contacts + "/" + id.String()).Want(200).Data(&out)
	return out
}

func (c *chat) customerOf(id *uuid.UUID) (out conversation.Conversation) {
	c.t.Helper()
	c.Owner.Get(conversations + "/" + id.String()).Want(200).Data(&out)
	return out
}

// says writes as a visitor who gives an e-mail address and a number.
func (c *chat) says(v *apptest.Client, body, email, phone string) (out widget.Written) {
	c.t.Helper()
	v.Post(c.path("/messages"), map[string]any{"body": body, "name": "Elif", "email": email, "phone": phone}).Want(200).Data(&out)
	return out
}

// A visitor who types a known address is not treated as that customer until an agent links
// the claim, and linking can be undone.
func TestTypedAddressIsOnlyClaim(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		var elif contact.Contact
		c.Owner.Post(contacts, map[string]any{"name": "Elif Kaya", "emails": []string{"elif@kaya.example"}, "phones": []string{"+905321234567"}}).Want(201).Data(&elif)

		v := c.visitor()
		wrote := c.says(v, "Siparişim nerede?", "Elif@kaya.example", "0532 123 45 67")
		visitor := c.contact(c.customerOf(wrote.Session.ConversationID).ContactID)
		if visitor.ID == elif.ID || len(visitor.Emails)+len(visitor.Phones) != 0 || len(visitor.Identities) != 1 {
			t.Fatalf("the visitor became %+v", visitor)
		}
		if len(visitor.Claims) != 2 {
			t.Fatalf("claims: %+v", visitor.Claims)
		}
		for _, k := range visitor.Claims {
			if k.Source != "widget" || k.Proof != nil || k.Match.V == nil || *k.Match.V != (contact.ClaimMatch{ID: elif.ID, Name: "Elif Kaya"}) {
				t.Errorf("claim: %+v", k)
			}
		}
		// Repeating it creates no second claim, and no claim of anybody else.
		c.says(v, "Orada mısınız?", "elif@kaya.example", "")
		if other := c.customerOf(c.says(c.visitor(), "Ben de Elif", "elif@kaya.example", "").Session.ConversationID); other.ContactID == visitor.ID || other.ContactID == elif.ID {
			t.Error("two visitors are one")
		}
		if again := c.contact(visitor.ID); len(again.Claims) != 2 {
			t.Errorf("claims: %+v", again.Claims)
		}
		var found []contact.Contact
		c.Owner.Get(contacts + "?q=elif@kaya.example").Want(200).Data(&found)
		if len(found) != 1 || found[0].ID != elif.ID {
			t.Errorf("found by the address: %+v", found)
		}

		link := fmt.Sprintf("%s/%s/claims/%s/link", contacts, visitor.ID, visitor.Claims[0].ID)
		c.Guest().Post(link, nil).Refused(403, "forbidden")
		c.Key(true, "crm.contacts.manage", "crm.contacts.view").Post(link, nil).Refused(401, "session_required")
		c.Owner.Post(fmt.Sprintf("%s/%s/claims/%s/link", contacts, elif.ID, visitor.Claims[0].ID), nil).Refused(404, "not_found")
		var linked contact.ClaimResult
		c.Owner.Post(link, nil).Want(200).Data(&linked)
		if linked.Contact.ID != elif.ID || linked.Merge.V == nil || linked.Merge.V.LoserID != visitor.ID || len(linked.Contact.Claims) != 2 {
			t.Fatalf("linked: %+v", linked)
		}
		k := linked.Contact.Claims[0]
		if k.ID != visitor.Claims[0].ID || k.Proof == nil || *k.Proof != "agent" || k.ProvenAt == nil || k.ProvenBy == nil || *k.ProvenBy != c.Member {
			t.Errorf("proof: %+v", k)
		}
		if got := c.customerOf(wrote.Session.ConversationID).ContactID; got != elif.ID {
			t.Errorf("the conversation is of %s", got)
		}
		c.Owner.Post(fmt.Sprintf("%s/%s/claims/%s/link", contacts, elif.ID, k.ID), nil).Refused(409, "conflict")
		if log := c.Owner.Get("/api/v1/auth/audit").Want(200); !strings.Contains(string(log.Body), "contact.claim_linked") {
			t.Error("the audit log says nothing")
		}
		c.write(v, "Buradayım", "")

		c.Owner.Post(contacts+"/merges/"+linked.Merge.V.ID.String()+"/undo", nil).Want(200)
		back := c.contact(visitor.ID)
		if len(back.Claims) != 2 || back.Claims[0].Proof != nil || back.Claims[0].Match.V == nil || len(back.Emails) != 0 {
			t.Errorf("after the undo: %+v", back)
		}
		if kept := c.contact(elif.ID); len(kept.Emails) != 1 || len(kept.Claims) != 0 {
			t.Errorf("after the undo: %+v", kept)
		}
	})
}

// A claim of an address that nobody has becomes the visitor's own address.
func TestLinkingUnknownAddress(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		v := c.visitor()
		var id uuid.UUID
		for i := range 25 {
			id = c.customerOf(c.says(v, "Merhaba", fmt.Sprintf("yeni%d@kaya.example", i), "").Session.ConversationID).ContactID
		}
		visitor := c.contact(id)
		if len(visitor.Claims) != 20 || visitor.Claims[0].Match.V != nil {
			t.Fatalf("%d claims, %+v", len(visitor.Claims), visitor.Claims[0])
		}
		var linked contact.ClaimResult
		c.Owner.Post(fmt.Sprintf("%s/%s/claims/%s/link", contacts, id, visitor.Claims[3].ID), nil).Want(200).Data(&linked)
		if linked.Merge.V != nil || len(linked.Contact.Emails) != 1 || linked.Contact.Emails[0].Address != "yeni3@kaya.example" || !linked.Contact.Emails[0].Primary {
			t.Errorf("linked: %+v", linked)
		}
		if events := c.Events(); !slices.Contains(events, "contact.updated") {
			t.Errorf("events: %v", events)
		}
		// A deleted contact leaves no claim behind.
		c.Owner.Delete(contacts + "/" + id.String()).Want(200)
		c.Owner.Post(fmt.Sprintf("%s/%s/claims/%s/link", contacts, id, visitor.Claims[4].ID), nil).Refused(404, "not_found")
	})
}

// A customer and the visitors who claim an address or a number of theirs are
// suggested to each other, until one is linked.
func TestClaimsAreSuggestedAsDuplicates(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		var elif contact.Contact
		c.Owner.Post(contacts, map[string]any{"name": "Elif Kaya", "emails": []string{"elif@kaya.example"}, "phones": []string{"+905321234567"}}).Want(201).Data(&elif)
		first := c.customerOf(c.says(c.visitor(), "Merhaba", "elif@kaya.example", "0532 123 45 67").Session.ConversationID).ContactID
		second := c.customerOf(c.says(c.visitor(), "Merhaba", "elif@kaya.example", "").Session.ConversationID).ContactID
		duplicates := func(id uuid.UUID) (out []contact.Duplicate) {
			t.Helper()
			c.Owner.Get(contacts + "/" + id.String() + "/duplicates").Want(200).Data(&out)
			return out
		}
		want := func(id uuid.UUID, others ...string) {
			t.Helper()
			var got []string
			for _, d := range duplicates(id) {
				got = append(got, fmt.Sprint(d.Contact.ID, d.Reasons))
			}
			if !slices.Equal(got, others) {
				t.Errorf("duplicates of %s: %q, want %q", id, got, others)
			}
		}
		both, mail := []string{contact.SameEmail, contact.SamePhone}, []string{contact.SameEmail}
		want(elif.ID, fmt.Sprint(first, both), fmt.Sprint(second, mail))
		want(first, fmt.Sprint(elif.ID, both), fmt.Sprint(second, mail))
		c.Owner.Post(fmt.Sprintf("%s/%s/claims/%s/link", contacts, second, c.contact(second).Claims[0].ID), nil).Want(200)
		want(elif.ID, fmt.Sprint(first, both))
	})
}
