package inbound

import (
	"context"
	"fmt"
	"time"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Past is what was written with a customer before the account was connected.
type Past struct {
	Channel string
	From    contact.Sender
	// Messages are the oldest first.
	Messages []PastMessage
}

// PastMessage is a message of the past. One with the same provider's id is the same.
type PastMessage struct {
	ProviderMessageID, Body string
	At                      time.Time
	// FromUs says that somebody of the workspace wrote it.
	FromUs bool
}

// Import brings in messages of the past, each in its own place of the timeline. Nobody is
// told: no unread message, no answer of the assistant, no event of a message, nobody who
// waits, and no window. A conversation that begins with them is closed. A repeat changes
// nothing, and blocked customers are passed over.
func (s *Service) Import(ctx context.Context, p Past) error {
	source, ok := conversation.SourceOf(p.Channel)
	if !ok {
		return fmt.Errorf("inbound: unknown channel %q", p.Channel)
	}
	return s.gate.InTx(ctx, func(tx *db.Tx) error {
		ref, err := s.contacts.Resolve(tx, p.From)
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
		return s.importMessages(tx, &c, p, ref, began)
	})
}

// startImported begins a closed conversation without a message.
func (s *Service) startImported(tx *db.Tx, p Past, ref contact.Ref, source conversation.Source) (conversation.Conversation, error) {
	c := conversation.Conversation{
		Channel: p.Channel, ChannelAccountID: &p.From.AccountID, SingleThread: source.Messaging, ContactID: ref.ID, ContactName: ref.Name, Test: ref.Test,
	}
	free, err := s.gate.Start(tx, &c, conversation.BeginImported, nil)
	if err == nil && !free {
		err = contact.ErrRace
	}
	return c, err
}

func (s *Service) importMessages(tx *db.Tx, c *conversation.Conversation, p Past, ref contact.Ref, began bool) error {
	var last *conversation.Item
	for n, m := range p.Messages {
		if _, known, err := s.Known(&tx.Reader, p.From.AccountID, m.ProviderMessageID); err != nil || known {
			if err != nil {
				return err
			}
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
		// The provider's time has seconds: what came in one of them stays in its order.
		place := clock.At(m.At.Add(time.Duration(n) * time.Microsecond))
		if err := s.gate.ImportMessage(tx, *c, item, place); err != nil {
			return fmt.Errorf("inbound: import: %w", err)
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
