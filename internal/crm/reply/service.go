package reply

import (
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
	// Templates are message templates, nil if there are none.
	Templates *template.Service
	// Forwarder sends forwarded messages.
	Forwarder Forwarder
	// Policy decides what may be sent, and Senders returns the addresses of mailboxes.
	Policy  policy.Policy
	Senders Senders
	// Signatures returns the signatures of agents.
	Signatures Signatures
}

// Signatures returns the text that an agent's e-mail ends with.
type Signatures interface {
	// Signature returns it in Markdown, "" for none.
	Signature(r *db.Reader, agent uuid.UUID) (string, error)
}

// Senders returns the addresses that mailboxes send from.
type Senders interface {
	// SenderAddress returns the address of a mailbox, "" for another account.
	SenderAddress(r *db.Reader, account uuid.UUID) (string, error)
}

// Service sends messages to customers.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }
