package inbound

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
)

// Delivered is how a channel reports what became of a message.
func (s *Service) Delivered(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	_, _, err := s.applyDelivery(ctx, item, d)
	return err
}

// Standing is what became of a message so far, "" where it is gone: another
// attempt may have carried it out meanwhile.
func (s *Service) Standing(r *db.Reader, item uuid.UUID) (string, error) {
	i, err := conversation.ItemByID(r, item)
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
	i, err := conversation.ItemByProvider(r, account, providerMessageID)
	if db.IsNoRow(err) {
		return uuid.Nil, false, nil
	}
	return i.ID, err == nil, err
}

// SentOver says whether an item is a message of ours that goes over an account.
func (s *Service) SentOver(r *db.Reader, account, item uuid.UUID) (bool, error) {
	i, err := conversation.ItemByID(r, item)
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil && i.Kind == conversation.Message && i.AuthorKind != conversation.ByContact && i.ChannelAccountID != nil && *i.ChannelAccountID == account, err
}

// Reported is Delivered for reports that overtake each other, such as those of
// a provider that calls back: what was sent does not wait again, and what failed
// stays failed until somebody sends it anew.
func (s *Service) Reported(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	_, _, err := s.ApplyReport(ctx, item, d)
	return err
}

// ApplyReport is Reported for callers who need the conversation and the item as
// they are afterwards.
func (s *Service) ApplyReport(ctx context.Context, id uuid.UUID, d conversation.Delivery) (c conversation.Conversation, item conversation.Item, err error) {
	err = s.gate.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = conversation.ItemByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		// Under the conversation's lock no other report comes between.
		if c, err = conversation.LockAny(tx, item.ConversationID); err != nil {
			return db.NotFound(err)
		}
		if item, err = conversation.ItemByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		known := item.Delivery != nil && (*item.Delivery == conversation.Failed || *item.Delivery == d.Status || d.Status == conversation.Queued)
		if known {
			err = conversation.FillItem(&tx.Reader, &item)
		} else {
			c, item, err = s.setOutcome(tx, item, d)
		}
		if err != nil {
			return err
		}
		if err := s.addRefusedRecipients(tx, &c, &item, d.Refused); err != nil {
			return err
		}
		return s.saveReceipts(tx, &c, &item, d)
	})
	return c, item, err
}

// saveReceipts keeps when a message reached the customer and when they read it, and
// tells open panels. Reports overtake each other: the first time of each stays,
// and what was read was delivered.
func (s *Service) saveReceipts(tx *db.Tx, c *conversation.Conversation, item *conversation.Item, d conversation.Delivery) error {
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
	if err := conversation.SetReceipts(tx, item); err != nil {
		return err
	}
	return s.gate.Announce(tx, []string{conversation.ItemChanged}, nil, c, item)
}

// addRefusedRecipients adds recipients whom a message did not reach to the item's
// detail and tells open panels. One who stands there already stays as they are.
func (s *Service) addRefusedRecipients(tx *db.Tx, c *conversation.Conversation, item *conversation.Item, list []conversation.RefusedRecipient) error {
	all := refusedRecipients(item)
	before := len(all)
	for _, r := range list {
		if !slices.ContainsFunc(all, func(known conversation.RefusedRecipient) bool {
			return address.Fold(known.Address) == address.Fold(r.Address)
		}) {
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
	if err := conversation.SetDetail(tx, item); err != nil {
		return fmt.Errorf("inbound: refused recipients: %w", err)
	}
	return s.gate.Announce(tx, []string{conversation.ItemChanged}, nil, c, item)
}

// refusedRecipients reads whom a message did not reach out of its detail.
func refusedRecipients(item *conversation.Item) (list []conversation.RefusedRecipient) {
	all, _ := item.Detail["refused_recipients"].([]any)
	for _, v := range all {
		if r, ok := v.(map[string]any); ok {
			to, _ := r["address"].(string)
			why, _ := r["reason"].(string)
			list = append(list, conversation.RefusedRecipient{Address: to, Reason: why})
		}
	}
	return list
}

func (s *Service) applyDelivery(ctx context.Context, id uuid.UUID, d conversation.Delivery) (c conversation.Conversation, item conversation.Item, err error) {
	err = s.gate.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if item, err = conversation.ItemByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		c, item, err = s.setOutcome(tx, item, d)
		return err
	})
	return c, item, err
}

