package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// Delivered is how a channel reports what became of a message.
func (s *Service) Delivered(ctx context.Context, item uuid.UUID, d Delivery) error {
	_, _, err := s.delivered(ctx, item, d)
	return err
}

func (s *Service) delivered(ctx context.Context, id uuid.UUID, d Delivery) (c Conversation, item Item, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return absent(err)
		}
		if err := filled(&tx.Reader, &item); err != nil {
			return err
		}
		if d.Status == Failed {
			c, item, err = s.failed(tx, item.ConversationID, item, d)
			return err
		}
		var provider *string
		if d.ProviderMessageID != "" {
			provider = &d.ProviderMessageID
		}
		item.Delivery = &d.Status
		if err := setDelivery(tx, id, d.Status, nil, provider); err != nil {
			return err
		}
		c, err = byID(&tx.Reader, item.ConversationID)
		return absent(err)
	})
	return c, item, err
}

// failed marks a message and leaves a channel_delivery_failed event beside it.
func (s *Service) failed(tx *db.Tx, conversation uuid.UUID, item Item, d Delivery) (Conversation, Item, error) {
	was, err := lock(tx, conversation)
	if err != nil {
		return was, item, absent(err)
	}
	if item.Delivery != nil && *item.Delivery == Failed {
		return was, item, nil
	}
	status := Failed
	item.Delivery, item.DeliveryError = &status, &d.Error
	if err := setDelivery(tx, item.ID, Failed, &d.Error, nil); err != nil {
		return was, item, err
	}
	c := was
	mark := happened(tx, "channel_delivery_failed", map[string]any{"item_id": item.ID, "error": d.Error, "channel": item.Channel})
	place(tx, &c, []*Item{mark})
	if err := save(tx, &c, was.State); err != nil {
		return c, item, err
	}
	if err := s.follow(tx, &was, &c, []*Item{mark}); err != nil {
		return c, item, err
	}
	_, err = event.Emit(tx, event.Change{Type: DeliveryFailed, Object: &c, Item: item, Test: c.Test || item.test})
	return c, item, err
}
