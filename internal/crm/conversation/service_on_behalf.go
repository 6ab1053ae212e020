package conversation

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/idempotency"
)

// TypedBy is in the detail of a message that somebody wrote down in the
// customer's name, and says who: {"kind": "agent", "id": "…"}.
const TypedBy = "typed_by"

// ReplyAsCustomer writes what the customer said elsewhere, with uploads of the
// caller. The item keeps who typed it.
func (s *Service) ReplyAsCustomer(ctx context.Context, id uuid.UUID, body string, attachments ...uuid.UUID) (out Written, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &out, func(tx *db.Tx) error {
		was, err := lockUnmerged(tx, id)
		if err != nil {
			return err
		}
		item := &Item{
			Kind: Message, AuthorKind: ByContact, AuthorID: &was.ContactID, Body: strings.TrimSpace(body), Channel: &was.Channel,
			Detail: map[string]any{TypedBy: typist(tx.Context())},
		}
		if err := s.compose(tx, item, attachments, nil); err != nil {
			return err
		}
		if out.Conversation, err = s.wrote(tx, was, item); err != nil {
			return err
		}
		out.Item = *item
		return audit.Write(tx, "conversation.replied_as_customer", item.ID.String(), map[string]string{"conversation": out.Conversation.ID.String()})
	})
	return out, err
}

// typist is the caller as an item's detail keeps them.
func typist(ctx context.Context) map[string]any {
	who := caller.From(ctx)
	return map[string]any{"kind": string(who.Kind), "id": who.ID.String()}
}

// TypistOf is the agent who wrote an item down in the customer's name; false
// where none did.
func TypistOf(i *Item) (uuid.UUID, bool) {
	by, _ := i.Detail[TypedBy].(map[string]any)
	if by["kind"] != ByAgent {
		return uuid.Nil, false
	}
	text, _ := by["id"].(string)
	id, err := uuid.Parse(text)
	return id, err == nil
}

// typedBy says whether the caller wrote an item down in the customer's name.
func typedBy(ctx context.Context, i *Item) bool {
	by, _ := i.Detail[TypedBy].(map[string]any)
	who := caller.From(ctx)
	return by["kind"] == string(who.Kind) && by["id"] == who.ID.String()
}
