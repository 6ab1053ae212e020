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

// Reported is Delivered for reports that overtake each other, such as those of
// a provider that calls back: what was sent does not wait again, and what failed
// stays failed until somebody sends it anew.
func (s *Service) Reported(ctx context.Context, item uuid.UUID, d Delivery) error {
	_, _, err := s.reported(ctx, item, d)
	return err
}

func (s *Service) reported(ctx context.Context, id uuid.UUID, d Delivery) (c Conversation, item Item, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return db.OrNotFound(err)
		}
		// Under the conversation's lock no other report comes between.
		if c, err = lock(tx, item.ConversationID); err != nil {
			return db.OrNotFound(err)
		}
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return db.OrNotFound(err)
		}
		known := item.Delivery != nil && (*item.Delivery == Failed || *item.Delivery == d.Status || d.Status == Queued)
		if known {
			err = filled(&tx.Reader, &item)
		} else {
			c, item, err = s.deliver(tx, item, d)
		}
		if err != nil {
			return err
		}
		return s.receipt(tx, &c, &item, d)
	})
	return c, item, err
}

// receipt keeps when a message reached the customer and when they read it, and
// tells open panels. Reports overtake each other: the first time of each stays,
// and what was read was delivered.
func (s *Service) receipt(tx *db.Tx, c *Conversation, item *Item, d Delivery) error {
	if d.DeliveredAt == nil {
		d.DeliveredAt = d.ReadAt
	}
	if (d.DeliveredAt == nil || item.DeliveredAt != nil) && (d.ReadAt == nil || item.ReadAt != nil) {
		return nil
	}
	if item.DeliveredAt == nil {
		item.DeliveredAt = d.DeliveredAt
	}
	if item.ReadAt == nil {
		item.ReadAt = d.ReadAt
	}
	if err := setReceipts(tx, item); err != nil {
		return err
	}
	return s.Announce(tx, []string{ItemChanged}, nil, c, item)
}

func (s *Service) delivered(ctx context.Context, id uuid.UUID, d Delivery) (c Conversation, item Item, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return db.OrNotFound(err)
		}
		c, item, err = s.deliver(tx, item, d)
		return err
	})
	return c, item, err
}

func (s *Service) deliver(tx *db.Tx, item Item, d Delivery) (c Conversation, _ Item, err error) {
	if err := filled(&tx.Reader, &item); err != nil {
		return c, item, err
	}
	if d.Status == Failed {
		return s.failed(tx, item.ConversationID, item, d)
	}
	var provider *string
	if d.ProviderMessageID != "" {
		provider = &d.ProviderMessageID
	}
	item.Delivery = &d.Status
	if err := setDelivery(tx, item.ID, d.Status, nil, provider); err != nil {
		return c, item, err
	}
	c, err = ByID(&tx.Reader, item.ConversationID)
	return c, item, db.OrNotFound(err)
}

// failed marks a message and leaves a channel_delivery_failed event beside it.
func (s *Service) failed(tx *db.Tx, conversation uuid.UUID, item Item, d Delivery) (Conversation, Item, error) {
	was, err := lock(tx, conversation)
	if err != nil {
		return was, item, db.OrNotFound(err)
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
