package inbound

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Past is what was written with a customer before the account was connected.
type Past struct {
	Channel string
	From    contact.Sender
	// Messages are in order, the oldest first.
	Messages []PastMessage
	// Fetch is called for the file of the nth message, in the transaction that creates its
	// attachment.
	Fetch func(tx *db.Tx, item, attachment uuid.UUID, n int) error
}

// PastMessage is a message of the past, identified by its provider id.
type PastMessage struct {
	ProviderMessageID, Body string
	At                      time.Time
	// FromUs means that somebody of the workspace wrote it.
	FromUs bool
	// File is a file of the message, which is fetched afterwards; nil for none. If the
	// message exists already with placeholder text instead of the file, the file replaces
	// that text, which is Instead.
	File    *file.Prepared
	Instead string
}

// Import adds messages of the past, each in its own place of the timeline. Nobody is
// notified: it creates no unread message, no answer of the assistant, no message event, no
// waiting customer and no window. A conversation that begins with them is closed. A repeat
// changes nothing but placeholder text for a file, and blocked customers are skipped.
func (s *Service) Import(ctx context.Context, p Past) error {
	source, ok := conversation.SourceOf(p.Channel)
	if !ok {
		return fmt.Errorf("inbound: unknown channel %q", p.Channel)
	}
	there := map[int]uuid.UUID{}
	err := s.Conversations.InTx(ctx, func(tx *db.Tx) error {
		clear(there)
		ref, err := s.Contacts.Resolve(tx, p.From)
		if err != nil || ref.Blocked {
			return err
		}
		c, err := s.findThread(tx, Inbound{Channel: p.Channel, From: p.From}, ref, source)
		began := db.IsNoRow(err)
		if began {
			c, err = s.startImported(tx, p, ref, source)
		}
		if err != nil {
			return err
		}
		return s.importMessages(tx, &c, p, ref, began, there)
	})
	for n, item := range there {
		err = cmp.Or(err, s.addPastFile(ctx, item, p, n))
	}
	return err
}

// addPastFile adds the file of a message that is already in the timeline, in place of its
// placeholder text, and tells open panels.
func (s *Service) addPastFile(ctx context.Context, item uuid.UUID, p Past, n int) error {
	m := p.Messages[n]
	return s.Conversations.InTx(ctx, func(tx *db.Tx) error {
		i, err := conversation.ItemByID(&tx.Reader, item)
		if err != nil {
			return db.IgnoreNoRow(err)
		}
		c, err := conversation.LockAny(tx, i.ConversationID)
		if err != nil {
			return db.NotFound(err)
		}
		if i, err = conversation.ItemByID(&tx.Reader, item); err != nil {
			return db.IgnoreNoRow(err)
		}
		if !strings.HasSuffix(i.Body, m.Instead) {
			return nil
		}
		i.Body = cmp.Or(m.Body, strings.TrimSpace(strings.TrimSuffix(i.Body, m.Instead)))
		if err := conversation.SetBody(tx, &i); err != nil {
			return fmt.Errorf("inbound: historical file: %w", err)
		}
		list, err := file.Take(tx, nil, []file.Prepared{*m.File})
		if err != nil {
			return err
		}
		if err := file.Attach(tx, i.ID, i.Test, list); err != nil {
			return err
		}
		if err := p.Fetch(tx, i.ID, list[0].ID, n); err != nil {
			return err
		}
		if err := s.Conversations.RefreshPreview(tx, &c); err != nil {
			return err
		}
		return s.Conversations.AnnounceItem(tx, &c, &i)
	})
}

// startImported begins a closed conversation without a message.
func (s *Service) startImported(tx *db.Tx, p Past, ref contact.Ref, source conversation.Source) (conversation.Conversation, error) {
	c := conversation.Conversation{
		Channel: p.Channel, ChannelAccountID: &p.From.AccountID, SingleThread: source.Messaging, ContactID: ref.ID, ContactName: ref.Name, Test: ref.Test,
	}
	free, err := s.Conversations.Start(tx, &c, conversation.BeginImported, nil)
	if err == nil && !free {
		err = contact.ErrRace
	}
	return c, err
}

// importMessages writes the messages that do not exist yet, and sets in there the existing
// ones that have a file.
func (s *Service) importMessages(tx *db.Tx, c *conversation.Conversation, p Past, ref contact.Ref, began bool, there map[int]uuid.UUID) error {
	var last *conversation.Item
	for n, m := range p.Messages {
		id, known, err := s.FindByProviderID(&tx.Reader, p.From.AccountID, m.ProviderMessageID)
		if err != nil {
			return err
		}
		if known && m.File != nil {
			there[n] = id
		}
		if known {
			continue
		}
		at := clock.At(m.At)
		item := &conversation.Item{
			Kind: conversation.Message, AuthorKind: conversation.ByContact, AuthorID: &ref.ID, Body: m.Body, Channel: &p.Channel,
			ChannelAccountID: &p.From.AccountID, ProviderMessageID: &p.Messages[n].ProviderMessageID, SentAt: &at,
		}
		if m.FromUs {
			sent := conversation.Sent
			item.AuthorKind, item.AuthorID, item.Delivery = conversation.ByAgent, nil, &sent
		}
		if m.File != nil {
			if item.Attachments, err = file.Take(tx, nil, []file.Prepared{*m.File}); err != nil {
				return err
			}
		}
		// The provider's time is in seconds: messages of the same second keep their order.
		place := clock.At(m.At.Add(time.Duration(n) * time.Microsecond))
		if err := s.Conversations.ImportMessage(tx, *c, item, place); err != nil {
			return fmt.Errorf("inbound: import: %w", err)
		}
		if m.File != nil {
			if err := p.Fetch(tx, item.ID, item.Attachments[0].ID, n); err != nil {
				return err
			}
		}
		last = item
	}
	if last == nil || !began && !last.SentAt.After(c.LastActivityAt.Time) {
		return nil
	}
	c.SetPreview(last)
	c.LastActivityAt = *last.SentAt
	return conversation.Save(tx, c, c.State)
}
