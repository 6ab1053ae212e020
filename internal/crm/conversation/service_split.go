package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Split moves items of a conversation into a new one with the same customer:
// two matters that came in one thread. A messaging channel knows one thread
// only, so there it is refused.
func (s *Service) Split(ctx context.Context, id uuid.UUID, ids []uuid.UUID, subject string) (c Conversation, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &c, func(tx *db.Tx) error {
		was, err := lockUnmerged(tx, id)
		if err != nil {
			return err
		}
		if was.singleThread {
			return fault.New(fault.Conflict).Because("single_thread")
		}
		if err := s.checkSplit(tx, id, ids); err != nil {
			return err
		}
		c = Conversation{
			Channel: was.Channel, ChannelAccountID: was.ChannelAccountID, ReplyRoute: was.ReplyRoute, Talep: was.Talep, Subject: strings.TrimSpace(subject),
			ContactID: was.ContactID, ContactName: was.ContactName, Priority: was.Priority, OwnerID: was.OwnerID, GroupID: was.GroupID,
			Tags: append([]string{}, was.Tags...), PreviousConversationID: &was.ID, lastItemAt: was.lastItemAt, Test: was.Test,
		}
		if c.Subject == "" {
			c.Subject = was.Subject
		}
		if err := s.describe(tx, &c, func() (Item, error) { return lastAmong(&tx.Reader, ids) }); err != nil {
			return err
		}
		if free, err := s.begin(tx, &c, Begin, nil); err != nil {
			return err
		} else if !free {
			return contact.ErrRace
		}
		if err := moveItems(tx, id, c.ID, ids); err != nil {
			return fmt.Errorf("conversation: move items: %w", err)
		}
		if err := s.record(tx, c, &c, "split_from", map[string]any{"from_id": was.ID}); err != nil {
			return err
		}
		left := was
		if err := s.describe(tx, &left, func() (Item, error) { return lastMessage(&tx.Reader, id) }); err != nil {
			return err
		}
		if err := s.record(tx, was, &left, "split", map[string]any{"into_id": c.ID, "items": len(ids)}); err != nil {
			return err
		}
		if err := s.Announce(tx, []string{Updated}, &was, &left, nil); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.split", id.String(), map[string]string{"into": c.ID.String()})
	})
	return c, err
}

// checkSplit wants messages and notes of this conversation, and one message
// more than these.
func (s *Service) checkSplit(tx *db.Tx, id uuid.UUID, ids []uuid.UUID) error {
	known, messages, err := movable(&tx.Reader, id, ids)
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
	all, err := messageCount(&tx.Reader, id, messages+1)
	if err == nil && messages == 0 {
		return fault.Invalid("item_ids", "no_message")
	}
	if err == nil && all <= messages {
		return fault.Invalid("item_ids", "all_items")
	}
	return err
}

// describe brings what lists show of a conversation in line with its newest
// message.
func (s *Service) describe(tx *db.Tx, c *Conversation, newest func() (Item, error)) error {
	last, err := newest()
	if err != nil {
		return err
	}
	if err := filled(&tx.Reader, &last); err != nil {
		return err
	}
	c.Preview, c.WaitingSince = summary(&last), nil
	if last.AuthorKind == ByContact && (c.State == Open || c.State == "") {
		at := last.CreatedAt
		c.WaitingSince = &at
	}
	return nil
}

// record leaves an event in a timeline and saves the conversation with it.
func (s *Service) record(tx *db.Tx, was Conversation, c *Conversation, name string, detail map[string]any) error {
	item := happened(tx, name, detail)
	place(tx, c, []*Item{item})
	c.UpdatedAt = clock.At(tx.Now())
	if err := save(tx, c, was.State); err != nil {
		return err
	}
	return s.follow(tx, &was, c, []*Item{item})
}
