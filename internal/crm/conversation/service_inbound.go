package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Inbound is what a channel brings.
type Inbound struct {
	Channel string
	From    contact.Sender
	Subject string
	Body    string
	// ProviderMessageID is how the channel calls the message; a second one
	// with the same id is the same message.
	ProviderMessageID string
	// SentAt is when the customer sent it, where the channel says so.
	SentAt *clock.Time
	// Detail is what the channel says about the message besides its words: what
	// it quotes, the advertisement that it answers.
	Detail map[string]any
	// ConversationID is the thread, where the channel knows it (e-mail).
	ConversationID *uuid.UUID
	// Automatic marks what no person wrote. AutoReply is a machine's answer,
	// such as an absence note: it reopens nothing, wakes nobody and waits for
	// no answer.
	Automatic, AutoReply bool
	// AI says that the assistant answers on this account.
	AI bool
	// Window is for how long the channel takes free text from now on; 0 for a
	// channel without a window.
	Window time.Duration
	// GroupID gets a conversation that begins, if the group is still there.
	GroupID *uuid.UUID
	// Then runs in the transaction of the message, for what the channel keeps
	// of it.
	Then func(tx *db.Tx, out *Ingested) error
	// Attachments were stored with Service.Prepare; Uploads are the caller's.
	Attachments []file.Prepared
	Uploads     []uuid.UUID
	// Email is the original, where the message came as one.
	Email *Email
}

// Ingested is what became of an inbound message.
type Ingested struct {
	Written
	Created   bool
	Duplicate bool
}

// Ingest is the one way in for what customers write on channels: contact,
// conversation (reopened if needed), message, counters, events.
func (s *Service) Ingest(ctx context.Context, in Inbound) (out Ingested, err error) {
	source, ok := sourceOf(in.Channel)
	if !ok {
		return out, fmt.Errorf("conversation: unknown channel %q", in.Channel)
	}
	err = s.InTx(ctx, func(tx *db.Tx) error {
		out = Ingested{}
		if err := s.ingest(tx, in, source, &out); err != nil || in.Then == nil {
			return err
		}
		return in.Then(tx, &out)
	})
	return out, err
}

func (s *Service) ingest(tx *db.Tx, in Inbound, source Source, out *Ingested) error {
	ref, err := s.contacts.Resolve(tx, in.From)
	if err != nil {
		return err
	}
	if in.Window > 0 {
		until := clock.At(tx.Now().Add(in.Window))
		if err := s.contacts.OpenWindow(tx, in.From, until); err != nil {
			return err
		}
	}
	item := &Item{
		Kind: Message, AuthorKind: ByContact, AuthorID: &ref.ID, Body: in.Body, Channel: &in.Channel, email: in.Email,
		SentAt: in.SentAt, Detail: in.Detail,
		Automatic: in.Automatic || in.AutoReply, quiet: in.AutoReply,
	}
	if in.From.AccountID != uuid.Nil {
		item.ChannelAccountID = &in.From.AccountID
	}
	if in.ProviderMessageID != "" {
		item.providerMessageID = &in.ProviderMessageID
	}
	was, err := s.thread(tx, in, ref, source)
	if db.IsNoRow(err) {
		return s.first(tx, in, ref, source, item, out)
	}
	if err != nil {
		return err
	}
	// Looked up under the conversation's lock: the same message twice at
	// once finds the first here.
	if seen, err := s.seen(tx, in); err != nil || seen != nil {
		if seen != nil {
			*out = Ingested{Written: Written{was, *seen}, Duplicate: true}
		}
		return err
	}
	if item.Attachments, err = file.Take(tx, in.Uploads, in.Attachments); err != nil {
		return err
	}
	out.Conversation, err = s.wrote(tx, was, item)
	out.Item, out.Created = *item, out.Conversation.ID != was.ID
	return err
}

func (s *Service) seen(tx *db.Tx, in Inbound) (*Item, error) {
	if in.ProviderMessageID == "" {
		return nil, nil
	}
	item, err := itemByProvider(&tx.Reader, in.From.AccountID, in.ProviderMessageID)
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err == nil {
		err = filled(&tx.Reader, &item)
	}
	return &item, err
}

// thread finds the conversation that a message belongs to and locks it,
// following merges.
func (s *Service) thread(tx *db.Tx, in Inbound, ref contact.Ref, source Source) (Conversation, error) {
	var c Conversation
	var err error
	switch {
	case in.ConversationID != nil:
		c, err = lock(tx, *in.ConversationID)
	case source.Messaging && in.From.AccountID != uuid.Nil:
		if c, err = lockThread(tx, in.From.AccountID, ref.ID); db.IsNoRow(err) {
			c, err = lockMergedThread(tx, in.From.AccountID, ref.ID)
		}
		if db.IsNoRow(err) {
			c, err = lockThreadOn(tx, in.Channel, in.From.AccountID, ref.ID)
		}
	default:
		return c, db.ErrNoRow
	}
	for hops := 0; err == nil && c.MergedIntoID != nil && hops < 10; hops++ {
		c, err = lock(tx, *c.MergedIntoID)
	}
	if err == nil && c.deletedAt != nil {
		return c, db.ErrNoRow
	}
	return c, err
}

// first begins a conversation with its first message. Where another message
// of the same contact was faster, the transaction runs again and joins it.
func (s *Service) first(tx *db.Tx, in Inbound, ref contact.Ref, source Source, item *Item, out *Ingested) error {
	if seen, err := s.seen(tx, in); err != nil {
		return err
	} else if seen != nil {
		c, err := ByID(&tx.Reader, seen.ConversationID)
		*out = Ingested{Written: Written{c, *seen}, Duplicate: true}
		return db.OrNotFound(err)
	}
	var err error
	if item.Attachments, err = file.Take(tx, in.Uploads, in.Attachments); err != nil {
		return err
	}
	c := Conversation{
		Channel: in.Channel, ChannelAccountID: item.ChannelAccountID, Talep: source.Talep,
		singleThread: source.Messaging && item.ChannelAccountID != nil,
		ContactID:    ref.ID, ContactName: ref.Name, Subject: strings.TrimSpace(in.Subject), WaitingSince: clock.Ptr(tx.Now()),
		Test: ref.Test,
	}
	if in.AI && !ref.Blocked {
		c.AIState = AIActive
	}
	if in.GroupID != nil {
		there, err := group.Exists(&tx.Reader, *in.GroupID)
		if err != nil {
			return err
		}
		if there {
			c.GroupID = in.GroupID
		}
	}
	on := Begin
	if ref.Blocked {
		on = BeginBlocked
	}
	free, err := s.begin(tx, &c, on, item)
	if err != nil {
		return err
	}
	if !free {
		return contact.ErrRace
	}
	out.Written, out.Created = Written{c, *item}, true
	if ref.Blocked {
		return nil
	}
	return s.contacts.Wrote(tx, ref.ID)
}
