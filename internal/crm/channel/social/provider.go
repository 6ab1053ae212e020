package social

import (
	"context"
	"io"
	"time"

	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/secret"
)

// Access opens a page at the provider, for messages of one kind.
type Access struct {
	Kind   string
	PageID string
	Token  secret.Text
}

// App is the provider's app that receives a page's messages.
type App struct {
	ID     string
	Secret secret.Text
}

// Refusal is an error response from the provider.
type Refusal = meta.Refusal

// Provider is the service behind the channel. It refuses with a *Refusal; after any other
// error it is unknown whether the call succeeded.
type Provider interface {
	// Page returns a page, with the app that the token belongs to.
	Page(ctx context.Context, a Access) (Page, error)
	// Webhook returns the address that currently receives an app's events of a kind, "" for
	// none.
	Webhook(ctx context.Context, app App, kind string) (string, error)
	// SetWebhook makes the provider send an app's events of a kind to an address, which it
	// first verifies with the token.
	SetWebhook(ctx context.Context, app App, kind, address, token string) error
	// Subscribe makes a page send its events to its app.
	Subscribe(ctx context.Context, a Access) error
	Unsubscribe(ctx context.Context, a Access) error
	// Send returns the provider's id of the message.
	Send(ctx context.Context, a Access, m Message) (string, error)
	// Upload stores a file that a message can refer to.
	Upload(ctx context.Context, a Access, f OutgoingFile) (attachmentID string, err error)
	// React sets the reaction to a message; an empty one removes it.
	React(ctx context.Context, a Access, to, messageID, emoji string) error
	// MarkSeen shows a customer that their messages were read.
	MarkSeen(ctx context.Context, a Access, to string) error
	// ShowTyping shows a customer that somebody is typing.
	ShowTyping(ctx context.Context, a Access, to string) error
	// Profile returns a customer's names.
	Profile(ctx context.Context, a Access, id string) (Profile, error)
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, address string) (kind string, content io.ReadCloser, err error)

	meta.CallProvider[Access]

	// Signed reports whether the provider signed a call with the app's secret.
	Signed(appSecret secret.Text, body []byte, signature string) bool
	// Read decodes a webhook call of the provider.
	Read(body []byte) ([]Event, error)
}

// Page is what the provider reports about a page.
type Page struct {
	ID, Name string
	// InstagramID and Username are those of the page's Instagram account, "" for none.
	InstagramID, Username string
	AppID                 string
}

// Profile is what the provider reports about a customer.
type Profile struct{ Name, Username string }

// Kinds of file.
const (
	FileImage = "image"
	FileVideo = "video"
	FileAudio = "audio"
	FileOther = "file"
)

// OutgoingFile is a file of a message.
type OutgoingFile struct {
	Name, Type, Kind string
	Content          io.Reader
}

// Message is what is sent to one customer: a text, with or without choices, or a file.
type Message struct {
	To, Text string
	// AttachmentID is an uploaded file of the kind FileKind.
	AttachmentID, FileKind string
	Choices                []Choice
	// Human marks a reply by a person after the window has closed.
	Human bool
	// Mark is returned with the page's own copy of the message.
	Mark string
}

// Choice is an answer that the customer can select.
type Choice struct{ Text, Data string }

// Event is one event of an account. At most one of the pointers is set; none if the event
// is of a type that we do not use.
type Event struct {
	Kind string
	// Account is the page or the Instagram account.
	Account  string
	Message  *Received
	Edited   *Received // the message as edited by its author
	Reaction *Reaction
	Read     *ReadReport
	Arrived  []string // our messages that reached the customer
	At       time.Time
}

// Received is a message between a customer and the account.
type Received struct {
	ID string
	// Customer is the customer in the conversation; OfPage is set if the account's own side
	// wrote it.
	Customer string
	OfPage   bool
	// AppID and Mark are set if an app sent the message in the page's name.
	AppID, Mark string
	Text        string
	Files       []RemoteFile
	// Choice is the data of the choice or button that the customer selected.
	Choice string
	// Deleted is set if its author deleted it, Unsupported if the provider does not hand it
	// over.
	Deleted, Unsupported bool
	// ReplyTo is the message that it replies to, "" for none.
	ReplyTo string
	// Detail holds what the message contains besides its text.
	Detail map[string]any
}

// RemoteFile is a file stored at the provider, identified by its address.
type RemoteFile = transport.RemoteFile

// Reaction is a customer's reaction to a message, "" if they removed it.
type Reaction struct{ MessageID, Emoji string }

// ReadReport reports what a customer has read: one message, or all until a time.
type ReadReport struct {
	Customer, MessageID string
	Until               time.Time
}
