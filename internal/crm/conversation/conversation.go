package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/crm/template"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// State is the state of a conversation.
type State string

// The states.
const (
	Open    State = "open"
	Snoozed State = "snoozed"
	Closed  State = "closed"
)

// What the assistant does with a conversation; independent of its state.
const (
	AIOff        = "off"
	AIActive     = "active"
	AIHandedOver = "handed_over"
	AIPaused     = "paused"
)

// Priorities lists the priorities from low to urgent.
var Priorities = []string{"low", "normal", "high", "urgent"}

const normal = 1

// Conversation is one thread with one customer.
type Conversation struct {
	ID                     uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	State                  State       `json:"state" enum:"open,snoozed,closed" example:"open"`
	AIState                string      `json:"ai_state" enum:"off,active,handed_over,paused" example:"off"`
	HandoverReason         *string     `json:"handover_reason" nullable:"true"`
	Channel                string      `json:"channel" example:"whatsapp" doc:"Key from the source catalog"`
	ChannelAccountID       *uuid.UUID  `json:"channel_account_id" nullable:"true" format:"uuid"`
	ReplyRoute             *string     `json:"reply_route" nullable:"true" enum:"email,none" doc:"Where replies to a request opened by a program go: by e-mail, or nowhere because the program shows them itself; null for the channel's own route"`
	IsRequest              bool        `json:"talep" doc:"Whether it is shown as a request"`
	ContactID              uuid.UUID   `json:"contact_id" format:"uuid"`
	ContactName            string      `json:"contact_name" example:"Elif Kaya"`
	Subject                string      `json:"subject" example:"Teslimat tarihi"`
	Preview                string      `json:"preview" example:"Siparişim ne zaman gelir?" doc:"Start of the last message"`
	PreviewAuthorKind      *string     `json:"preview_author_kind" nullable:"true" enum:"agent,contact,bot,system,api_key" doc:"Who wrote the last message; null if there is none"`
	PreviewAuthorID        *uuid.UUID  `json:"preview_author_id" nullable:"true" format:"uuid"`
	Priority               string      `json:"priority" enum:"low,normal,high,urgent" example:"normal"`
	OwnerID                *uuid.UUID  `json:"owner_id" nullable:"true" format:"uuid" doc:"Agent the conversation is assigned to"`
	GroupID                *uuid.UUID  `json:"group_id" nullable:"true" format:"uuid"`
	Tags                   []string    `json:"tags" nullable:"false" example:"[\"iade\"]"`
	Unread                 int         `json:"unread" example:"2" doc:"Messages the caller has not read"`
	DeliveryFailed         bool        `json:"delivery_failed,omitempty" doc:"Whether the last message to the customer was not delivered; not included in events"`
	WaitingSince           *clock.Time `json:"waiting_since" nullable:"true" doc:"When the customer started waiting for a reply"`
	FirstReplyAt           *clock.Time `json:"first_reply_at" nullable:"true"`
	SnoozedUntil           *clock.Time `json:"snoozed_until" nullable:"true"`
	SnoozedUntilReply      bool        `json:"snoozed_until_reply"`
	ClosedAt               *clock.Time `json:"closed_at" nullable:"true"`
	MergedIntoID           *uuid.UUID  `json:"merged_into_id" nullable:"true" format:"uuid"`
	PreviousConversationID *uuid.UUID  `json:"previous_conversation_id" nullable:"true" format:"uuid"`
	Test                   bool        `json:"test" doc:"Created by a key of the test environment"`
	LastActivityAt         clock.Time  `json:"last_activity_at"`
	CreatedAt              clock.Time  `json:"created_at"`
	UpdatedAt              clock.Time  `json:"updated_at"`

	// SingleThread reports that the customer has no other conversation on this account.
	SingleThread bool `json:"-"`
	// LastItemAt is the time of the newest item.
	LastItemAt clock.Time  `json:"-"`
	DeletedAt  *clock.Time `json:"-"`
	// lockedBy is the transaction that has locked the row; only it may write the row. It is
	// nil if the row was only read.
	lockedBy *db.Tx
}

