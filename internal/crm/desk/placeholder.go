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
)

// placeholder is {{name}} or {{name|what stands there when it is empty}}.
var placeholder = regexp.MustCompile(`\{\{\s*([a-z_.]*)\s*(?:\|([^{}]*))?\}\}`)

// values are what placeholders are filled with.
type values struct {
	contact      contact.Contact
	conversation conversation.Conversation
	agent        string
}

// Placeholders are the names that a text may hold.
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

// placeholdersKnown says whether every placeholder of a text has a meaning.
func placeholdersKnown(text string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(Placeholders, m[1]) {
			return false
		}
	}
	return true
}

// fill fills the placeholders and lists those that were left empty.
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

// render fills a text for a conversation and whoever writes it.
func (s *Service) render(r *db.Reader, c conversation.Conversation, text string) (string, []string, error) {
	if !placeholder.MatchString(text) {
		return text, []string{}, nil
	}
	v := values{conversation: c}
	var err error
	if v.contact, err = s.contacts.Whole(r, c.ContactID); err != nil && !db.IsNoRow(err) {
		return "", nil, err
	}
	if me := caller.From(r.Context()).ID; strings.Contains(text, "agent.") && me != uuid.Nil {
		names, err := s.agents.AgentNames(r, []uuid.UUID{me})
		if err != nil {
			return "", nil, err
		}
		v.agent = names[me]
	}
	out, empty := v.fill(text)
	return out, empty, nil
}
