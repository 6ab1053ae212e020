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

// What became of a message, in the words of the platform document.
const (
	Sent     = "sent"   // the channel's provider accepted it
	Queued   = "queued" // it is on its way
	Failed   = "failed" // it was tried and rejected
	NotGoing = "none"   // there is no route to the customer
)

// Route is a way to a customer.
type Route struct {
	Channel   string
	AccountID uuid.UUID
	// Address is the customer on that account.
	Address string
}

// Wish is what an answer asks of the router: the conversation's own route, or
// another channel or account of the customer.
type Wish struct {
	Contact   contact.Contact
	Channel   string     // "" for any
	AccountID *uuid.UUID // nil for any
}

// Outgoing is a message that was written and has to be carried out.
type Outgoing struct {
	ConversationID uuid.UUID
	ItemID         uuid.UUID
	ContactID      uuid.UUID
	Route          Route
	Subject, Body  string
	// Markdown says that Body is written in it; only e-mail carries it.
	Markdown    bool
	Attachments []file.Outgoing
	// Template is what is sent instead of free text, which Body then shows.
	Template *template.Filled
	// Awaited says that Push follows: whoever wrote it waits for the outcome.
	Awaited bool
	// EmailCC gets a copy, where the message goes by e-mail.
	EmailCC []string
}

// Delivery is what became of an outgoing message.
type Delivery struct {
	Status string // Sent, Queued or Failed
	Error  string // why it failed, or waits
	// ProviderMessageID is how the provider calls it.
	ProviderMessageID string
	// DeliveredAt and ReadAt are when the customer's device got it and when they
	// opened it, nil where the report does not say so.
	DeliveredAt, ReadAt *clock.Time
	// Refused are recipients of copies who did not get it while others did.
	Refused []RefusedRecipient
}

// RefusedRecipient is somebody whom a message did not reach while it reached
// others. They stand in the item's detail as refused_recipients.
type RefusedRecipient struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

// Router carries messages to customers. Channels implement it; a workspace
// without any has no route to anybody.
type Router interface {
	// Connected says on which channels the workspace has an active account.
	Connected(r *db.Reader) (map[string]bool, error)
	// Route finds the way for a wish, nil where there is none. Where an account
	// leads to the customer and refuses, with a fault such as window_closed, the
	// account comes together with its refusal.
	Route(r *db.Reader, w Wish) (*Route, error)
	// HasAccount says whether an account is the workspace's and on a channel.
	HasAccount(r *db.Reader, channel string, account uuid.UUID) (bool, error)
	// Take makes the message durable on its way, in the transaction that
	// writes it.
	Take(tx *db.Tx, m Outgoing) error
	// Push tries to carry out now what was taken, for callers who wait for the
	// outcome. It reports through its answer, not through Delivered.
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

// Asker is a router that can ask for a rating; not every channel can.
type Asker interface {
	// Ask makes the question durable on its way and says whether the channel
	// can carry it.
	Ask(tx *db.Tx, q Question) (bool, error)
}

// OutgoingReaction is a sign on a message; an empty one takes it away.
type OutgoingReaction struct {
	ConversationID    uuid.UUID
	ItemID            uuid.UUID
	ContactID         uuid.UUID
	Route             Route
	ProviderMessageID string
	// OwnMessage says that the message was ours, not the customer's.
	OwnMessage bool
	Emoji      string
}

// Receipter is implemented by a router some of whose channels tell customers
// that their messages were read.
type Receipter interface {
	// Seen is called in the transaction in which an agent reads a conversation,
	// with the newest message of the customer.
	Seen(tx *db.Tx, channel string, account uuid.UUID, providerMessageID string) error
}

// Reactor is implemented by a router some of whose channels have reactions.
type Reactor interface {
	// React asks the channel's provider; it is called outside any transaction.
	// A channel without reactions answers reaction_unsupported with the reason
	// channel_unsupported.
	React(ctx context.Context, r OutgoingReaction) error
	// Reacts says whether a channel has reactions at all.
	Reacts(channel string) bool
}

// TemplateRouter is implemented by a router some of whose channels send
// templates.
type TemplateRouter interface {
	// RouteTemplate finds the way of a template to a customer, open window or
	// not; nil where there is none.
	RouteTemplate(r *db.Reader, to contact.Contact, t *template.Template) (*Route, error)
	// Window says until when an account takes free text for a customer; nil
	// where it has no window, or none was ever open. Bound says whether it has
	// windows at all.
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
