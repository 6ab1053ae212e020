package inbound

import (
	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/kit/db"
)

// Config is what the package needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
	Contacts      *contact.Book
	Agents        conversation.Agents
	// Edits keeps changes that arrive before their message.
	Edits *edit.Service
	// Tests is notified of incoming messages; nil if nothing is tested.
	Tests Tests
	// Assistant is notified of customers' messages; nil if there is none.
	Assistant Assistant
}

// Assistant answers customers. The module that runs it implements this.
type Assistant interface {
	// MessageReceived is called in the transaction of a message on an account where the
	// assistant is on. If reopened is true, the message reopened a closed conversation.
	MessageReceived(tx *db.Tx, c conversation.Conversation, item conversation.Item, reopened bool) error
	// CustomerReacted is called in the transaction of a customer's reaction to a message of
	// the assistant; sign is empty if they removed it.
	CustomerReacted(tx *db.Tx, c conversation.Conversation, item conversation.Item, sign string) error
}

// Tests waits for the codes that people send to test whether messages arrive. The channels
// implement it.
type Tests interface {
	// MessageArrived is called in the transaction of a customer's message.
	MessageArrived(tx *db.Tx, account uuid.UUID, text string) error
}

// Service processes what channels bring and report.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }
