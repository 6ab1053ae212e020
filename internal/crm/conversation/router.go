package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// The delivery states of a message, in the words of the platform document.
const (
	Sent     = "sent"   // the channel's provider accepted it
	Queued   = "queued" // it is on its way
	Failed   = "failed" // it was tried and rejected
	NotGoing = "none"   // there is no route to the customer
)

// Route is a route to a customer.
type Route struct {
	Channel   string
	AccountID uuid.UUID
	// Address is the customer's address on that account.
	Address string
}

// Wish is the route that an answer asks for: the conversation's own, or another channel or
// account of the customer.
type Wish struct {
	Contact   contact.Contact
	Channel   string     // "" for any
	AccountID *uuid.UUID // nil for any
}

// Outgoing is a message that has to be sent.
type Outgoing struct {
	ConversationID uuid.UUID
	ItemID         uuid.UUID
	ContactID      uuid.UUID
	Route          Route
	Subject, Body  string
	// Markdown means that Body is written in Markdown; only e-mail carries it.
	Markdown    bool
	Attachments []file.Outgoing
	// Template is sent instead of free text; Body then shows its text.
	Template *template.Filled
	// Awaited means that Push follows: the writer waits for the outcome.
	Awaited bool
	// EmailCC gets a copy if the message goes by e-mail.
	EmailCC []string
}

// Delivery is the result of sending a message.
type Delivery struct {
	Status string // Sent, Queued or Failed
	Error  string // why it failed, or waits
	// ProviderMessageID is the provider's id of the message.
	ProviderMessageID string
	// DeliveredAt and ReadAt are when the customer's device received the message and when
	// they opened it; nil if the report does not say.
	DeliveredAt, ReadAt *clock.Time
	// Refused lists the recipients who did not get the message while others did.
	Refused []RefusedRecipient
}

// RefusedRecipient is a recipient whom a message did not reach while it reached others. The
// item's detail lists them as refused_recipients.
type RefusedRecipient struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

// Router carries messages to customers. Channels implement it; a workspace without channels
// has no route to anybody.
type Router interface {
	// Connected returns the channels on which the workspace has an active account.
	Connected(r *db.Reader) (map[string]bool, error)
	// Route finds the route for a wish, or nil if there is none. If an account leads to the
	// customer but refuses, with a fault such as window_closed, it returns the account
	// together with the fault.
	Route(r *db.Reader, w Wish) (*Route, error)
	// HasAccount reports whether the workspace has this account and it is on this channel.
	HasAccount(r *db.Reader, channel string, account uuid.UUID) (bool, error)
	// Take queues the message durably, in the transaction that writes it.
	Take(tx *db.Tx, m Outgoing) error
	// Push tries to send a taken message now, for callers who wait for the outcome. It
	// reports through its return value, not through RecordOutcome.
	Push(ctx context.Context, m Outgoing) (Delivery, error)
}

// Question asks a customer how a conversation went.
type Question struct {
	SurveyID       uuid.UUID
	ConversationID uuid.UUID
	ContactID      uuid.UUID
	Route          Route
	ExpiresAt      clock.Time
}

// Asker is implemented by a router that can ask for a rating; not every channel can.
type Asker interface {
	// Ask queues the question durably and reports whether the channel can carry it.
	Ask(tx *db.Tx, q Question) (bool, error)
}

// OutgoingReaction is a reaction to a message; an empty sign removes it.
type OutgoingReaction struct {
	ConversationID    uuid.UUID
	ItemID            uuid.UUID
	ContactID         uuid.UUID
	Route             Route
	ProviderMessageID string
	// OwnMessage means that the message was ours, not the customer's.
	OwnMessage bool
	Emoji      string
}

// Receipter is implemented by a router some of whose channels tell customers
// that their messages were read.
type Receipter interface {
	// MarkSeen is called in the transaction in which an agent reads a conversation,
	// with the newest message of the customer.
	MarkSeen(tx *db.Tx, channel string, account uuid.UUID, providerMessageID string) error
}

// Reactor is implemented by a router some of whose channels have reactions.
type Reactor interface {
	// React sends the reaction to the channel's provider; it is called outside any
	// transaction. A channel without reactions returns reaction_unsupported with the reason
	// channel_unsupported.
	React(ctx context.Context, r OutgoingReaction) error
	// Reacts reports whether a channel has reactions at all.
	Reacts(channel string) bool
}

// TemplateRouter is implemented by a router some of whose channels send
// templates.
type TemplateRouter interface {
	// RouteTemplate finds the route of a template to a customer, whether or not a window is
	// open; nil if there is none.
	RouteTemplate(r *db.Reader, to contact.Contact, t *template.Template) (*Route, error)
	// Window returns until when an account takes free text for a customer; nil if it has no
	// window or none was ever open. Bound reports whether it has windows at all.
	Window(r *db.Reader, account uuid.UUID, to contact.Contact) (until *clock.Time, bound bool, err error)
}

// NoRouter is the router of a workspace without channels.
type NoRouter struct{}

// HasAccount implements Router.
func (NoRouter) HasAccount(*db.Reader, string, uuid.UUID) (bool, error) { return false, nil }

// Connected implements Router.
func (NoRouter) Connected(*db.Reader) (map[string]bool, error) { return map[string]bool{}, nil }

// Route implements Router.
func (NoRouter) Route(*db.Reader, Wish) (*Route, error) { return nil, nil }

// Take implements Router.
func (NoRouter) Take(*db.Tx, Outgoing) error { return nil }

// Push implements Router.
func (NoRouter) Push(context.Context, Outgoing) (Delivery, error) {
	return Delivery{Status: Queued}, nil
}
