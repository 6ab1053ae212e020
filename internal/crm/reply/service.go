package reply

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/policy"
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
	// Policy decides what may leave by e-mail, and Senders knows the addresses
	// of mailboxes.
	Policy  policy.Policy
	Senders Senders
	// Signatures knows how agents sign their e-mail.
	Signatures Signatures
}

// Signatures knows what an agent's e-mail ends with.
type Signatures interface {
	// Signature is written in Markdown, "" for none.
	Signature(r *db.Reader, agent uuid.UUID) (string, error)
}

// Senders knows as whom a mailbox sends.
type Senders interface {
	// SenderAddress is the address of a mailbox, "" for another account.
	SenderAddress(r *db.Reader, account uuid.UUID) (string, error)
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
	policy    policy.Policy
	senders   Senders

	signatures Signatures
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		db: c.DB, gate: c.Conversations, inbound: c.Inbound, contacts: c.Contacts, agents: c.Agents,
		templates: c.Templates, forwarder: c.Forwarder, policy: c.Policy, senders: c.Senders, signatures: c.Signatures,
	}
}

func (s *Service) tenant(ctx context.Context) db.Handle { return s.gate.Tenant(ctx) }
