package whole

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Split moves items of a conversation into a new one with the same customer, for two
// matters in one thread. It is refused on a messaging channel, which knows one thread only.
func (s *Service) Split(ctx context.Context, id uuid.UUID, ids []uuid.UUID, subject string) (c conversation.Conversation, err error) {
	err = idempotency.Do(ctx, s.gate.Tenant(ctx), &c, func(tx *db.Tx) error {
		was, err := conversation.Lock(tx, id)
		if err != nil {
			return err
		}
		if was.SingleThread {
			return fault.New(fault.Conflict).Because("single_thread")
		}
		if err := s.checkSplit(tx, id, ids); err != nil {
			return err
		}
		c = conversation.Conversation{
			Channel: was.Channel, ChannelAccountID: was.ChannelAccountID, ReplyRoute: was.ReplyRoute, IsRequest: was.IsRequest, Subject: strings.TrimSpace(subject),
			ContactID: was.ContactID, ContactName: was.ContactName, Priority: was.Priority, OwnerID: was.OwnerID, GroupID: was.GroupID,
			Tags: append([]string{}, was.Tags...), PreviousConversationID: &was.ID, LastItemAt: was.LastItemAt, Test: was.Test,
		}
		if c.Subject == "" {
			c.Subject = was.Subject
		}
		if err := s.setPreviewAndWaiting(tx, &c, func() (conversation.Item, error) { return conversation.LastAmong(&tx.Reader, ids) }); err != nil {
			return err
		}
		if free, err := s.gate.Start(tx, &c, conversation.Begin, nil); err != nil {
			return err
		} else if !free {
			return contact.ErrRace
		}
		if err := conversation.MoveItems(tx, id, c.ID, ids); err != nil {
			return fmt.Errorf("conversation: move items: %w", err)
		}
		if err := s.gate.RecordEvent(tx, c, &c, "split_from", map[string]any{"from_id": was.ID}); err != nil {
			return err
		}
		left := was
		if err := s.setPreviewAndWaiting(tx, &left, func() (conversation.Item, error) { return conversation.LastMessage(&tx.Reader, id) }); err != nil {
			return err
		}
		if err := s.gate.RecordEvent(tx, was, &left, "split", map[string]any{"into_id": c.ID, "items": len(ids)}); err != nil {
			return err
		}
		if err := s.gate.Announce(tx, []string{conversation.Updated}, &was, &left, nil); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.split", id.String(), map[string]string{"into": c.ID.String()})
	})
	return c, err
}

// checkSplit checks that the ids are messages or notes of this conversation, with at least
// one message, and that at least one other message remains.
func (s *Service) checkSplit(tx *db.Tx, id uuid.UUID, ids []uuid.UUID) error {
	known, messages, err := conversation.CountMovable(&tx.Reader, id, ids)
	if err != nil {
		return err
	}
	distinct := map[uuid.UUID]bool{}
	for _, i := range ids {
		distinct[i] = true
	}
	if known < len(distinct) {
		return fault.Invalid("item_ids", "unknown_item")
	}
	all, err := conversation.MessageCount(&tx.Reader, id, messages+1)
	if err == nil && messages == 0 {
		return fault.Invalid("item_ids", "no_message")
	}
	if err == nil && all <= messages {
		return fault.Invalid("item_ids", "all_items")
	}
	return err
}

// setPreviewAndWaiting updates the preview and the waiting time of a conversation from its
// newest message.
func (s *Service) setPreviewAndWaiting(tx *db.Tx, c *conversation.Conversation, newest func() (conversation.Item, error)) error {
	last, err := newest()
	if err != nil {
		return err
	}
	if err := conversation.FillItem(&tx.Reader, &last); err != nil {
		return err
	}
	c.SetPreview(&last)
	c.WaitingSince = nil
	if last.AuthorKind == conversation.ByContact && (c.State == conversation.Open || c.State == "") {
		at := last.CreatedAt
		c.WaitingSince = &at
	}
	return nil
}
