package inbound

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// RecordOutcome is called by a channel to report the result of sending a message.
func (s *Service) RecordOutcome(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	return s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, i, err := lockItem(tx, item)
		if err == nil {
			_, _, err = s.setOutcome(tx, c, i, d)
		}
		return err
	})
}

// DeliveryState returns the delivery state of a message so far, "" if it is gone: another
// attempt may have sent it meanwhile.
func (s *Service) DeliveryState(r *db.Reader, item uuid.UUID) (string, error) {
	i, err := conversation.ItemByID(r, item)
	if db.IsNoRow(err) || err == nil && i.Delivery == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return *i.Delivery, nil
}

// HasRecipient reports whether the conversation and the customer of a message still exist.
func (s *Service) HasRecipient(r *db.Reader, item uuid.UUID) (bool, error) {
	i, err := conversation.ItemByID(r, item)
	if err == nil {
		var c conversation.Conversation
		if c, err = conversation.ByID(r, i.ConversationID); err == nil {
			_, err = s.Contacts.Find(r, c.ContactID)
		}
	}
	return err == nil, db.IgnoreNoRow(err)
}

// overtakenUntil is how long a message waits for earlier ones: a message that the provider
// does not accept must not hold up a conversation for hours.
const overtakenUntil = 15 * time.Minute

// WaitForEarlier reports whether an earlier message of ours to the same customer, over the same
// account, has not been sent yet, so that the item would overtake it. It returns how long
// to wait before checking again, longer for an older item; 0 if there is no such message.
func (s *Service) WaitForEarlier(r *db.Reader, item uuid.UUID) (wait time.Duration, err error) {
	i, err := conversation.ItemByID(r, item)
	if err != nil || i.ChannelAccountID == nil {
		return 0, db.IgnoreNoRow(err)
	}
	c, err := conversation.ByID(r, i.ConversationID)
	if err != nil {
		return 0, db.IgnoreNoRow(err)
	}
	now := s.DB.Clock().Now()
	list, err := conversation.UnreadOn(r, c.ContactID, *i.ChannelAccountID, clock.At(now.Add(-overtakenUntil)), i.CreatedAt, conversation.Queued)
	// Ids are ordered by time and unique: of two messages written at the same moment only
	// one waits for the other.
	if !slices.ContainsFunc(list, func(other uuid.UUID) bool { return bytes.Compare(other[:], item[:]) < 0 }) {
		return 0, err
	}
	return min(max(now.Sub(i.CreatedAt.Time)/2, 300*time.Millisecond), 30*time.Second), err
}

// FindByProviderID returns our item with this provider message id, or false if there is none.
func (s *Service) FindByProviderID(r *db.Reader, account uuid.UUID, providerMessageID string) (uuid.UUID, bool, error) {
	i, err := conversation.ItemByProvider(r, account, providerMessageID)
	known, err := db.Found(err)
	return i.ID, known, err
}

// SentOver reports whether an item is a message of ours that goes over an account.
func (s *Service) SentOver(r *db.Reader, account, item uuid.UUID) (bool, error) {
	i, err := db.OrZero(conversation.ItemByID(r, item))
	return i.Kind == conversation.Message && i.AuthorKind != conversation.ByContact && i.ChannelAccountID != nil && *i.ChannelAccountID == account, err
}

// RecordReport is RecordOutcome for reports that can arrive out of order, such as a provider's
// callbacks: a sent message does not become queued again, and a failed one stays failed
// until somebody sends it again.
func (s *Service) RecordReport(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	_, _, err := s.ApplyReport(ctx, item, d)
	return err
}

