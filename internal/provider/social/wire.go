package social

import (
	"konak/internal/provider/graph"
	"konak/internal/provider/whatsapp"
)

// Objects on which an app's webhook reports.
const (
	ObjectPage      = "page"
	ObjectInstagram = "instagram"
)

// Page is a page as the Graph API shows it.
type Page struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Instagram *InstagramAccount `json:"instagram_business_account,omitempty"`
	// Token is included only for a person who may administrate the page.
	Token string `json:"access_token,omitempty"`
}

// InstagramAccount is the account of a page.
type InstagramAccount struct {
	ID       string `json:"id"`
	Username string `json:"username"`
}

// PageFields are the fields requested of a page.
const PageFields = "id,name,instagram_business_account{id,username}"

// App is the program that a token belongs to.
type App struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Subscription is the address to which events of an object are sent for an app.
type Subscription struct {
	Object   string `json:"object"`
	Callback string `json:"callback_url"`
	Active   bool   `json:"active"`
}

// Subscriptions is a list of subscriptions.
type Subscriptions struct {
	Data []Subscription `json:"data"`
}

// The types that all of the Graph API shares.
type (
	Success = graph.Success
	Number  = graph.Number
)

// fields are the events that a page or an Instagram account reports.
var fields = map[string]string{
	ObjectPage: "messages,messaging_postbacks,message_reactions,message_reads,message_deliveries,message_echoes,message_edits,call_permission_reply",
	// An Instagram account includes its own messages in messages.
	ObjectInstagram: "messages,messaging_postbacks,message_reactions,messaging_seen,message_edit",
}

// Ref identifies a person or a page.
type Ref struct {
	ID string `json:"id"`
}

// Outgoing is the body of a message or of an action.
type Outgoing struct {
	Recipient Ref              `json:"recipient"`
	Type      string           `json:"messaging_type,omitempty"`
	Tag       string           `json:"tag,omitempty"`
	Message   *OutgoingMessage `json:"message,omitempty"`
	Action    string           `json:"sender_action,omitempty"`
	Payload   *ActionPayload   `json:"payload,omitempty"`
}

// The types of a message with regard to the window.
const (
	TypeResponse = "RESPONSE"
	TypeTag      = "MESSAGE_TAG"
	TagHuman     = "HUMAN_AGENT"
)

// Actions other than messages.
const (
	ActionSeen    = "mark_seen"
	ActionTyping  = "typing_on"
	ActionReact   = "react"
	ActionUnreact = "unreact"
)

// ActionPayload is what an action is about.
type ActionPayload struct {
	MessageID string `json:"message_id"`
	Reaction  string `json:"reaction,omitempty"`
}

// OutgoingMessage is the content of a message.
type OutgoingMessage struct {
	Text         string              `json:"text,omitempty"`
	Attachment   *OutgoingAttachment `json:"attachment,omitempty"`
	QuickReplies []QuickReply        `json:"quick_replies,omitempty"`
	Metadata     string              `json:"metadata,omitempty"`
}

// OutgoingAttachment is an uploaded file, or a template.
type OutgoingAttachment struct {
	Type    string            `json:"type"`
	Payload AttachmentPayload `json:"payload"`
}

// AttachmentPayload is the content of an attachment.
type AttachmentPayload struct {
	AttachmentID string `json:"attachment_id,omitempty"`
	Reusable     bool   `json:"is_reusable,omitempty"`
	URL          string `json:"url,omitempty"`
	TemplateType string `json:"template_type,omitempty"`
	Text         string `json:"text,omitempty"`
}

// CallOptIn is the template that asks a customer for permission to call.
const CallOptIn = "calling_optin"

// QuickReply is an answer to choose, or the one that was chosen.
type QuickReply struct {
	ContentType string `json:"content_type,omitempty"`
	Title       string `json:"title,omitempty"`
	Payload     string `json:"payload"`
}

// Accepted is the answer to a message.
type Accepted struct {
	RecipientID  string `json:"recipient_id,omitempty"`
	MessageID    string `json:"message_id,omitempty"`
	AttachmentID string `json:"attachment_id,omitempty"`
}

// Profile is a customer.
type Profile struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Username string `json:"username,omitempty"`
}

// CallSettings are the call settings of a page.
type CallSettings struct {
	Audio   *bool               `json:"audio_enabled,omitempty"`
	Icon    *bool               `json:"icon_enabled,omitempty"`
	Routing *CallRouting        `json:"call_routing,omitempty"`
	Hours   *whatsapp.CallHours `json:"call_hours,omitempty"`
}

