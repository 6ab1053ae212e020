package reply

import (
	"context"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
)

// Config is what the package needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Inbound       *inbound.Service
	Contacts      *contact.Book
	Agents        conversation.Agents
	// Templates are message templates, nil where there are none.
	Templates *template.Service
	// Forwarder sends forwarded messages.
	Forwarder Forwarder
}

// Service sends messages to customers.
type Service struct {
	db        *db.DB
	gate      *conversation.Service
	inbound   *inbound.Service
	contacts  *contact.Book
	agents    conversation.Agents
	templates *template.Service
	forwarder Forwarder
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		db: c.DB, gate: c.Conversations, inbound: c.Inbound, contacts: c.Contacts, agents: c.Agents,
		templates: c.Templates, forwarder: c.Forwarder,
	}
}

func (s *Service) tenant(ctx context.Context) db.Handle { return s.gate.Tenant(ctx) }
