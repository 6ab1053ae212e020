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

// Delivered is how a channel reports what became of a message.
func (s *Service) Delivered(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	return s.gate.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, i, err := lockItem(tx, item)
		if err == nil {
			_, _, err = s.setOutcome(tx, c, i, d)
		}
		return err
	})
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

// HasRecipient says whether the conversation and the customer of a message are still there.
func (s *Service) HasRecipient(r *db.Reader, item uuid.UUID) (bool, error) {
	i, err := conversation.ItemByID(r, item)
	if err == nil {
		var c conversation.Conversation
		if c, err = conversation.ByID(r, i.ConversationID); err == nil {
			_, err = s.contacts.Find(r, c.ContactID)
		}
	}
	return err == nil, ifThere(err)
}

// overtakenUntil is for how long a message waits for those before it: what the provider
// does not take must not hold up a conversation for hours.
const overtakenUntil = 15 * time.Minute

// Behind says whether a message of ours to the same customer, over the same account, was
// written before an item and has not left yet, so that the item would overtake it. It
// returns for how long to wait before the next look, the longer the older the item is; 0
// where nothing is before it.
func (s *Service) Behind(r *db.Reader, item uuid.UUID) (wait time.Duration, err error) {
	i, err := conversation.ItemByID(r, item)
	if err != nil || i.ChannelAccountID == nil {
		return 0, ifThere(err)
	}
	c, err := conversation.ByID(r, i.ConversationID)
	if err != nil {
		return 0, ifThere(err)
	}
	now := s.db.Clock().Now()
	list, err := conversation.UnreadOn(r, c.ContactID, *i.ChannelAccountID, clock.At(now.Add(-overtakenUntil)), i.CreatedAt, conversation.Queued)
	// Ids are in the order of time, and no two are the same: of two messages of one
	// moment only one waits for the other.
	if !slices.ContainsFunc(list, func(other uuid.UUID) bool { return bytes.Compare(other[:], item[:]) < 0 }) {
		return 0, err
	}
	return min(max(now.Sub(i.CreatedAt.Time)/2, 300*time.Millisecond), 30*time.Second), err
}

// ifThere returns no error for a row that is gone.
func ifThere(err error) error {
	if db.IsNoRow(err) {
		return nil
	}
	return err
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

// ReadUntil takes a customer's report that they read everything until a moment. A
// customer whom nobody knows is passed over.
func (s *Service) ReadUntil(ctx context.Context, account uuid.UUID, customer string, until, at clock.Time) error {
	list, err := s.unreadOn(ctx, account, customer, until, conversation.Sent)
	for _, item := range list {
		if err == nil {
			err = s.Reported(ctx, item, conversation.Delivery{Status: conversation.Sent, ReadAt: &at})
		}
		if fault.Is(err, fault.NotFound) {
			err = nil // deleted meanwhile
		}
	}
	return err
}

// unreadOn lists the messages of ours with a delivery that were written to a customer
// until a moment; none for a customer whom nobody knows.
func (s *Service) unreadOn(ctx context.Context, account uuid.UUID, customer string, until clock.Time, delivery string) (list []uuid.UUID, err error) {
	err = s.gate.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		who, err := s.contacts.OnAccount(r, account, customer)
		if err != nil {
			return err
		}
		list, err = conversation.UnreadOn(r, who.ID, account, clock.At(time.Unix(0, 0)), until, delivery)
		return err
	})
	if db.IsNoRow(err) {
		err = nil
	}
	return list, err
}

// aheadMost is by how much a message's place in the timeline may be ahead of the clock.
const aheadMost = time.Hour

// AwaitsDelivery says whether a message of ours to a customer is on its way, of which
// nobody knows yet how the provider calls it.
func (s *Service) AwaitsDelivery(ctx context.Context, account uuid.UUID, customer string) (bool, error) {
	list, err := s.unreadOn(ctx, account, customer, clock.At(s.db.Clock().Now().Add(aheadMost)), conversation.Queued)
	return len(list) > 0, err
}

// lockItem reads a message and locks its conversation, so that no other report
// comes between. It returns not_found where either is gone.
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

// setOutcome writes what became of a message of a locked conversation and
// announces it: a failure as message.delivery_failed, anything else that changed
// to open panels. It returns both as they are afterwards.
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
		if changed, err = s.edits.ApplyEarly(tx, &c, &item); err != nil {
			return c, item, err
		}
		if changed {
			if err := conversation.FillItem(&tx.Reader, &item); err != nil {
				return c, item, err
			}
		}
	}
	if was.Delivery != nil && *was.Delivery == conversation.Failed && d.Status == conversation.Sent {
		if err := s.gate.MarkLateAnswer(tx, &c); err != nil {
			return c, item, err
		}
	}
	if !changed && sameText(was.Delivery, item.Delivery) && sameText(was.DeliveryError, item.DeliveryError) {
		return c, item, nil
	}
	return c, item, s.gate.Announce(tx, []string{conversation.ItemChanged}, nil, &c, &item)
}

// freeName is the provider's name for a message of ours, nil where there is none or
// where another item has it: a copy of the message that was taken for somebody else's.
func (s *Service) freeName(tx *db.Tx, item conversation.Item, name string) (*string, error) {
	if name == "" || item.ChannelAccountID == nil || item.ProviderMessageID != nil {
		return item.ProviderMessageID, nil
	}
	other, known, err := s.Known(&tx.Reader, *item.ChannelAccountID, name)
	if err != nil || known && other != item.ID {
		return nil, err
	}
	return &name, nil
}

// sameText says whether two texts are equal, or both missing.
func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// takeBackAnswer makes a message that failed count as no answer. The first answer
// is the first other one that left or is on its way, or there is none; and the
// customer waits again for what no other one answered. The caller saves the
// conversation.
func (s *Service) takeBackAnswer(tx *db.Tx, c *conversation.Conversation, failed *conversation.Item) error {
	if err := forgetFirstReply(tx, c, failed); err != nil {
		return err
	}
	ref, err := s.contacts.Find(&tx.Reader, c.ContactID)
	if err != nil && !db.IsNoRow(err) || ref.Blocked {
		return err
	}
	since, err := conversation.UnansweredSince(&tx.Reader, c)
	if err == nil && since != nil && (c.WaitingSince == nil || since.Before(c.WaitingSince.Time)) {
		c.WaitingSince = since
	}
	return err
}

// forgetFirstReply takes back that a message which failed was the first answer.
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
	if err := s.takeBackAnswer(tx, &c, &item); err != nil {
		return c, item, err
	}
	detail := map[string]any{"item_id": item.ID, "error": d.Error, "channel": item.Channel}
	if err := s.gate.RecordEvent(tx, was, &c, "channel_delivery_failed", detail); err != nil {
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
