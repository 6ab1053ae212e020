package telegram

import (
	"context"
	"fmt"
	"io"
	"time"

	"konak/internal/crm/channel/transport"
	"konak/internal/kit/secret"
)

// Provider is the service behind the channel. It refuses with a *Refusal; after any other
// error it is unknown whether the call succeeded.
type Provider interface {
	// Bot returns the bot that a token belongs to.
	Bot(ctx context.Context, token secret.Text) (Bot, error)
	// SetWebhook makes the provider call an address, with a secret that proves
	// its calls.
	SetWebhook(ctx context.Context, token secret.Text, address, secret string) error
	DeleteWebhook(ctx context.Context, token secret.Text) error
	Webhook(ctx context.Context, token secret.Text) (WebhookState, error)
	// Updates returns the updates from a number on; if there are none yet, it waits for a
	// while.
	Updates(ctx context.Context, token secret.Text, from int64, wait time.Duration) ([]Update, error)
	// Send returns the provider's numbers of the messages it made from this one.
	Send(ctx context.Context, token secret.Text, m Message) ([]int64, error)
	// React sets the reaction to a message; an empty one removes it.
	React(ctx context.Context, token secret.Text, chat string, message int64, emoji string) error
	// ShowTyping shows in a chat that somebody is typing; connection is as in Message.
	ShowTyping(ctx context.Context, token secret.Text, chat, connection string) error
	// AnswerButton confirms to the customer's app that a button press was received.
	AnswerButton(ctx context.Context, token secret.Text, id string) error
	// Download opens a file of a message; the caller closes it.
	Download(ctx context.Context, token secret.Text, fileID string) (io.ReadCloser, error)
	// Read decodes a webhook call of the provider.
	Read(body []byte) (Update, error)
}

// Bot is what the provider reports about a bot.
type Bot struct {
	ID       int64
	Name     string
	Username string
}

// WebhookState is what the provider reports about a bot's webhook.
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
	// Connection is the business connection that it is sent over, "" for the bot.
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

// Button is a button below a message.
type Button struct{ Text, Data string }

// Update is one update from the provider. At most one of the pointers is set; none if the
// update is of a type that we do not use.
type Update struct {
	ID       int64
	Message  *Received
	Edited   *Received
	Deleted  *Deleted
	Reaction *Reaction
	Pressed  *Pressed
	Business *Connection
}

// Person is a Telegram user.
type Person struct {
	ID                       int64
	Name, Username, Language string
	Bot                      bool
}

// Received is a message in a chat.
type Received struct {
	Chat, ID int64
	// Private is true if the chat is with one person, who is Customer.
	Private  bool
	Customer Person
	From     Person
	// Connection is the business connection that it came over, "" for the bot. OfOwner is
	// set if the owner of that account wrote it, OfBot if the bot itself did.
	Connection     string
	OfOwner, OfBot bool
	At             time.Time
	Text           string
	File           *RemoteFile
	// Unsupported is set if it contains something that cannot be shown; Empty if it
	// contains nothing that a person wrote.
	Unsupported, Empty bool
	// ReplyTo is the number of the message that it replies to, or 0.
	ReplyTo int64
	// Detail holds what the message contains besides its text.
	Detail map[string]any
}

// RemoteFile is a file stored at the provider.
type RemoteFile = transport.RemoteFile

// Deleted lists messages that somebody deleted.
type Deleted struct {
	Connection string
	Chat       int64
	IDs        []int64
}

// Reaction is a customer's reaction to a message, "" if they removed it.
type Reaction struct {
	Chat, ID int64
	Emoji    string
}

// Pressed is a customer's press of a button.
type Pressed struct {
	ID         string
	Chat       int64
	Private    bool
	From       Person
	MessageID  int64
	Text, Data string
}

// Connection is the state of a bot in a person's account.
type Connection struct {
	ID       string
	Owner    Person
	CanReply bool
	Enabled  bool
}

// Refusal is an error response from the provider.
type Refusal struct {
	Status     int
	Text       string
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("telegram: %d %s", r.Status, r.Text) }

// Auth implements transport.Refusal. Telegram answers 404 to a token that belongs to no
// bot.
func (r *Refusal) Auth() bool { return r.Status == 401 || r.Status == 404 }

// Passing implements transport.Refusal.
func (r *Refusal) Passing() bool { return r.Status == 429 || r.Status >= 500 }

// WindowClosed implements transport.Refusal: a bot can always reply.
func (r *Refusal) WindowClosed() bool { return false }

// Words implements transport.Refusal.
func (r *Refusal) Words() string { return r.Text }

// Pause implements transport.Refusal.
func (r *Refusal) Pause() (wait time.Duration, wholeAccount bool) { return r.RetryAfter, true }
