package finder

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/search"
)

// ConversationHit is a conversation that was found.
type ConversationHit struct {
	Conversation conversation.Conversation `json:"conversation"`
	Subject      string                    `json:"subject" example:"<em>Teslimat</em> tarihi" doc:"Subject as escaped HTML with matches in <em>"`
	ContactName  string                    `json:"contact_name" example:"Elif Kaya" doc:"Customer's name, marked up like the subject"`
	Snippet      string                    `json:"snippet" example:"… <em>teslimat</em> ne zaman …" doc:"Best-matching passage of the messages, marked up like the subject"`
	ItemID       *uuid.UUID                `json:"item_id" nullable:"true" format:"uuid" doc:"Message or note that the snippet is from"`
}

// ContactHit is a contact that was found.
type ContactHit struct {
	Contact contact.Contact `json:"contact"`
	Name    string          `json:"name" example:"<em>Elif</em> Kaya" doc:"Name as escaped HTML with matches in <em>"`
	Detail  string          `json:"detail" example:"<em>elif</em>@kayamobilya.example" doc:"Address, number, company or tag that matched, marked up like the name; empty if none did"`
}

// Query is a search.
type Query struct {
	Text           string
	State, Channel string // "" for any
	Kind           string
	Narrow         Narrowing // of conversations
}

// A kind is a kind of record, conversations or contacts, with its own index.
type kind struct {
	name   string
	schema search.Schema
	// after returns the documents of existing records in the order of ids, and the last id
	// that it read, nil at the end.
	after func(r *db.Reader, after uuid.UUID, limit int) ([]search.Document, *uuid.UUID, error)
}

const (
	conversations = iota
	contacts
	kindCount
)

// Attributes to filter by.
const (
	attrState   = "state"
	attrChannel = "channel"
	attrKind    = "kind"
)

// tuning returns the ranking parameters. A conversation has few words compared with a law,
// and a customer who writes "teslimat" five times is no better match than one who writes it
// once.
func tuning() search.Tuning {
	t := search.DefaultTuning()
	t.K1, t.Context, t.Synonym = 1.2, 0, 0
	return t
}

var kinds = [kindCount]kind{
	conversations: {
		name: "conversations",
		schema: search.Schema{
			Fields: []search.Field{{Name: "subject", Weight: 3, B: .3}, {Name: "people", Weight: 3, B: .3}, {Name: "tags", Weight: 2, B: 0}, {Name: "text", Weight: 1, B: .6}},
			Attrs:  []string{attrState, attrChannel}, Tuning: tuning(),
		},
		after: func(r *db.Reader, after uuid.UUID, limit int) ([]search.Document, *uuid.UUID, error) {
			rows, err := conversation.SearchAfter(r, after, limit)
			if err != nil || len(rows) == 0 {
				return nil, nil, err
			}
			texts, err := conversation.Texts(r, idsOf(rows), mostTexts)
			if err != nil {
				return nil, nil, err
			}
			docs, err := conversationDocuments(r, rows, join(texts))
			return docs, &rows[len(rows)-1].ID, err
		},
	},
	contacts: {
		name: "contacts",
		schema: search.Schema{
			Fields: []search.Field{{Name: "name", Weight: 3, B: .2}, {Name: "addresses", Weight: 2, B: .2}, {Name: "company", Weight: 2, B: .2}, {Name: "tags", Weight: 1, B: 0}},
			Attrs:  []string{attrKind}, Tuning: tuning(),
		},
		after: func(r *db.Reader, after uuid.UUID, limit int) ([]search.Document, *uuid.UUID, error) {
			rows, err := contact.SearchAfter(r, after, limit)
			if err != nil || len(rows) == 0 {
				return nil, nil, err
			}
			return people(rows), &rows[len(rows)-1].ID, nil
		},
	},
}

const (
	// mostTexts and mostBytes limit what is indexed of one conversation, the newest first:
	// nobody searches for the ten-thousandth message before the last.
	mostTexts = 2000
	mostBytes = 128 << 10
)

func idsOf(rows []conversation.Conversation) []uuid.UUID {
	return each.Map(rows, func(c conversation.Conversation) uuid.UUID { return c.ID })
}

// conversationDocuments builds the documents of conversations from their rows, their
// customers and what was written in each.
func conversationDocuments(r *db.Reader, rows []conversation.Conversation, texts map[uuid.UUID]string) ([]search.Document, error) {
	who := each.Map(rows, func(c conversation.Conversation) uuid.UUID { return c.ContactID })
	customers, err := contact.SearchOf(r, who)
	if err != nil {
		return nil, err
	}
	reach := map[uuid.UUID]string{}
	for _, c := range customers {
		reach[c.ID] = c.Company + "\n" + addresses(c)
	}
	return each.Map(rows, func(c conversation.Conversation) search.Document {
		return search.Document{
			ID:     c.ID.String(),
			Fields: []string{c.Subject, c.ContactName + "\n" + reach[c.ContactID], strings.Join(c.Tags, "\n"), texts[c.ID]},
			Attrs:  []string{string(c.State), c.Channel},
		}
	}), nil
}

// people builds the documents of contacts.
func people(rows []contact.Contact) []search.Document {
	return each.Map(rows, func(c contact.Contact) search.Document {
		return search.Document{
			ID:     c.ID.String(),
			Fields: []string{strings.Join([]string{c.Name, c.FirstName, c.LastName}, "\n"), addresses(c), c.Company, strings.Join(c.Tags, "\n")},
			Attrs:  []string{c.Kind},
		}
	})
}

// addresses returns a contact's addresses in the forms that people search for: a number
// also without the country code, and by its last digits.
func addresses(c contact.Contact) string {
	var b strings.Builder
	for _, e := range c.Emails {
		b.WriteString(e.Address + "\n")
	}
	for _, p := range c.Phones {
		digits := strings.TrimPrefix(p.E164, "+")
		b.WriteString(digits + "\n")
		if n, ok := strings.CutPrefix(digits, "90"); ok {
			b.WriteString(n + "\n0" + n + "\n")
		}
		if len(digits) > 7 {
			b.WriteString(digits[len(digits)-7:] + "\n" + digits[len(digits)-4:] + "\n")
		}
	}
	for _, i := range c.Identities {
		b.WriteString(i.Username + "\n")
	}
	if c.ExternalID != nil {
		b.WriteString(*c.ExternalID + "\n")
	}
	return b.String()
}

// joinDigits joins a number that was typed in groups, such as "0532 123 45 67".
func joinDigits(text string) string {
	digits := 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune(" +-()./", r):
			return text
		}
	}
	if digits < 4 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}
