package later

import (
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// States of a scheduled message.
const (
	Waiting   = "waiting"
	Sent      = "sent"
	Cancelled = "cancelled"
	Failed    = "failed"
)

// FollowUp is what happens to a conversation once the message is sent.
type FollowUp struct {
	State      string      `json:"state" enum:"closed,snoozed" example:"closed"`
	Until      *clock.Time `json:"until,omitempty" doc:"End of the snooze"`
	UntilReply bool        `json:"until_reply,omitempty" doc:"For a snooze: until the customer writes"`
}

// Scheduled is a message that is sent later.
type Scheduled struct {
	ID               uuid.UUID         `json:"id" format:"uuid"`
	ConversationID   uuid.UUID         `json:"conversation_id" format:"uuid"`
	State            string            `json:"state" enum:"waiting,sent,cancelled,failed" example:"waiting"`
	AuthorID         *uuid.UUID        `json:"author_id" nullable:"true" format:"uuid" doc:"Agent who wrote it"`
	Body             string            `json:"body" example:"Randevunuz yarın 10.00'da."`
	Format           string            `json:"format" enum:"plain,markdown" example:"plain" doc:"Format of the text"`
	Signature        bool              `json:"signature" doc:"Whether the author's signature is added if it goes by e-mail"`
	Channel          *string           `json:"channel" nullable:"true" example:"whatsapp" doc:"Channel, if not the conversation's own"`
	ChannelAccountID *uuid.UUID        `json:"channel_account_id" nullable:"true" format:"uuid"`
	UntilReply       bool              `json:"until_reply" doc:"Whether it is cancelled if the customer writes first"`
	SendAt           clock.Time        `json:"send_at"`
	ItemID           *uuid.UUID        `json:"item_id" nullable:"true" format:"uuid" doc:"Message it was sent as"`
	Error            *string           `json:"error" nullable:"true" example:"no_route" doc:"Why it could not be sent"`
	Attachments      []file.Attachment `json:"attachments" nullable:"false"`
	// FollowUp is a separate field, so that null means none.
	FollowUp  api.Nullable[FollowUp] `json:"then" doc:"What happens to the conversation once the message is sent"`
	CreatedAt clock.Time             `json:"created_at"`

	AuthorKind string `json:"-"`
	// Override is the reason for sending it despite a rule's warning, "" for none.
	Override string `json:"-"`
	Test     bool   `json:"-"`
}

// Cancel cancels messages whose rows are locked and removes their files.
func Cancel(tx *db.Tx, list []*Scheduled) error {
	for _, m := range list {
		m.State = Cancelled
		if err := Save(tx, m); err != nil {
			return fmt.Errorf("later: cancel: %w", err)
		}
		if err := discardFiles(tx, m.ID); err != nil {
			return err
		}
		if err := audit.Write(tx, "conversation.schedule_cancelled", m.ID.String(), map[string]string{"conversation": m.ConversationID.String()}); err != nil {
			return err
		}
	}
	return nil
}

func discardFiles(tx *db.Tx, id uuid.UUID) error {
	files, err := file.OfScheduled(&tx.Reader, []uuid.UUID{id})
	if err != nil || len(files[id]) == 0 {
		return err
	}
	return file.Remove(tx, each.Map(files[id], func(a file.Attachment) uuid.UUID { return a.ID }))
}

// CancelOnReply cancels the messages that should only go if the customer stays silent, and
// reports whether there were any.
func CancelOnReply(tx *db.Tx, conversation uuid.UUID) (bool, error) {
	list, err := LockWaiting(tx, conversation)
	if err != nil {
		return false, err
	}
	var off []*Scheduled
	for n := range list {
		if list[n].UntilReply {
			off = append(off, &list[n])
		}
	}
	return len(off) > 0, Cancel(tx, off)
}
