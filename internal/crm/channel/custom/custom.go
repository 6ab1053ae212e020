package custom

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// Name is the kind of custom channels.
const Name = "custom"

// Settings are those of a custom channel.
type Settings struct {
	Address     string `json:"address" maxLength:"2048" example:"https://example.com/konak" doc:"Address that replies are sent to"`
	WindowHours *int   `json:"window_hours" nullable:"true" minimum:"1" maximum:"8760" example:"24" doc:"Hours after the customer's last message in which free text can be sent; null means no limit"`
}

// Opened is a new channel with the key and secret that are shown once.
type Opened struct {
	channel.Account
	Key    string `json:"key" example:"chk_…" doc:"The channel key; shown only in this response"`
	Secret string `json:"secret" example:"whsec_…" doc:"Secret that signs deliveries; shown only in this response"`
}

// Rotated is a channel with its new key.
type Rotated struct {
	channel.Account
	Key string `json:"key" example:"chk_…" doc:"Shown only in this response; the old key no longer works"`
}

// Resigned is a channel with its new signing secret.
type Resigned struct {
	channel.Account
	Secret string `json:"secret" example:"whsec_…" doc:"Shown only in this response; the old secret no longer signs anything"`
}

// Ping is the result of a retry.
type Ping struct {
	DeliveryID *uuid.UUID `json:"delivery_id" nullable:"true" format:"uuid" doc:"Delivery of the sample; null for a test key, which sends nothing"`
	Retried    int        `json:"retried" example:"3" doc:"Number of failed deliveries that are retried now"`
}

// Sender is a customer as the channel's software knows them.
type Sender struct {
	ExternalID string `json:"external_id,omitempty" maxLength:"200" example:"user-4711" doc:"The customer's id in the calling system"`
	Name       string `json:"name,omitempty" maxLength:"200" example:"Elif Kaya"`
	Email      string `json:"email,omitempty" maxLength:"254" example:"elif@kayamobilya.example"`
	Phone      string `json:"phone,omitempty" maxLength:"40" example:"+905321234567"`
	Language   string `json:"language,omitempty" maxLength:"20" example:"tr"`
}

// on converts the sender for an account. A sender without an id is identified by their
// address.
func (s Sender) on(account uuid.UUID) (contact.Sender, error) {
	from := contact.Sender{
		Channel: Name, AccountID: account, ExternalID: strings.TrimSpace(s.ExternalID), Name: s.Name,
		Email: s.Email, Phone: s.Phone, Language: s.Language,
	}
	if err := from.Check(); err != nil {
		return from, err
	}
	if from.ExternalID == "" {
		if e, ok := address.ParseEmail(s.Email); ok {
			from.ExternalID = e.Key
		} else if n, ok := address.ParsePhone(s.Phone); ok {
			from.ExternalID = n
		} else {
			return from, fault.Invalid("contact", "required")
		}
	}
	return from, nil
}

// Events that are sent to a channel's address.
const (
	MessageSent   = "channel.message"
	RatingAsked   = "channel.csat_requested"
	OpportunityUp = "opportunity.created"
)

// Outgoing is a reply on its way to the channel's software. Its id is the timeline item's,
// so that a repeated delivery is recognised.
type Outgoing struct {
	ID             uuid.UUID  `json:"id" format:"uuid"`
	ChannelID      uuid.UUID  `json:"channel_id" format:"uuid"`
	ConversationID uuid.UUID  `json:"conversation_id" format:"uuid"`
	ContactID      uuid.UUID  `json:"contact_id" format:"uuid"`
	ExternalID     string     `json:"external_id" example:"user-4711" doc:"The customer's id in the receiving system"`
	Body           string     `json:"body" example:"Siparişiniz yarın teslim edilecek."`
	Files          []File     `json:"files" nullable:"false"`
	CreatedAt      clock.Time `json:"created_at"`
}

// File is a file of a reply. Its address requires an API key with the scope channels.write.
type File struct {
	ID   uuid.UUID `json:"id" format:"uuid"`
	Name string    `json:"name" example:"fatura.pdf"`
	Type string    `json:"type" example:"application/pdf"`
	Size int64     `json:"size" example:"48213"`
	URL  string    `json:"url" format:"uri"`
}

// Asked is a request for a rating on its way to the channel's software.
type Asked struct {
	ID             uuid.UUID  `json:"id" format:"uuid" doc:"ID of the survey"`
	ChannelID      uuid.UUID  `json:"channel_id" format:"uuid"`
	ConversationID uuid.UUID  `json:"conversation_id" format:"uuid"`
	ContactID      uuid.UUID  `json:"contact_id" format:"uuid"`
	ExternalID     string     `json:"external_id" example:"user-4711"`
	ExpiresAt      clock.Time `json:"expires_at"`
}

// Events lists the events that this module announces. Those for the channels' own addresses
// cannot be subscribed to.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	id := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")
	return event.Catalog{
		{
			Name: OpportunityUp, Module: "crm", Permission: perm.ConversationsView, Description: "A form submission created an opportunity.", Turkish: "Bir form fırsat açtı.",
			Example: Opportunity{ID: id, Title: "Teklif isteği", Stage: "new", Source: "teklif", ContactID: id, CreatedAt: at},
		},
		{
			Name: MessageSent, Module: "crm", Permission: perm.ChannelsView, Hidden: true,
			Description: "A reply was sent to a customer of a custom channel.", Example: Outgoing{ID: id, Files: []File{}, CreatedAt: at},
		},
		{
			Name: RatingAsked, Module: "crm", Permission: perm.ChannelsView, Hidden: true,
			Description: "A customer of a custom channel should be asked for a rating.", Example: Asked{ID: id, ExpiresAt: at},
		},
	}
}
