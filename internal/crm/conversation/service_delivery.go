package conversation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
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
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return absent(err)
		}
		// Under the conversation's lock no other report comes between.
		if c, err = lock(tx, item.ConversationID); err != nil {
			return absent(err)
		}
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return absent(err)
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
		if err := s.refused(tx, &c, &item, d.Refused); err != nil {
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
	return s.announce(tx, []string{ItemChanged}, nil, c, item)
}

// refused adds recipients whom a message did not reach to the item's detail and
// tells open panels. One who stands there already stays as they are.
func (s *Service) refused(tx *db.Tx, c *Conversation, item *Item, list []RefusedRecipient) error {
	all := refusedRecipients(item)
	before := len(all)
	for _, r := range list {
		if !slices.ContainsFunc(all, func(known RefusedRecipient) bool { return address.Fold(known.Address) == address.Fold(r.Address) }) {
			all = append(all, r)
		}
	}
	if len(all) == before {
		return nil
	}
	detail := maps.Clone(item.Detail)
	if detail == nil {
		detail = map[string]any{}
	}
	detail["refused_recipients"] = all
	item.Detail = detail
	if err := setDetail(tx, item); err != nil {
		return fmt.Errorf("conversation: refused recipients: %w", err)
	}
	return s.announce(tx, []string{ItemChanged}, nil, c, item)
}

// refusedRecipients reads whom a message did not reach out of its detail.
func refusedRecipients(item *Item) (list []RefusedRecipient) {
	all, _ := item.Detail["refused_recipients"].([]any)
	for _, v := range all {
		if r, ok := v.(map[string]any); ok {
			to, _ := r["address"].(string)
			why, _ := r["reason"].(string)
			list = append(list, RefusedRecipient{to, why})
		}
	}
	return list
}

func (s *Service) delivered(ctx context.Context, id uuid.UUID, d Delivery) (c Conversation, item Item, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = itemByID(&tx.Reader, id); err != nil {
			return absent(err)
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
	var provider, reason *string
	if d.ProviderMessageID != "" {
		provider = &d.ProviderMessageID
	}
	if d.Status == Queued && d.Error != "" {
		reason = &d.Error
	}
	failedBefore := item.Delivery != nil && *item.Delivery == Failed
	item.Delivery, item.DeliveryError = &d.Status, reason
	if err := setDelivery(tx, item.ID, d.Status, reason, provider); err != nil {
		return c, item, err
	}
	if failedBefore && d.Status == Sent {
		c, err = s.leftAfterAll(tx, item.ConversationID)
		return c, item, err
	}
	c, err = byID(&tx.Reader, item.ConversationID)
	return c, item, absent(err)
}

// leftAfterAll counts a message that failed and was then sent all the same as
// the first answer, where there is no other.
func (s *Service) leftAfterAll(tx *db.Tx, conversation uuid.UUID) (Conversation, error) {
	c, err := lock(tx, conversation)
	if err != nil || c.FirstReplyAt != nil {
		return c, absent(err)
	}
	markAnswered(tx, &c)
	c.UpdatedAt = clock.At(tx.Now())
	return c, save(tx, &c, c.State)
}

// forgetFirstReply takes back that a message which failed was the first answer:
// the first one that left is, or is on its way, or there is none.
func forgetFirstReply(tx *db.Tx, c *Conversation, failed *Item) error {
	if c.FirstReplyAt == nil {
		return nil
	}
	source, _ := sourceOf(c.Channel)
	first, err := firstAnswerAt(&tx.Reader, c.ID, !source.needsRoute)
	switch {
	case db.IsNoRow(err):
		c.FirstReplyAt = nil
	case err != nil:
		return fmt.Errorf("conversation: first answer: %w", err)
	case first.After(failed.CreatedAt.Time):
		c.FirstReplyAt = &first
	}
	return nil
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
	if err := forgetFirstReply(tx, &c, &item); err != nil {
		return c, item, err
	}
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
