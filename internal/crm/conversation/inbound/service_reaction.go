package inbound

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/kit/db"
	"konak/internal/kit/emoji"
	"konak/internal/kit/fault"
)

// CustomerReacted stores a customer's reaction to a message with a provider id; an empty
// sign removes it. A reaction to a message that we do not have yet waits for it. A sign
// that is not an emoji is ignored.
func (s *Service) CustomerReacted(ctx context.Context, account uuid.UUID, providerMessageID, sign string) error {
	if sign != "" && !emoji.Is(sign) {
		return nil
	}
	var i conversation.Item
	var customer uuid.UUID
	err := s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if i, err = conversation.ItemByProvider(r, account, providerMessageID); err != nil {
			return err
		}
		c, err := conversation.ByID(r, i.ConversationID)
		customer = c.ContactID
		return err
	})
	if db.IsNoRow(err) {
		return s.Edits.Keep(ctx, account, providerMessageID, edit.Early{Kind: edit.EarlyReaction, Value: sign})
	}
	if err == nil {
		_, err = s.Conversations.SetReaction(ctx, i.ConversationID, i.ID, conversation.Reaction{Emoji: sign, AuthorKind: conversation.ByContact, AuthorID: customer}, false, s.tellOfReaction(sign))
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// tellOfReaction returns a function that notifies the assistant of a customer's reaction to
// its answer.
func (s *Service) tellOfReaction(sign string) func(*db.Tx, *conversation.Conversation, *conversation.Item) error {
	return func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if s.Assistant == nil || i.AuthorKind != conversation.ByBot {
			return nil
		}
		return s.Assistant.CustomerReacted(tx, *c, *i, sign)
	}
}
