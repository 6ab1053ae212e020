package reply

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/idempotency"
)

// ReplyAsCustomer adds a message that the customer gave elsewhere, with uploads of the
// caller. The item records who typed it.
func (s *Service) ReplyAsCustomer(ctx context.Context, id uuid.UUID, body string, attachments ...uuid.UUID) (out conversation.Written, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		was, err := conversation.Lock(tx, id)
		if err != nil {
			return err
		}
		item := &conversation.Item{
			Kind: conversation.Message, AuthorKind: conversation.ByContact, AuthorID: &was.ContactID, Body: strings.TrimSpace(body), Channel: &was.Channel,
			Detail: map[string]any{conversation.TypedBy: callerDetail(tx.Context())},
		}
		if err := s.takeFiles(tx, item, attachments, nil); err != nil {
			return err
		}
		if out.Conversation, err = s.Conversations.ReceiveCustomerMessage(tx, was, item); err != nil {
			return err
		}
		out.Item = *item
		return audit.Write(tx, "conversation.replied_as_customer", item.ID.String(), map[string]string{"conversation": out.Conversation.ID.String()})
	})
	return out, err
}

// callerDetail returns the caller in the form of an item's detail.
func callerDetail(ctx context.Context) map[string]any {
	who := caller.From(ctx)
	return map[string]any{"kind": string(who.Kind), "id": who.ID.String()}
}