// ApplyReport is RecordReport for callers who need the resulting conversation and item.
func (s *Service) ApplyReport(ctx context.Context, id uuid.UUID, d conversation.Delivery) (c conversation.Conversation, item conversation.Item, err error) {
	err = s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if c, item, err = lockItem(tx, id); err != nil {
			return err
		}
		known := item.Delivery != nil && (*item.Delivery == conversation.Failed || *item.Delivery == d.Status || d.Status == conversation.Queued)
		if known {
			err = conversation.FillItem(&tx.Reader, &item)
		} else {
			c, item, err = s.setOutcome(tx, c, item, d)
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

// ReadUntil applies a customer's report that they read everything up to a time. An unknown
// customer is ignored.
func (s *Service) ReadUntil(ctx context.Context, account uuid.UUID, customer string, until, at clock.Time) error {
	list, err := s.unreadOn(ctx, account, customer, until, conversation.Sent)
	for _, item := range list {
		if err == nil {
			err = s.RecordReport(ctx, item, conversation.Delivery{Status: conversation.Sent, ReadAt: &at})
		}
		if fault.Is(err, fault.NotFound) {
			err = nil // deleted meanwhile
		}
	}
	return err
}

// unreadOn lists our messages with a delivery state that were written to a customer up to a
// time; it is empty for an unknown customer.
func (s *Service) unreadOn(ctx context.Context, account uuid.UUID, customer string, until clock.Time, delivery string) (list []uuid.UUID, err error) {
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		who, err := s.Contacts.OnAccount(r, account, customer)
		if err != nil {
			return err
		}
		list, err = conversation.UnreadOn(r, who.ID, account, clock.At(time.Unix(0, 0)), until, delivery)
		return err
	})
	return list, db.IgnoreNoRow(err)
}

// aheadMost is the maximum time by which a message's place in the timeline may be ahead of
// the clock.
const aheadMost = time.Hour

// AwaitsDelivery reports whether a message of ours to a customer is on its way whose
// provider id is not known yet.
func (s *Service) AwaitsDelivery(ctx context.Context, account uuid.UUID, customer string) (bool, error) {
	list, err := s.unreadOn(ctx, account, customer, clock.At(s.DB.Clock().Now().Add(aheadMost)), conversation.Queued)
	return len(list) > 0, err
}

// lockItem reads a message and locks its conversation, so that no other report comes in
// between. It returns not_found if either is gone.
func lockItem(tx *db.Tx, id uuid.UUID) (c conversation.Conversation, item conversation.Item, err error) {
	if item, err = conversation.ItemByID(&tx.Reader, id); err != nil {
		return c, item, db.NotFound(err)
	}
	if c, err = conversation.LockAny(tx, item.ConversationID); err != nil {
		return c, item, db.NotFound(err)
	}
	item, err = conversation.ItemByID(&tx.Reader, id)
	return c, item, db.NotFound(err)
}

// saveReceipts stores when a message was delivered and read, and tells open panels. Reports
// can arrive out of order: the first time of each is kept, and a read message counts as
// delivered.
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
	return s.Conversations.Announce(tx, []string{conversation.ItemChanged}, nil, c, item)
}

// addRefusedRecipients adds recipients whom a message did not reach to the item's detail
// and tells open panels. Recipients already listed are left unchanged.
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
	return s.Conversations.Announce(tx, []string{conversation.ItemChanged}, nil, c, item)
}

// refusedRecipients returns the recipients whom a message did not reach, from its detail.
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

