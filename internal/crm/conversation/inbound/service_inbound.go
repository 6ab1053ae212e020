package inbound

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/group"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Inbound is an incoming message of a channel.
type Inbound struct {
	Channel string
	From    contact.Sender
	Subject string
	Body    string
	// ProviderMessageID is the channel's id of the message; a second one with the same id
	// is the same message.
	ProviderMessageID string
	// SentAt is when the customer sent it, if the channel says so.
	SentAt *clock.Time
	// Detail is what the channel reports about the message besides its text, such as what
	// it quotes or the advertisement that it answers.
	Detail map[string]any
	// ConversationID is the thread, if the channel knows it (e-mail).
	ConversationID *uuid.UUID
	// Automatic marks a message that no person wrote. AutoReply is an automatic reply, such
	// as an absence note: it reopens nothing, notifies nobody and waits for no answer.
	Automatic, AutoReply bool
	// AI means that the assistant answers on this account.
	AI bool
	// Window is how long the channel takes free text from now on; 0 for a channel without a
	// window.
	Window time.Duration
	// GroupID is the group of a new conversation, if the group still exists.
	GroupID *uuid.UUID
	// Then runs in the transaction of the message, so that the channel can store its own
	// data.
	Then func(tx *db.Tx, out *Ingested) error
	// Attachments were stored with Service.Prepare; Uploads are the caller's.
	Attachments []file.Prepared
	Uploads     []uuid.UUID
	// Email is the original, if the message came as an e-mail.
	Email *conversation.Email
	// FromUs means that somebody of the workspace wrote it in the provider's own app,
	// outside Konak: an answer that was sent. From is the customer who received it.
	FromUs bool
}

// Ingested is the result of an inbound message.
type Ingested struct {
	conversation.Written
	Created   bool
	Duplicate bool

	reopened bool // it was closed before
}

// Ingest is the single entry for what customers write on channels: contact, conversation
// (reopened if needed), message, counters, events.
func (s *Service) Ingest(ctx context.Context, in Inbound) (out Ingested, err error) {
	source, ok := conversation.SourceOf(in.Channel)
	if !ok {
		return out, fmt.Errorf("conversation: unknown channel %q", in.Channel)
	}
	err = s.Conversations.InTx(ctx, func(tx *db.Tx) error {
		out = Ingested{}
		if err := s.ingest(tx, in, source, &out); err != nil {
			return err
		}
		if s.Tests != nil && !in.FromUs && !out.Duplicate && in.From.AccountID != uuid.Nil {
			if err := s.Tests.MessageArrived(tx, in.From.AccountID, in.Body); err != nil {
				return err
			}
		}
		if err := s.applyEarly(tx, &out); err != nil {
			return err
		}
		if in.AI && s.Assistant != nil && !out.Duplicate && out.Item.DeletedAt == nil {
			if err := s.Assistant.MessageReceived(tx, out.Conversation, out.Item, out.reopened); err != nil {
				return err
			}
		}
		if in.Then == nil {
			return nil
		}
		return in.Then(tx, &out)
	})
	return out, err
}

// applyEarly applies the changes that arrived before a message, and tells open panels.
func (s *Service) applyEarly(tx *db.Tx, out *Ingested) error {
	if out.Duplicate {
		return nil
	}
	changed, err := s.Edits.ApplyEarly(tx, &out.Conversation, &out.Item)
	if err != nil || !changed {
		return err
	}
	shown := out.Item
	return s.Conversations.AnnounceItem(tx, &out.Conversation, &shown)
}

