package whatsapp

import (
	"context"
	"errors"
	"io"
	"time"

	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/whatsapp/appdata"
	"konak/internal/crm/template"
	"konak/internal/kit/secret"
)

// Access opens a number at the provider.
type Access struct {
	NumberID   string
	BusinessID string
	Token      secret.Text
}

// Provider is the service behind the channel. It refuses with a *Refusal; after any other
// error it is unknown whether the call succeeded.
type Provider interface {
	Number(ctx context.Context, a Access) (Number, error)
	// Subscribe makes the provider call an address, which it first verifies with the token.
	Subscribe(ctx context.Context, a Access, address, token string) error
	Unsubscribe(ctx context.Context, a Access) error
	// Register makes a number ready to send, with a six-digit PIN that the provider asks
	// for when the number is registered again.
	Register(ctx context.Context, a Access, pin string) error
	Deregister(ctx context.Context, a Access) error
	// RequestAppData requests the address book and the message history of the app on the
	// phone. They arrive as Contacts and History, if the owner shares them.
	RequestAppData(ctx context.Context, a Access) error
	// Send returns the provider's id of the message.
	Send(ctx context.Context, a Access, m Message) (string, error)
	MarkRead(ctx context.Context, a Access, messageID string) error
	// Upload stores a file that a message can refer to.
	Upload(ctx context.Context, a Access, name, kind string, content io.Reader) (mediaID string, err error)
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, a Access, mediaID string) (kind string, content io.ReadCloser, err error)

	Templates(ctx context.Context, a Access) ([]template.Given, error)
	CreateTemplate(ctx context.Context, a Access, t *template.Template) (template.Given, error)
	EditTemplate(ctx context.Context, a Access, t *template.Template) (template.Given, error)
	DeleteTemplate(ctx context.Context, a Access, name string) error
	UploadSample(ctx context.Context, a Access, f template.Sample) (handle string, err error)

	meta.CallProvider[Access]

	// Signed reports whether the provider signed a call with the app's secret.
	Signed(appSecret secret.Text, body []byte, signature string) bool
	Read(body []byte) ([]Call, error)
}

// Number is what the provider reports about a number.
type Number struct {
	ID           string
	Display      string
	VerifiedName string
	Quality      string
	Limit        string
	Mode         string
	// Unregistered is set if the number cannot send yet. A number that its owner also uses
	// in the WhatsApp Business app counts as registered and is not changed.
	Unregistered bool
	// OnApp is set if its owner also uses it in the app on the phone.
	OnApp bool
}

// Kinds of message.
const (
	KindText     = "text"
	KindImage    = "image"
	KindVideo    = "video"
	KindAudio    = "audio"
	KindDocument = "document"
	KindSticker  = "sticker"
	KindTemplate = "template"
	KindReaction = "reaction"
	// KindCallRequest asks a customer for permission to call them.
	KindCallRequest = "call_permission_request"
)

// Message is what is sent to one customer.
type Message struct {
	// To is a number, or a customer's id at this business.
	To   string
	Kind string
	// Text is the message text, or a file's caption.
	Text string
	// MediaID and Link are a file: one that was uploaded, or one stored elsewhere.
	MediaID, Link, Filename string
	Template                *template.Filled
	// ReactTo and Emoji are a reaction; an empty Emoji removes it.
	ReactTo, Emoji string
	// Mark is returned with every report on the message.
	Mark string
}

// Call is one event from the provider. At most one of its parts is set; none if the event
// is of a type that we do not use.
type Call struct {
	// NumberID is the number, BusinessID the business account that it belongs to.
	NumberID, BusinessID string

	Message  *Received
	Status   *Status
	Template *template.Given
	Number   *NumberNews
	History  *appdata.History
	Contacts []appdata.Contact
}

// Received is what a customer sent.
type Received struct {
	ID string
	// From is the customer's number, UserID their id at this business; one of the two may
	// be missing.
	From, UserID   string
	Name, Username string
	At             time.Time
	Kind           string
	// Text is the text of a message, a caption, a button or a choice.
	Text string
	// MediaID, MediaType and Filename are a file.
	MediaID, MediaType, Filename string
	// ReactTo and Emoji are a reaction.
	ReactTo, Emoji string
	// Unsupported is set if the provider does not hand the message over.
	Unsupported bool
	// System is set if the provider wrote it; NewNumber is the customer's new number, if
	// that is what it announces.
	System    bool
	NewNumber string
	// OfOwner is set if the number's owner wrote it in the app on the phone. From is then
	// the customer it was sent to.
	OfOwner bool
	// Detail holds what the message contains besides its text; quoted is the provider's id
	// of the message that it replies to.
	Detail map[string]any
}

// States of a message at the provider.
const (
	StatusSent      = "sent"
	StatusDelivered = "delivered"
	StatusRead      = "read"
	StatusFailed    = "failed"
)

// Status is a report on one of our messages.
type Status struct {
	MessageID string
	Status    string
	At        time.Time
	Mark      string
	Error     string
}

// NumberNews is a change of the number itself.
type NumberNews struct {
	Display string
	Event   string // FLAGGED, UNFLAGGED and so on
	Limit   string
}

// Errors for what the provider does not have.
var (
	ErrNoNumber   = errors.New("whatsapp: the business account has no such number")
	ErrNoTemplate = errors.New("whatsapp: the provider has no such template")
)

// Refusal is an error response from the provider.
type Refusal = meta.Refusal

// subcodeNoTemplate is a subcode of meta.CodeMissing: no template has this name.
const subcodeNoTemplate = 2593002
