package inbound

import (
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
)

// Config is what the package needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Contacts      *contact.Book
	Agents        conversation.Agents
}

// Service takes what channels bring and report.
type Service struct {
	db       *db.DB
	gate     *conversation.Service
	contacts *contact.Book
	agents   conversation.Agents
}

// New makes the service.
func New(c Config) *Service {
	return &Service{db: c.DB, gate: c.Conversations, contacts: c.Contacts, agents: c.Agents}
}
