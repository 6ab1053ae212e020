package reply

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Retry sends a message again whose delivery failed.
func (s *Service) Retry(ctx context.Context, id, item uuid.UUID) (conversation.Item, error) {
	return s.Conversations.ChangeItem(ctx, id, item, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if c.MergedIntoID != nil {
			return fault.New(fault.Conflict).Because("merged")
		}
		if i.Kind != conversation.Message || i.AuthorKind == conversation.ByContact || i.Delivery == nil || *i.Delivery != conversation.Failed {
			return fault.New(fault.Conflict).Because("not_failed")
		}
		a := Answer{}
		if i.Channel != nil && *i.Channel != c.Channel {
			a.Channel, a.AccountID = *i.Channel, i.ChannelAccountID
		}
		route, err := s.findRouteAgain(tx, c, i, a)
		if err != nil {
			return err
		}
		// A rule warned about it and nobody gave a reason to send it anyway. E-mails are
		// judged again before they are handed over, other messages are not.
		if i.DeliveryError != nil && *i.DeliveryError == string(fault.DLPWarning) || route != nil && route.Channel != conversation.Mail {
			if _, err := s.checkText(tx, c, i, route, ""); err != nil {
				return err
			}
		}
		addressTo(i, c, route)
		i.DeliveryError = nil
		if err := conversation.SetRetrying(tx, i); err != nil {
			return fmt.Errorf("conversation: retry: %w", err)
		}
		if err := conversation.FillItem(&tx.Reader, i); err != nil || route == nil {
			return err
		}
		if err := s.Conversations.MarkLateAnswer(tx, c); err != nil {
			return err
		}
		_, err = s.send(tx, c, i, route)
		return err
	})
}
