package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Outcome is the result of a bulk action for one conversation.
type Outcome struct {
	ID    uuid.UUID           `json:"id" format:"uuid"`
	OK    bool                `json:"ok"`
	State *conversation.State `json:"state" nullable:"true" enum:"open,snoozed,closed"`
	Error *string             `json:"error" nullable:"true" example:"not_found"`
}

// Each runs an action on every conversation, each in its own transaction, and returns the
// result for each. An error in the request itself refuses it as a whole, before anything is
// changed.
func (s *Service) Each(ctx context.Context, ids []uuid.UUID, fn func(context.Context, uuid.UUID) (conversation.Conversation, error)) ([]Outcome, error) {
	out, changed := make([]Outcome, 0, len(ids)), false
	for _, id := range ids {
		c, err := fn(idempotency.ForRow(ctx, id.String()), id)
		if err == nil {
			out, changed = append(out, Outcome{ID: id, OK: true, State: &c.State}), true
			continue
		}
		f, known := fault.As(err)
		if ctx.Err() != nil || known && f.Code == fault.ValidationFailed && !changed {
			return out, err
		}
		code := string(fault.Internal)
		if known {
			code = string(f.Code)
		} else {
			s.Log.ErrorContext(ctx, "bulk action failed", "conversation", id, "error", err)
		}
		out = append(out, Outcome{ID: id, Error: &code})
	}
	return out, nil
}