// setOutcome stores the delivery state of a message in a locked conversation and announces
// it: a failure as message.delivery_failed, any other change to open panels. It returns
// both as they are afterwards.
func (s *Service) setOutcome(tx *db.Tx, c conversation.Conversation, item conversation.Item, d conversation.Delivery) (conversation.Conversation, conversation.Item, error) {
	if err := conversation.FillItem(&tx.Reader, &item); err != nil {
		return c, item, err
	}
	if d.Status == conversation.Failed {
		return s.MarkFailed(tx, c.ID, item, d)
	}
	var reason *string
	provider, err := s.freeName(tx, item, d.ProviderMessageID)
	if err != nil {
		return c, item, err
	}
	if d.Status == conversation.Queued && d.Error != "" {
		reason = &d.Error
	}
	was := item
	item.Delivery, item.DeliveryError = &d.Status, reason
	if err := conversation.SetDelivery(tx, item.ID, d.Status, reason, provider); err != nil {
		return c, item, err
	}
	changed := false
	if item.ProviderMessageID == nil && provider != nil {
		item.ProviderMessageID = provider
		var err error
		if changed, err = s.Edits.ApplyEarly(tx, &c, &item); err != nil {
			return c, item, err
		}
		if changed {
			if err := conversation.FillItem(&tx.Reader, &item); err != nil {
				return c, item, err
			}
		}
	}
	if was.Delivery != nil && *was.Delivery == conversation.Failed && d.Status == conversation.Sent {
		if err := s.Conversations.MarkLateAnswer(tx, &c); err != nil {
			return c, item, err
		}
	}
	if !changed && sameText(was.Delivery, item.Delivery) && sameText(was.DeliveryError, item.DeliveryError) {
		return c, item, nil
	}
	return c, item, s.Conversations.Announce(tx, []string{conversation.ItemChanged}, nil, &c, &item)
}

// freeName returns the provider's message id for a message of ours, nil if there is none or
// if another item has it: a copy of the message that was taken for somebody else's.
func (s *Service) freeName(tx *db.Tx, item conversation.Item, name string) (*string, error) {
	if name == "" || item.ChannelAccountID == nil || item.ProviderMessageID != nil {
		return item.ProviderMessageID, nil
	}
	other, known, err := s.FindByProviderID(&tx.Reader, *item.ChannelAccountID, name)
	if err != nil || known && other != item.ID {
		return nil, err
	}
	return &name, nil
}

// sameText reports whether two texts are equal, or both nil.
func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// takeBackAnswer stops counting a failed message as an answer. The first answer becomes the
// first other one that was sent or is on its way, or none; and the customer waits again for
// what no other answer covers. The caller saves the conversation.
func (s *Service) takeBackAnswer(tx *db.Tx, c *conversation.Conversation, failed *conversation.Item) error {
	if err := forgetFirstReply(tx, c, failed); err != nil {
		return err
	}
	ref, err := s.Contacts.Find(&tx.Reader, c.ContactID)
	if err != nil && !db.IsNoRow(err) || ref.Blocked {
		return err
	}
	since, err := conversation.UnansweredSince(&tx.Reader, c)
	if err == nil && since != nil && (c.WaitingSince == nil || since.Before(c.WaitingSince.Time)) {
		c.WaitingSince = since
	}
	return err
}

// forgetFirstReply removes a failed message as the first answer.
func forgetFirstReply(tx *db.Tx, c *conversation.Conversation, failed *conversation.Item) error {
	if c.FirstReplyAt == nil {
		return nil
	}
	first, err := conversation.FirstAnswerAt(&tx.Reader, c)
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

// MarkFailed marks a message as failed and adds a channel_delivery_failed event.
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
	if err := s.takeBackAnswer(tx, &c, &item); err != nil {
		return c, item, err
	}
	detail := map[string]any{"item_id": item.ID, "error": d.Error, "channel": item.Channel}
	if err := s.Conversations.RecordEvent(tx, was, &c, "channel_delivery_failed", detail); err != nil {
		return c, item, err
	}
	_, err = event.Emit(tx, event.Change{Type: conversation.DeliveryFailed, Object: &c, Item: item, Test: c.Test || item.Test})
	return c, item, err
}

// NotForwarded records that a forwarded message did not arrive.
func (s *Service) NotForwarded(ctx context.Context, id uuid.UUID, to []string, reason string) error {
	_, err := s.Conversations.Change(ctx, id, func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		c := was
		return c, s.Conversations.RecordEvent(tx, was, &c, "channel_delivery_failed", map[string]any{"to": to, "error": reason, "channel": conversation.Mail})
	})
	return err
}
