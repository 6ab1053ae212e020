package conversation

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// editWindow is how long a message can be changed after it was written. Notes
// can be changed at any time.
const editWindow = 24 * time.Hour

// Why an item cannot be edited or deleted.
const (
	LockedEvent     = "event"            // the timeline's own words
	LockedCustomer  = "customer_message" // what somebody else said is not ours to change
	LockedSent      = "already_sent"     // the customer has another copy
	LockedSending   = "sending"          // it is on its way
	LockedTime      = "too_old"
	LockedForwarded = "merged" // the conversation went into another
)

// EditPolicy says what the caller may do with an item.
type EditPolicy struct {
	CanEdit       bool        `json:"can_edit"`
	CanDelete     bool        `json:"can_delete"`
	EditReason    *string     `json:"edit_reason" nullable:"true" enum:"event,customer_message,already_sent,sending,too_old,merged,other_author" doc:"Why it cannot be edited"`
	DeleteReason  *string     `json:"delete_reason" nullable:"true" enum:"event,sending,merged,other_author" doc:"Why it cannot be deleted"`
	EditableUntil *clock.Time `json:"editable_until" nullable:"true" doc:"When editing ends; null where it does not, or where it cannot be edited"`
}

// otherAuthor is the reason where only the permission to delete conversations
// is missing.
const otherAuthor = "other_author"

// policy applies the rules. Mine says that the caller wrote it, manages that
// they may change what others wrote.
func policy(i *Item, merged, mine, manages bool, now time.Time) EditPolicy {
	no := func(reason string) *string { return &reason }
	var p EditPolicy
	until := i.CreatedAt.Add(editWindow)
	switch {
	case merged:
		p.EditReason, p.DeleteReason = no(LockedForwarded), no(LockedForwarded)
	case i.Kind == Event:
		p.EditReason, p.DeleteReason = no(LockedEvent), no(LockedEvent)
	case !mine && !manages:
		p.EditReason, p.DeleteReason = no(otherAuthor), no(otherAuthor)
		if i.AuthorKind == ByContact {
			p.EditReason = no(LockedCustomer)
		}
	case i.Kind == Note:
	case i.AuthorKind == ByContact:
		p.EditReason = no(LockedCustomer)
	case i.Delivery != nil && *i.Delivery == Queued:
		p.EditReason, p.DeleteReason = no(LockedSending), no(LockedSending)
	case i.Delivery != nil && *i.Delivery == Sent:
		p.EditReason = no(LockedSent)
	case !now.Before(until):
		p.EditReason = no(LockedTime)
	default:
		p.EditableUntil = clock.Ptr(until)
	}
	p.CanEdit, p.CanDelete = p.EditReason == nil, p.DeleteReason == nil
	return p
}

// Edition is what an item said before an edit.
type Edition struct {
	ID         uuid.UUID  `json:"id" format:"uuid"`
	Body       string     `json:"body" example:"Siparişiniz bugün teslim edilecek."`
	EditorKind string     `json:"editor_kind" enum:"agent,contact,bot,system,api_key" example:"agent"`
	EditorID   *uuid.UUID `json:"editor_id" nullable:"true" format:"uuid" doc:"Who replaced it"`
	EditedAt   clock.Time `json:"edited_at"`
}

// Reaction is somebody's answer to an item in one sign.
type Reaction struct {
	Emoji      string     `json:"emoji" example:"👍"`
	AuthorKind string     `json:"author_kind" enum:"agent,contact,bot,system,api_key" example:"agent"`
	AuthorID   uuid.UUID  `json:"author_id" format:"uuid"`
	At         clock.Time `json:"at"`
}

// AISource is something that an answer of the assistant relied on.
type AISource struct {
	Kind    string `json:"kind" example:"article" doc:"Where it comes from: article, website, file, conversation"`
	Title   string `json:"title" example:"İade koşulları"`
	URL     string `json:"url" example:"https://yardim.kayamobilya.example/iade" doc:"Empty where it has no address"`
	Excerpt string `json:"excerpt" example:"Ürünü 14 gün içinde iade edebilirsiniz." doc:"The words that mattered"`
}

// Header is one line of an e-mail's head.
type Header struct {
	Name  string `json:"name" example:"Received"`
	Value string `json:"value" example:"from mx.example.com"`
}

// Email is the e-mail that an item came in or went out as. The e-mail channel
// makes it: HTML must be sanitised before it gets here, RawBlobID is the whole
// message as it came over the wire.
type Email struct {
	MessageID string      `json:"message_id" example:"CAF00BA7@mail.example.com" doc:"Without angle brackets"`
	From      string      `json:"from" example:"Elif Kaya <elif@kayamobilya.example>"`
	To        []string    `json:"to" nullable:"false" example:"[\"destek@demo.example\"]"`
	Cc        []string    `json:"cc" nullable:"false" example:"[]"`
	ReplyTo   string      `json:"reply_to" example:"elif@kayamobilya.example"`
	Subject   string      `json:"subject" example:"Teslimat tarihi"`
	Date      *clock.Time `json:"date" nullable:"true" doc:"As the sender wrote it"`
	Headers   []Header    `json:"headers" nullable:"false"`
	Text      string      `json:"text" doc:"The whole text, with what the answer quotes"`
	HTML      string      `json:"html" doc:"Sanitised; empty where the message had none"`
	RawSize   int64       `json:"raw_size" example:"5120" doc:"0 where the original was not kept"`

	RawBlobID *uuid.UUID `json:"-"`
}
