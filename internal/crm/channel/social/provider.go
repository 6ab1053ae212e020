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

// App is the program that a page's messages are told to.
type App struct {
	ID     string
	Secret secret.Text
}

// Refusal is the provider's no.
type Refusal = meta.Refusal

// Provider is the service behind the channel. Its refusals are *Refusal; any other
// error means that nobody knows what became of the call.
type Provider interface {
	// Page says what a page is, and which app the token belongs to.
	Page(ctx context.Context, a Access) (Page, error)
	// Webhook is where an app's news of a kind are told now, "" for nowhere.
	Webhook(ctx context.Context, app App, kind string) (string, error)
	// SetWebhook makes the provider call an address with an app's news of a kind. It
	// asks the address with the token first.
	SetWebhook(ctx context.Context, app App, kind, address, token string) error
	// Subscribe lets a page tell its app what happens on it.
	Subscribe(ctx context.Context, a Access) error
	Unsubscribe(ctx context.Context, a Access) error
	// Send gives the provider's name for the message.
	Send(ctx context.Context, a Access, m Message) (string, error)
	// Upload stores a file that a message will name.
	Upload(ctx context.Context, a Access, f OutgoingFile) (attachmentID string, err error)
	// React puts a sign on a message; an empty one takes it away.
	React(ctx context.Context, a Access, to, messageID, emoji string) error
	// MarkSeen tells a customer that their messages were read.
	MarkSeen(ctx context.Context, a Access, to string) error
	// ShowTyping shows a customer that somebody writes to them.
	ShowTyping(ctx context.Context, a Access, to string) error
	// Profile is who a customer is.
	Profile(ctx context.Context, a Access, id string) (Profile, error)
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, address string) (kind string, content io.ReadCloser, err error)

	meta.CallProvider[Access]

	// Signed says whether the provider signed a call with the app's secret.
	Signed(appSecret secret.Text, body []byte, signature string) bool
	// Read reads a call of the provider.
	Read(body []byte) ([]Event, error)
}

// Page is what the provider says of a page.
type Page struct {
	ID, Name string
	// InstagramID and Username are the Instagram account of the page, "" for none.
	InstagramID, Username string
	AppID                 string
}

// Profile is what the provider says of a customer.
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

// Message is what is sent to one customer: a text with or without answers to choose
// from, or a file.
type Message struct {
	To, Text string
	// AttachmentID is an uploaded file of the kind FileKind.
	AttachmentID, FileKind string
	Choices                []Choice
	// Human says that a person answers after the window closed.
	Human bool
	// Mark comes back with the page's own copy of the message.
	Mark string
}

// Choice is an answer that the customer can choose.
type Choice struct{ Text, Data string }

// Event is one thing that the provider tells an account. At most one of the pointers
// is set; none where it tells something that means nothing to us.
type Event struct {
	Kind string
	// Account is the page or the Instagram account.
	Account  string
	Message  *Received
	Edited   *Received // the message as its author changed it
	Reaction *Reaction
	Read     *ReadReport
	Arrived  []string // messages of ours that reached the customer
	At       time.Time
}

// Received is a message between a customer and the account.
type Received struct {
	ID string
	// Customer is who it is with; OfPage says that the account's own side wrote it.
	Customer string
	OfPage   bool
	// AppID and Mark are of a message that a program sent in the page's name.
	AppID, Mark string
	Text        string
	Files       []RemoteFile
	// Choice is what the answer that the customer chose, or the button, stands for.
	Choice string
	// Deleted says that its author took it back, Unsupported that the provider does
	// not hand it over.
	Deleted, Unsupported bool
	// ReplyTo is the message that it answers, "" for none.
	ReplyTo string
	// Detail is what the message says besides its words.
	Detail map[string]any
}

// RemoteFile is a file that lies with the provider, by its address.
type RemoteFile = transport.RemoteFile

// Reaction is a customer's sign on a message, "" where they took it away.
type Reaction struct{ MessageID, Emoji string }

// ReadReport is what a customer read: one message, or all until a time.
type ReadReport struct {
	Customer, MessageID string
	Until               time.Time
}
