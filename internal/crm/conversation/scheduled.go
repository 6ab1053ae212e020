package conversation

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// States of a message that goes out later.
const (
	ScheduledWaiting   = "waiting"
	ScheduledSent      = "sent"
	ScheduledCancelled = "cancelled"
	ScheduledFailed    = "failed"
)

const (
	// maxScheduled is how many may wait in one conversation.
	maxScheduled = 50
	// furthest is how far ahead a message may be written.
	furthest = 365 * 24 * time.Hour
)

// Scheduled is a message that goes out later.
type Scheduled struct {
	ID               uuid.UUID    `json:"id" format:"uuid"`
	ConversationID   uuid.UUID    `json:"conversation_id" format:"uuid"`
	State            string       `json:"state" enum:"waiting,sent,cancelled,failed" example:"waiting"`
	AuthorID         *uuid.UUID   `json:"author_id" nullable:"true" format:"uuid" doc:"The agent who wrote it"`
	Body             string       `json:"body" example:"Randevunuz yarın 10.00'da."`
	Channel          *string      `json:"channel" nullable:"true" example:"whatsapp" doc:"Another channel than the conversation's own"`
	ChannelAccountID *uuid.UUID   `json:"channel_account_id" nullable:"true" format:"uuid"`
	UntilReply       bool         `json:"until_reply" doc:"It is cancelled when the customer writes before"`
	SendAt           clock.Time   `json:"send_at"`
	ItemID           *uuid.UUID   `json:"item_id" nullable:"true" format:"uuid" doc:"The message that it became"`
	Error            *string      `json:"error" nullable:"true" example:"no_route" doc:"Why it could not be sent"`
	Attachments      []Attachment `json:"attachments" nullable:"false"`
	CreatedAt        clock.Time   `json:"created_at"`

	authorKind string
	test       bool
}
