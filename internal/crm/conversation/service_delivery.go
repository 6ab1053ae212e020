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

// Standing is what became of a message so far, "" where it is gone: another
// attempt may have carried it out meanwhile.
func (s *Service) Standing(r *db.Reader, item uuid.UUID) (string, error) {
	i, err := itemByID(r, item)
	if db.IsNoRow(err) || err == nil && i.Delivery == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return *i.Delivery, nil
}

// Known finds our message by the provider's name for it; false where there is
// none.
func (s *Service) Known(r *db.Reader, account uuid.UUID, providerMessageID string) (uuid.UUID, bool, error) {
	i, err := itemByProvider(r, account, providerMessageID)
	if db.IsNoRow(err) {
		return uuid.Nil, false, nil
	}
	return i.ID, err == nil, err
}

// SentOver says whether an item is a message of ours that goes over an account.
func (s *Service) SentOver(r *db.Reader, account, item uuid.UUID) (bool, error) {
	i, err := itemByID(r, item)
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil && i.Kind == Message && i.AuthorKind != ByContact && i.ChannelAccountID != nil && *i.ChannelAccountID == account, err
}

// Reported is Delivered for reports that come later, by themselves and in any
// order: what failed stays failed, and what was sent is not sent anew.
func (s *Service) Reported(ctx context.Context, item uuid.UUID, d Delivery) error {
	var i Item
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		i, err = itemByID(r, item)
		return absent(err)
	})
	if err != nil || i.Delivery != nil && (*i.Delivery == Failed || *i.Delivery == d.Status) {
		return err
	}
	return s.Delivered(ctx, item, d)
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