func (s *Service) setOutcome(tx *db.Tx, item conversation.Item, d conversation.Delivery) (c conversation.Conversation, _ conversation.Item, err error) {
	if err := conversation.FillItem(&tx.Reader, &item); err != nil {
		return c, item, err
	}
	if d.Status == conversation.Failed {
		return s.MarkFailed(tx, item.ConversationID, item, d)
	}
	var provider, reason *string
	if d.ProviderMessageID != "" {
		provider = &d.ProviderMessageID
	}
	if d.Status == conversation.Queued && d.Error != "" {
		reason = &d.Error
	}
	failedBefore := item.Delivery != nil && *item.Delivery == conversation.Failed
	item.Delivery, item.DeliveryError = &d.Status, reason
	if err := conversation.SetDelivery(tx, item.ID, d.Status, reason, provider); err != nil {
		return c, item, err
	}
	if failedBefore && d.Status == conversation.Sent {
		c, err = s.countLateAnswer(tx, item.ConversationID)
		return c, item, err
	}
	c, err = conversation.ByID(&tx.Reader, item.ConversationID)
	return c, item, db.NotFound(err)
}

// countLateAnswer counts a message that failed and was then sent all the same as
// the first answer, where there is no other.
func (s *Service) countLateAnswer(tx *db.Tx, id uuid.UUID) (conversation.Conversation, error) {
	c, err := conversation.LockAny(tx, id)
	if err != nil {
		return c, db.NotFound(err)
	}
	return c, s.gate.MarkFirstReply(tx, &c)
}

// forgetFirstReply takes back that a message which failed was the first answer:
// the first one that left is, or is on its way, or there is none. The caller
// saves the conversation.
func forgetFirstReply(tx *db.Tx, c *conversation.Conversation, failed *conversation.Item) error {
	if c.FirstReplyAt == nil {
		return nil
	}
	source, _ := conversation.SourceOf(c.Channel)
	first, err := conversation.FirstAnswerAt(&tx.Reader, c.ID, !source.NeedsRoute)
	switch {
	case db.IsNoRow(err):
		c.FirstReplyAt = nil
	case err != nil:
		return fmt.Errorf("inbound: first answer: %w", err)
	case first.After(failed.CreatedAt.Time):
		c.FirstReplyAt = &first
	}
	return nil
}

// MarkFailed marks a message and leaves a channel_delivery_failed event beside it.
func (s *Service) MarkFailed(tx *db.Tx, conversationID uuid.UUID, item conversation.Item, d conversation.Delivery) (conversation.Conversation, conversation.Item, error) {
	was, err := conversation.LockAny(tx, conversationID)
	if err != nil {
		return was, item, db.NotFound(err)
	}
	if item.Delivery != nil && *item.Delivery == conversation.Failed {
		return was, item, nil
	}
	status := conversation.Failed
	item.Delivery, item.DeliveryError = &status, &d.Error
	if err := conversation.SetDelivery(tx, item.ID, conversation.Failed, &d.Error, nil); err != nil {
		return was, item, err
	}
	c := was
	if err := forgetFirstReply(tx, &c, &item); err != nil {
		return c, item, err
	}
	mark := conversation.NewEvent(tx, "channel_delivery_failed", map[string]any{"item_id": item.ID, "error": d.Error, "channel": item.Channel})
	if err := s.gate.AddItem(tx, &c, mark); err != nil {
		return c, item, err
	}
	_, err = event.Emit(tx, event.Change{Type: conversation.DeliveryFailed, Object: &c, Item: item, Test: c.Test || item.Test})
	return c, item, err
}

// NotForwarded writes down that a forwarded message did not arrive.
func (s *Service) NotForwarded(ctx context.Context, id uuid.UUID, to []string, reason string) error {
	_, err := s.gate.Change(ctx, id, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		c := was
		return c, s.gate.RecordEvent(tx, was, &c, "channel_delivery_failed", map[string]any{"to": to, "error": reason, "channel": conversation.Mail})
	})
	return err
}
