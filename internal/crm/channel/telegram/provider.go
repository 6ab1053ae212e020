package telegram

import (
	"context"
	"fmt"
	"io"
	"time"

	"konak/internal/crm/channel/transport"
	"konak/internal/kit/secret"
)

// Provider is the service behind the channel. Its refusals are *Refusal; any
// other error means that nobody knows what became of the call.
type Provider interface {
	// Bot says whose a token is.
	Bot(ctx context.Context, token secret.Text) (Bot, error)
	// SetWebhook makes the provider call an address, with a secret that proves
	// its calls.
	SetWebhook(ctx context.Context, token secret.Text, address, secret string) error
	DeleteWebhook(ctx context.Context, token secret.Text) error
	Webhook(ctx context.Context, token secret.Text) (WebhookState, error)
	// Updates gives what happened from an update on, or waits for it for a while.
	Updates(ctx context.Context, token secret.Text, from int64, wait time.Duration) ([]Update, error)
	// Send gives the provider's numbers of the messages that it made of one.
	Send(ctx context.Context, token secret.Text, m Message) ([]int64, error)
	// React puts a sign on a message; an empty one takes it away.
	React(ctx context.Context, token secret.Text, chat string, message int64, emoji string) error
	// ShowTyping shows in a chat that somebody writes; connection as in Message.
	ShowTyping(ctx context.Context, token secret.Text, chat, connection string) error
	// AnswerButton tells the customer's app that a button was heard.
	AnswerButton(ctx context.Context, token secret.Text, id string) error
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, token secret.Text, fileID string) (io.ReadCloser, error)
	// Read reads a call of the provider.
	Read(body []byte) (Update, error)
}

// Bot is what the provider says of a bot.
type Bot struct {
	ID       int64
	Name     string
	Username string
}

// WebhookState is what the provider says of a bot's webhook.
type WebhookState struct {
	URL       string
	Pending   int
	LastError string
}

// Kinds of file.
const (
	KindPhoto    = "photo"
	KindVideo    = "video"
	KindAudio    = "audio"
	KindVoice    = "voice"
	KindDocument = "document"
	KindSticker  = "sticker"
)

// Message is what is sent to one customer: a text with or without buttons, or
// one or more files with a caption.
type Message struct {
	Chat string
	// Connection is the business connection that it goes over, "" for the bot.
	Connection string
	Text       string
	Files      []OutgoingFile
	Buttons    []Button
}

// OutgoingFile is a file of a message.
type OutgoingFile struct {
	Name, Kind string
	Content    io.Reader
}

// Button is one below a message.
type Button struct{ Text, Data string }

// Update is one thing that the provider tells. At most one of the pointers is
// set; none where it tells something that means nothing to us.
type Update struct {
	ID       int64
	Message  *Received
	Edited   *Received
	Deleted  *Deleted
	Reaction *Reaction
	Pressed  *Pressed
	Business *Connection
}

// Person is somebody on Telegram.
type Person struct {
	ID                       int64
	Name, Username, Language string
	Bot                      bool
}

// Received is a message in a chat.
type Received struct {
	Chat, ID int64
	// Private says that the chat is with one person, whom Customer is.
	Private  bool
	Customer Person
	From     Person
	// Connection is the business connection that it came over, "" for the bot.
	// OfOwner says that the person whose account it is wrote it, OfBot that the
	// bot itself did.
	Connection     string
	OfOwner, OfBot bool
	At             time.Time
	Text           string
	File           *RemoteFile
	// Unsupported says that it holds what cannot be shown; Empty that it holds
	// nothing that a person wrote.
	Unsupported, Empty bool
	// ReplyTo is the number of the message that it answers, or 0.
	ReplyTo int64
	// Detail is what the message says besides its words.
	Detail map[string]any
}

// RemoteFile is a file that lies with the provider.
type RemoteFile = transport.RemoteFile

// Deleted are messages that somebody took back.
type Deleted struct {
	Connection string
	Chat       int64
	IDs        []int64
}

// Reaction is a customer's sign on a message, "" where they took it away.
type Reaction struct {
	Chat, ID int64
	Emoji    string
}

// Pressed is a button that a customer pressed.
type Pressed struct {
	ID         string
	Chat       int64
	Private    bool
	From       Person
	MessageID  int64
	Text, Data string
}

// Connection is the bot at work in a person's account.
type Connection struct {
	ID       string
	Owner    Person
	CanReply bool
	Enabled  bool
}

// Refusal is the provider's no.
type Refusal struct {
	Status     int
	Text       string
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("telegram: %d %s", r.Status, r.Text) }

// Auth implements transport.Refusal. Telegram answers 404 to a token that is no bot's.
func (r *Refusal) Auth() bool { return r.Status == 401 || r.Status == 404 }

// Passing implements transport.Refusal.
func (r *Refusal) Passing() bool { return r.Status == 429 || r.Status >= 500 }

// WindowClosed implements transport.Refusal: a bot can always answer.
func (r *Refusal) WindowClosed() bool { return false }

// Words implements transport.Refusal.
func (r *Refusal) Words() string { return r.Text }

// Pause implements transport.Refusal.
func (r *Refusal) Pause() (wait time.Duration, wholeAccount bool) { return r.RetryAfter, true }
