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

// Provider is the service behind the channel. Its refusals are *Refusal; any
// other error means that nobody knows what became of the call.
type Provider interface {
	Number(ctx context.Context, a Access) (Number, error)
	// Subscribe makes the provider call back at an address, which it asks with
	// the token first.
	Subscribe(ctx context.Context, a Access, address, token string) error
	Unsubscribe(ctx context.Context, a Access) error
	// Register makes a number ready to send, with a PIN of six digits that the provider
	// asks for when it is registered again.
	Register(ctx context.Context, a Access, pin string) error
	Deregister(ctx context.Context, a Access) error
	// RequestAppData asks for who is in the address book of the app on the phone and for
	// what was written there before. It comes as Contacts and as History, if the owner
	// shares it.
	RequestAppData(ctx context.Context, a Access) error
	// Send gives the provider's name for the message.
	Send(ctx context.Context, a Access, m Message) (string, error)
	MarkRead(ctx context.Context, a Access, messageID string) error
	// Upload stores a file that a message will name.
	Upload(ctx context.Context, a Access, name, kind string, content io.Reader) (mediaID string, err error)
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, a Access, mediaID string) (kind string, content io.ReadCloser, err error)

	Templates(ctx context.Context, a Access) ([]template.Given, error)
	CreateTemplate(ctx context.Context, a Access, t *template.Template) (template.Given, error)
	EditTemplate(ctx context.Context, a Access, t *template.Template) (template.Given, error)
	DeleteTemplate(ctx context.Context, a Access, name string) error
	UploadSample(ctx context.Context, a Access, f template.Sample) (handle string, err error)

	meta.CallProvider[Access]

	// Signed says whether the provider signed a call with the app's secret.
	Signed(appSecret secret.Text, body []byte, signature string) bool
	Read(body []byte) ([]Call, error)
}

// Number is what the provider says of a number.
type Number struct {
	ID           string
	Display      string
	VerifiedName string
	Quality      string
	Limit        string
	Mode         string
	// Unregistered says that the number cannot send yet. One that its owner also uses in
	// the WhatsApp Business app is registered, and stays as it is.
	Unregistered bool
	// OnApp says that its owner also uses it in the app on the phone.
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
	// To is a number, or a customer's id towards this business.
	To   string
	Kind string
	// Text is the words, or a file's caption.
	Text string
	// MediaID and Link are a file: uploaded, or somewhere else.
	MediaID, Link, Filename string
	Template                *template.Filled
	// ReactTo and Emoji are a reaction; an empty one takes it away.
	ReactTo, Emoji string
	// Mark comes back with every report on the message.
	Mark string
}

// Call is one thing that the provider tells. At most one of its parts is
// set; none where it tells something that means nothing to us.
type Call struct {
	// NumberID names the number, BusinessID the account that it belongs to.
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
	// From is the customer's number, UserID their id towards this business; one
	// of the two may be missing.
	From, UserID   string
	Name, Username string
	At             time.Time
	Kind           string
	// Text is the words: of a text, a caption, a button, a choice.
	Text string
	// MediaID, MediaType and Filename are a file.
	MediaID, MediaType, Filename string
	// ReactTo and Emoji are a reaction.
	ReactTo, Emoji string
	// Unsupported is why the provider does not hand a message over.
	Unsupported bool
	// System says that the provider wrote it; NewNumber is the customer's new
	// number, where that is what it tells.
	System    bool
	NewNumber string
	// OfOwner says that the number's owner wrote it in the app on the phone. From is the
	// customer whom it went to.
	OfOwner bool
	// Detail is what the message says besides its words: quoted is the
	// provider's id of what it answers.
	Detail map[string]any
}

// What became of a message at the provider.
const (
	StatusSent      = "sent"
	StatusDelivered = "delivered"
	StatusRead      = "read"
	StatusFailed    = "failed"
)

// Status is what became of a message of ours.
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

// What the provider does not know.
var (
	ErrNoNumber   = errors.New("whatsapp: the business account has no such number")
	ErrNoTemplate = errors.New("whatsapp: the provider has no such template")
)

// Refusal is the provider's no.
type Refusal = meta.Refusal

// subcodeNoTemplate is of meta.CodeMissing: there is no template of this name.
const subcodeNoTemplate = 2593002