// CallRouting determines where a call rings.
type CallRouting struct {
	Target string `json:"ring_target"`
}

// RingPartners routes calls to the programs of the page.
const RingPartners = "PARTNERS"

// CallSettingsPage is the answer to a request for the call settings.
type CallSettingsPage struct {
	Data []CallSettings `json:"data"`
}

// CallPermissions describes whether a customer may be called.
type CallPermissions struct {
	Status     string       `json:"status"`
	Expiration int64        `json:"expiration_time,omitempty"`
	Actions    []CallAction `json:"actions"`
}

// Values in CallPermissions.
const (
	HasPermission = "has_permission"
	NoPermission  = "no_permission"
	AskPermission = "send_call_permission_request"
)

// CallAction is one thing that can or cannot be done now.
type CallAction struct {
	Name       string               `json:"action_name"`
	CanPerform bool                 `json:"can_perform"`
	Limits     []whatsapp.CallLimit `json:"limits,omitempty"`
}

// Webhook is the body that Meta sends.
type Webhook struct {
	Object string  `json:"object"`
	Entry  []Entry `json:"entry"`
}

// Entry is what happened on one page or Instagram account.
type Entry struct {
	ID        string      `json:"id"`
	Time      int64       `json:"time"`
	Messaging []Messaging `json:"messaging"`
}

// Messaging is one event between a customer and the account.
type Messaging struct {
	Sender    Ref       `json:"sender"`
	Recipient Ref       `json:"recipient"`
	Timestamp int64     `json:"timestamp"`
	Message   *Incoming `json:"message,omitempty"`
	Edit      *Edit     `json:"message_edit,omitempty"`
	Reaction  *Reaction `json:"reaction,omitempty"`
	Read      *Read     `json:"read,omitempty"`
	Delivery  *Delivery `json:"delivery,omitempty"`
	Postback  *Postback `json:"postback,omitempty"`
}

// Incoming is a message.
type Incoming struct {
	ID          string       `json:"mid"`
	Text        string       `json:"text,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	QuickReply  *QuickReply  `json:"quick_reply,omitempty"`
	ReplyTo     *ReplyTo     `json:"reply_to,omitempty"`
	Referral    *Referral    `json:"referral,omitempty"`
	Echo        bool         `json:"is_echo,omitempty"`
	Deleted     bool         `json:"is_deleted,omitempty"`
	Unsupported bool         `json:"is_unsupported,omitempty"`
	AppID       Number       `json:"app_id,omitempty"`
	Metadata    string       `json:"metadata,omitempty"`
}

// Attachment is a file, a share or a mention in an incoming message.
type Attachment struct {
	Type    string `json:"type"`
	Payload struct {
		URL   string `json:"url,omitempty"`
		Title string `json:"title,omitempty"`
		// Coordinates are set on a location.
		Coordinates *Coordinates `json:"coordinates,omitempty"`
	} `json:"payload"`
}

// Coordinates is a place on the map.
type Coordinates struct {
	Latitude  float64 `json:"lat"`
	Longitude float64 `json:"long"`
}

// ReplyTo is what a message answers: another message, or a story.
type ReplyTo struct {
	ID    string `json:"mid,omitempty"`
	Story *Story `json:"story,omitempty"`
}

// Story is a story of the account.
type Story struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// Referral is how a customer came: through an advertisement or a link.
type Referral struct {
	Source string `json:"source,omitempty"`
	Type   string `json:"type,omitempty"`
	Ref    string `json:"ref,omitempty"`
	AdID   string `json:"ad_id,omitempty"`
}

// Edit is a message that its author changed.
type Edit struct {
	ID   string `json:"mid"`
	Text string `json:"text"`
}

// Reaction is an emoji on a message.
type Reaction struct {
	ID       string `json:"mid"`
	Action   string `json:"action"`
	Reaction string `json:"reaction,omitempty"`
	Emoji    string `json:"emoji,omitempty"`
}

// Read describes what a customer read: one message on Instagram, everything up to a time on
// Messenger.
type Read struct {
	ID        string `json:"mid,omitempty"`
	Watermark int64  `json:"watermark,omitempty"`
}

// Delivery describes which messages reached a customer.
type Delivery struct {
	IDs       []string `json:"mids,omitempty"`
	Watermark int64    `json:"watermark,omitempty"`
}

// Postback is a button that a customer pressed.
type Postback struct {
	ID       string    `json:"mid,omitempty"`
	Title    string    `json:"title,omitempty"`
	Payload  string    `json:"payload,omitempty"`
	Referral *Referral `json:"referral,omitempty"`
}