// WithoutContent returns the conversation for callers who may change it but not see it: its
// state, ids and times, without names and anything that somebody wrote.
func (c Conversation) WithoutContent() Conversation {
	return Conversation{
		ID: c.ID, State: c.State, AIState: c.AIState, Channel: c.Channel, ChannelAccountID: c.ChannelAccountID, ContactID: c.ContactID,
		Priority: c.Priority, OwnerID: c.OwnerID, GroupID: c.GroupID, Tags: []string{}, MergedIntoID: c.MergedIntoID,
		PreviousConversationID: c.PreviousConversationID, Test: c.Test,
		LastActivityAt: c.LastActivityAt, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

// Kinds of item.
const (
	Message = "message"
	Note    = "note"
	Event   = "event"
	// CallItem is a call; its detail holds the call's result.
	CallItem = "call"
)

// Kinds of author.
const (
	ByAgent   = "agent"
	ByContact = "contact"
	ByBot     = "bot"
	BySystem  = "system"
	ByKey     = "api_key"
)

// Item is one entry of a timeline.
type Item struct {
	ID               uuid.UUID                     `json:"id" format:"uuid"`
	ConversationID   uuid.UUID                     `json:"conversation_id" format:"uuid"`
	Kind             string                        `json:"kind" enum:"message,note,event,call" example:"message"`
	AuthorKind       string                        `json:"author_kind" enum:"agent,contact,bot,system,api_key" example:"contact"`
	AuthorID         *uuid.UUID                    `json:"author_id" nullable:"true" format:"uuid"`
	Body             string                        `json:"body" example:"Siparişim ne zaman gelir?"`
	Event            *string                       `json:"event" nullable:"true" example:"closed" doc:"What happened, if the item is an event"`
	Detail           map[string]any                `json:"detail" doc:"Details of the event. For a message, what the channel sends besides the text (quoted, forwarded, referral, order, form, and calls: allowed or refused, if the customer answered whether they can be called). For a message sent by e-mail, also the recipients it did not reach while it reached others (refused_recipients, each with address and reason), and the text format if not plain (format: markdown). Also whether a data-loss-prevention rule masked words in the message (redacted)"`
	Channel          *string                       `json:"channel" nullable:"true" example:"whatsapp"`
	ChannelAccountID *uuid.UUID                    `json:"channel_account_id" nullable:"true" format:"uuid"`
	Delivery         *string                       `json:"delivery" nullable:"true" enum:"sent,queued,failed,none" doc:"Delivery status of an outgoing message"`
	DeliveryError    *string                       `json:"delivery_error" nullable:"true"`
	SentAt           *clock.Time                   `json:"sent_at" nullable:"true" doc:"When the customer sent it, by the channel's clock; created_at sets its place in the timeline"`
	DeliveredAt      *clock.Time                   `json:"delivered_at" nullable:"true" doc:"When an outgoing message reached the customer's device, if the channel reports it"`
	ReadAt           *clock.Time                   `json:"read_at" nullable:"true" doc:"When the customer opened an outgoing message, if the channel reports it"`
	Attachments      []file.Attachment             `json:"attachments" nullable:"false" doc:"Files"`
	Reactions        []Reaction                    `json:"tepkiler" nullable:"false" doc:"Reactions"`
	Mentions         []Mention                     `json:"mentions" nullable:"false" doc:"Colleagues mentioned in a note"`
	Automatic        bool                          `json:"automatic" doc:"Whether the customer's system wrote it automatically, such as an absence note or a notification"`
	Template         api.Nullable[template.Filled] `json:"template" doc:"Template it was sent as"`
	HasEmail         bool                          `json:"has_email" doc:"Whether the original e-mail can be read"`
	EditedAt         *clock.Time                   `json:"edited_at" nullable:"true"`
	DeletedAt        *clock.Time                   `json:"deleted_at" nullable:"true" doc:"Set only in the event that reports the deletion"`
	CreatedAt        clock.Time                    `json:"created_at"`

	// ProviderMessageID is the channel's id of the message.
	ProviderMessageID *string `json:"-"`
	Test              bool    `json:"-"`
	// Awaited means that the writer waits for the outcome.
	Awaited bool `json:"-"`
	// Unsent means that there is no route to the customer, so the message is not sent.
	Unsent bool `json:"-"`
	// AutoReply marks an automatic reply, which needs no answer.
	AutoReply bool `json:"-"`
	// Original and Sources are stored together with the item.
	Original *Email     `json:"-"`
	Sources  []AISource `json:"-"`
}

// Author is the author of an item.
type Author struct {
	Kind string
	ID   *uuid.UUID
}

// AgentAuthor returns a member of the workspace as an author.
func AgentAuthor(id uuid.UUID) Author { return Author{ByAgent, &id} }

// Source is a row of the source catalog: where conversations come from.
type Source struct {
	Key       string `json:"key" example:"whatsapp" doc:"Filter value"`
	Label     string `json:"label" example:"WhatsApp" doc:"English label"`
	Messaging bool   `json:"messaging" doc:"Whether it is an omnichannel messaging channel"`
	IsRequest bool   `json:"talep" doc:"Whether it is shown as a request"`
	Connected bool   `json:"connected" doc:"Whether the workspace has an active account on it"`

	// NeedsRoute means that an answer has to be carried out by a channel account. Otherwise
	// the customer's own software reads it through the API.
	NeedsRoute bool `json:"-"`
	// CanBegin means that agents can write to customers who have not written first.
	CanBegin bool `json:"-"`
	// builtin sources need no account.
	builtin bool
	// reopens means that a customer's message always reopens a closed conversation, because
	// such a channel knows one thread only.
	reopens bool
}

// The sources that other code names.
const (
	API   = "api"
	Panel = "panel"
	Mail  = "email"
)

// Sources lists every source of conversations.
var Sources = []Source{
	{Key: "whatsapp", Label: "WhatsApp", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: "instagram", Label: "Instagram", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: "messenger", Label: "Messenger", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: "telegram", Label: "Telegram", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: "sms", Label: "SMS", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: "custom", Label: "Custom channel", Messaging: true, NeedsRoute: true, CanBegin: true, reopens: true},
	{Key: Mail, Label: "E-mail", NeedsRoute: true, CanBegin: true},
	{Key: "widget", Label: "Live chat", NeedsRoute: true, CanBegin: true},
	{Key: "phone", Label: "Phone", NeedsRoute: true, reopens: true},
	{Key: "form", Label: "Web form", IsRequest: true, NeedsRoute: true},
	{Key: "help_center", Label: "Help center", IsRequest: true, NeedsRoute: true},
	{Key: API, Label: "API", IsRequest: true, builtin: true},
	{Key: Panel, Label: "Panel", IsRequest: true, NeedsRoute: true, builtin: true},
}

// SourceOf returns the source with this key.
func SourceOf(key string) (Source, bool) {
	for _, s := range Sources {
		if s.Key == key {
			return s, true
		}
	}
	return Source{}, false
}

func priorityOf(name string) int {
	if i := slices.Index(Priorities, name); i >= 0 {
		return i
	}
	return normal
}

const previewRunes = 160

// preview returns the beginning of a message on one line.
func preview(body string) string {
	line := strings.Join(strings.Fields(body[:min(len(body), 4*previewRunes+64)]), " ")
	if utf8.RuneCountInString(line) <= previewRunes {
		return strings.ToValidUTF8(line, "")
	}
	return strings.ToValidUTF8(string([]rune(line)[:previewRunes]), "") + "…"
}

// Settings are the settings of a workspace's inbox.
type Settings struct {
	Reopen     bool `json:"reopen" doc:"Whether a customer's message reopens a closed e-mail or live-chat conversation"`
	ReopenDays *int `json:"reopen_days" nullable:"true" minimum:"1" maximum:"3650" example:"14" doc:"After this many days a new conversation starts instead; null means never"`
	CSAT       bool `json:"csat" required:"false" doc:"Whether customers are asked for a rating when a conversation is closed"`
}

// Written is a conversation and what was written into it.
type Written struct {
	Conversation Conversation `json:"conversation"`
	Item         Item         `json:"item"`
}

// WithoutContent returns w with the content of the conversation removed.
func (w Written) WithoutContent() Written {
	w.Conversation = w.Conversation.WithoutContent()
	return w
}
