package edit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
)

// editWindow is how long a message can be changed after it was written. Notes can always be
// changed.
const editWindow = 24 * time.Hour

// Why an item cannot be edited or deleted.
const (
	LockedEvent     = "event"            // it is a timeline event
	LockedCustomer  = "customer_message" // the customer wrote it
	LockedSent      = "already_sent"     // the customer has another copy
	LockedSending   = "sending"          // it is on its way
	LockedTime      = "too_old"
	LockedForwarded = "merged" // the conversation was merged into another
)

// EditPolicy tells what the caller may do with an item.
type EditPolicy struct {
	CanEdit       bool        `json:"can_edit"`
	CanDelete     bool        `json:"can_delete"`
	EditReason    *string     `json:"edit_reason" nullable:"true" enum:"event,customer_message,already_sent,sending,too_old,merged,other_author" doc:"Why it cannot be edited"`
	DeleteReason  *string     `json:"delete_reason" nullable:"true" enum:"event,sending,merged,other_author" doc:"Why it cannot be deleted"`
	EditableUntil *clock.Time `json:"editable_until" nullable:"true" doc:"When editing ends; null if it does not end or the item cannot be edited"`
}

// otherAuthor is the reason if only the permission to delete conversations is missing.
const otherAuthor = "other_author"

// policy applies the rules. If mine is true, the caller wrote the item; if manages is true,
// they may change items of others.
func policy(i *conversation.Item, merged, mine, manages bool, now time.Time) EditPolicy {
	no := func(reason string) *string { return &reason }
	var p EditPolicy
	until := i.CreatedAt.Add(editWindow)
	switch {
	case merged:
		p.EditReason, p.DeleteReason = no(LockedForwarded), no(LockedForwarded)
	case i.Kind == conversation.Event:
		p.EditReason, p.DeleteReason = no(LockedEvent), no(LockedEvent)
	case !mine && !manages:
		p.EditReason, p.DeleteReason = no(otherAuthor), no(otherAuthor)
		if i.AuthorKind == conversation.ByContact {
			p.EditReason = no(LockedCustomer)
		}
	case i.Kind == conversation.Note:
	case i.AuthorKind == conversation.ByContact:
		p.EditReason = no(LockedCustomer)
	case i.Delivery != nil && *i.Delivery == conversation.Queued:
		p.EditReason, p.DeleteReason = no(LockedSending), no(LockedSending)
	case i.Delivery != nil && *i.Delivery == conversation.Sent:
		p.EditReason = no(LockedSent)
	case !now.Before(until):
		p.EditReason = no(LockedTime)
	default:
		p.EditableUntil = clock.Ptr(until)
	}
	p.CanEdit, p.CanDelete = p.EditReason == nil, p.DeleteReason == nil
	return p
}

// Edition is the text of an item before an edit.
type Edition struct {
	ID         uuid.UUID  `json:"id" format:"uuid"`
	Body       string     `json:"body" example:"Siparişiniz bugün teslim edilecek."`
	EditorKind string     `json:"editor_kind" enum:"agent,contact,bot,system,api_key" example:"agent"`
	EditorID   *uuid.UUID `json:"editor_id" nullable:"true" format:"uuid" doc:"Who replaced this version"`
	EditedAt   clock.Time `json:"edited_at"`
}

// typedBy reports whether the caller entered an item in the customer's name.
func typedBy(ctx context.Context, i *conversation.Item) bool {
	by, _ := i.Detail[conversation.TypedBy].(map[string]any)
	who := caller.From(ctx)
	return by["kind"] == string(who.Kind) && by["id"] == who.ID.String()
}