func (s *Service) ingest(tx *db.Tx, in Inbound, source conversation.Source, out *Ingested) error {
	ref, err := s.Contacts.Resolve(tx, in.From)
	if err != nil {
		return err
	}
	if in.Window != 0 { // a negative window is over already, and people see since when
		until := clock.At(tx.Now().Add(in.Window))
		if err := s.Contacts.OpenWindow(tx, in.From, until); err != nil {
			return err
		}
	}
	item := &conversation.Item{
		Kind: conversation.Message, AuthorKind: conversation.ByContact, AuthorID: &ref.ID, Body: in.Body, Channel: &in.Channel, Original: in.Email,
		SentAt: in.SentAt, Detail: in.Detail,
		Automatic: in.Automatic || in.AutoReply, AutoReply: in.AutoReply,
	}
	if in.From.AccountID != uuid.Nil {
		item.ChannelAccountID = &in.From.AccountID
	}
	if in.ProviderMessageID != "" {
		item.ProviderMessageID = &in.ProviderMessageID
	}
	if in.FromUs {
		sent := conversation.Sent
		item.AuthorKind, item.AuthorID, item.Delivery = conversation.ByAgent, nil, &sent
	}
	was, err := s.findThread(tx, in, ref, source)
	if db.IsNoRow(err) {
		return s.startConversation(tx, in, ref, source, item, out)
	}
	if err != nil {
		return err
	}
	// The lookup runs under the conversation's lock: if the same message arrives twice at
	// once, the second one finds the first.
	if seen, err := s.findDuplicate(tx, in); err != nil || seen != nil {
		if seen != nil {
			*out = Ingested{Written: conversation.Written{Conversation: was, Item: *seen}, Duplicate: true}
		}
		return err
	}
	if item.Attachments, err = file.Take(tx, in.Uploads, in.Attachments); err != nil {
		return err
	}
	if in.FromUs {
		out.Conversation, err = s.Conversations.AddAnswer(tx, was, item)
	} else {
		out.Conversation, err = s.Conversations.ReceiveCustomerMessage(tx, was, item)
	}
	out.Item, out.Created = *item, out.Conversation.ID != was.ID
	out.reopened = !out.Created && was.State == conversation.Closed && out.Conversation.State == conversation.Open
	return err
}

func (s *Service) findDuplicate(tx *db.Tx, in Inbound) (*conversation.Item, error) {
	if in.ProviderMessageID == "" {
		return nil, nil
	}
	item, err := conversation.ItemByProvider(&tx.Reader, in.From.AccountID, in.ProviderMessageID)
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err == nil {
		err = conversation.FillItem(&tx.Reader, &item)
	}
	return &item, err
}

// findThread locks and returns the conversation that a message belongs to, following
// merges.
func (s *Service) findThread(tx *db.Tx, in Inbound, ref contact.Ref, source conversation.Source) (conversation.Conversation, error) {
	switch {
	case in.ConversationID != nil:
		c, err := conversation.LockAny(tx, *in.ConversationID)
		if err != nil {
			return c, err
		}
		return conversation.FollowMerges(tx, c)
	case source.Messaging && in.From.AccountID != uuid.Nil:
		return conversation.LockCustomerThread(tx, in.Channel, in.From.AccountID, ref.ID)
	}
	return conversation.Conversation{}, db.ErrNoRow
}

// startConversation begins a conversation with its first message. If another message of the
// same contact was faster, the transaction runs again and joins that conversation.
func (s *Service) startConversation(tx *db.Tx, in Inbound, ref contact.Ref, source conversation.Source, item *conversation.Item, out *Ingested) error {
	if seen, err := s.findDuplicate(tx, in); err != nil {
		return err
	} else if seen != nil {
		c, err := conversation.ByID(&tx.Reader, seen.ConversationID)
		*out = Ingested{Written: conversation.Written{Conversation: c, Item: *seen}, Duplicate: true}
		return db.NotFound(err)
	}
	var err error
	if item.Attachments, err = file.Take(tx, in.Uploads, in.Attachments); err != nil {
		return err
	}
	c := conversation.Conversation{
		Channel: in.Channel, ChannelAccountID: item.ChannelAccountID, IsRequest: source.IsRequest,
		SingleThread: source.Messaging && item.ChannelAccountID != nil,
		ContactID:    ref.ID, ContactName: ref.Name, Subject: strings.TrimSpace(in.Subject), WaitingSince: clock.Ptr(tx.Now()),
		Test: ref.Test,
	}
	if in.FromUs {
		c.WaitingSince = nil
	} else if in.AI && !ref.Blocked && !in.Automatic && !caller.From(tx.Context()).Test {
		c.AIState = conversation.AIActive
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
	on := conversation.Begin
	if ref.Blocked {
		on = conversation.BeginBlocked
	}
	free, err := s.Conversations.Start(tx, &c, on, item)
	if err != nil {
		return err
	}
	if !free {
		return contact.ErrRace
	}
	out.Written, out.Created = conversation.Written{Conversation: c, Item: *item}, true
	switch {
	case ref.Blocked:
		return nil
	case in.FromUs:
		return s.Contacts.MarkContacted(tx, ref.ID)
	}
	return s.Contacts.MarkReplied(tx, ref.ID)
}
