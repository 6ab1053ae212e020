package desk

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// placeholder matches {{name}} or {{name|text to use if it is empty}}.
var placeholder = regexp.MustCompile(`\{\{\s*([a-z_.]*)\s*(?:\|([^{}]*))?\}\}`)

// values are the values for placeholders.
type values struct {
	contact      contact.Contact
	conversation conversation.Conversation
	agent        string
}

// Placeholders are the names that a text may contain.
var Placeholders = []string{
	"contact.name", "contact.first_name", "contact.last_name", "contact.company", "contact.email", "contact.phone",
	"agent.name", "conversation.subject",
}

func (v *values) get(name string) string {
	switch name {
	case "contact.name":
		return v.contact.Name
	case "contact.first_name":
		return v.contact.FirstName
	case "contact.last_name":
		return v.contact.LastName
	case "contact.company":
		return v.contact.Company
	case "contact.email":
		if len(v.contact.Emails) > 0 {
			return v.contact.Emails[0].Address
		}
	case "contact.phone":
		if len(v.contact.Phones) > 0 {
			return v.contact.Phones[0].E164
		}
	case "agent.name":
		return v.agent
	case "conversation.subject":
		return v.conversation.Subject
	}
	return ""
}

// placeholdersKnown reports whether every placeholder of a text is known.
func placeholdersKnown(text string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(Placeholders, m[1]) {
			return false
		}
	}
	return true
}

// fill replaces the placeholders and lists those without a value.
func (v *values) fill(text string) (out string, empty []string) {
	empty = []string{}
	out = placeholder.ReplaceAllStringFunc(text, func(m string) string {
		parts := placeholder.FindStringSubmatch(m)
		if value := strings.TrimSpace(v.get(parts[1])); value != "" {
			return value
		}
		if fallback := strings.TrimSpace(parts[2]); fallback != "" {
			return fallback
		}
		if !slices.Contains(empty, parts[1]) {
			empty = append(empty, parts[1])
		}
		return ""
	})
	return out, empty
}

// render fills in a text for a conversation and the caller.
func (s *Service) render(r *db.Reader, c conversation.Conversation, text string) (string, []string, error) {
	if !placeholder.MatchString(text) {
		return text, []string{}, nil
	}
	v, err := s.valuesOf(r, c)
	if err != nil {
		return "", nil, err
	}
	out, empty := v.fill(text)
	return out, empty, nil
}

// valuesOf reads the values of the placeholders for a conversation and the caller.
func (s *Service) valuesOf(r *db.Reader, c conversation.Conversation) (v values, err error) {
	v.conversation = c
	if v.contact, err = s.Contacts.Whole(r, c.ContactID); err != nil && !db.IsNoRow(err) {
		return v, err
	}
	me := caller.From(r.Context()).ID
	if me == uuid.Nil {
		return v, nil
	}
	names, err := s.Agents.AgentNames(r, []uuid.UUID{me})
	v.agent = names[me]
	return v, err
}

// previewFor returns a function that fills in texts for a conversation before they are
// used. A text that would have a gap is returned unchanged, so that the agent sees the
// placeholder. It fails with unknown_conversation, and if the caller may not see
// conversations.
func (s *Service) previewFor(r *db.Reader, id uuid.UUID) (func(text string) string, error) {
	if f := checkPermission(caller.From(r.Context()), perm.ConversationsView); f != nil {
		return nil, f
	}
	c, err := s.Conversations.Find(r, id)
	if db.IsNoRow(err) {
		return nil, fault.Invalid("conversation_id", "unknown_conversation")
	}
	if err != nil {
		return nil, err
	}
	v, err := s.valuesOf(r, c)
	return func(text string) string {
		if filled, empty := v.fill(text); len(empty) == 0 {
			return filled
		}
		return text
	}, err
}
