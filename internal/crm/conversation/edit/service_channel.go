package edit

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// EditOnChannel applies an edit that the author made in the channel's own app, and keeps
// the earlier text. It returns false if we do not have the message.
func (s *Service) EditOnChannel(ctx context.Context, account uuid.UUID, providerMessageID, body string) (known bool, err error) {
	return s.onChannel(ctx, account, providerMessageID, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if body = strings.TrimSpace(body); body == i.Body {
			return conversation.ErrUnchanged
		}
		return s.setBody(tx, c, i, body, conversation.Author{Kind: i.AuthorKind, ID: i.AuthorID})
	})
}

// DeleteOnChannel hides a message that its author deleted in the channel's own app; if we
// do not have it yet, the deletion waits for it.
func (s *Service) DeleteOnChannel(ctx context.Context, account uuid.UUID, providerMessageID string) error {
	known, err := s.onChannel(ctx, account, providerMessageID, s.takeBack)
	if err != nil || known {
		return err
	}
	return s.Keep(ctx, account, providerMessageID, Early{Kind: EarlyDeleted})
}

func (s *Service) onChannel(
	ctx context.Context, account uuid.UUID, providerMessageID string, fn func(*db.Tx, *conversation.Conversation, *conversation.Item) error,
) (known bool, err error) {
	var found conversation.Item
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		found, err = conversation.ItemByProvider(r, account, providerMessageID)
		return err
	})
	if db.IsNoRow(err) {
		return false, nil
	}
	if err == nil {
		_, err = s.Conversations.ChangeItem(ctx, found.ConversationID, found.ID, fn)
	}
	if fault.Is(err, fault.NotFound) { // it is hidden already
		err = nil
	}
	return true, err
}
