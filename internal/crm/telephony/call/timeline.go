package call

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// phoneChannel is the channel of conversations that a call begins.
const phoneChannel = "phone"

// Conversations implements Timeline on the inbox.
type Conversations struct {
	Contacts *contact.Book
	Inbox    *conversation.Service
}

// FindCaller implements Timeline.
func (t Conversations) FindCaller(r *db.Reader, e164 string) (*uuid.UUID, error) {
	ref, err := t.Contacts.FindByPhone(r, e164)
	if db.IsNoRow(err) {
		return nil, nil
	}
	return &ref.ID, err
}

// ResolveCustomer implements Timeline.
func (t Conversations) ResolveCustomer(tx *db.Tx, channel string, account uuid.UUID, e164 string) (uuid.UUID, error) {
	ref, err := t.Contacts.Resolve(tx, contact.Sender{Channel: channel, AccountID: account, ExternalID: strings.TrimPrefix(e164, "+"), Phone: e164})
	return ref.ID, err
}

// CheckTarget implements Timeline.
func (t Conversations) CheckTarget(r *db.Reader, contactID, conversationID *uuid.UUID) error {
	if contactID != nil {
		if _, err := t.Contacts.Find(r, *contactID); db.IsNoRow(err) {
			return fault.Invalid("contact_id", "unknown")
		} else if err != nil {
			return err
		}
	}
	if conversationID == nil {
		return nil
	}
	c, err := conversation.ByID(r, *conversationID)
	if db.IsNoRow(err) || err == nil && contactID != nil && c.ContactID != *contactID {
		return fault.Invalid("conversation_id", "unknown")
	}
	return err
}

// WriteCall implements Timeline. A call is one item of its conversation, and the item
// changes with it. It is not an answer and announces no reply.
func (t Conversations) WriteCall(tx *db.Tx, c *Call, item *uuid.UUID) (conversationID, newItem *uuid.UUID, err error) {
	if c.Via == ViaInside || c.ContactID == nil && c.ConversationID == nil || c.Disposition == Blocked {
		return nil, item, nil
	}
	detail := map[string]any{
		"call_id": c.ID, "direction": c.Direction, "state": c.State, "disposition": c.Disposition, "talk_s": c.TalkSeconds,
		"recording": c.Recorded, "voicemail": c.Message.V != nil,
	}
	if item != nil {
		err := t.changeItem(tx, c, *item, detail)
		if db.IsNoRow(err) {
			err = nil // somebody deleted it
		}
		return c.ConversationID, item, err
	}
	channel := phoneChannel
	if c.ChannelID != nil {
		channel = c.channel
	}
	entry := &conversation.Item{Kind: conversation.CallItem, AuthorKind: conversation.ByContact, AuthorID: c.ContactID, Channel: &channel, Detail: detail}
	if c.Direction == Outbound {
		entry.AuthorKind, entry.AuthorID = conversation.ByAgent, c.AgentID
	}
	in, err := t.addItem(tx, c, entry)
	return &in, &entry.ID, err
}

// addItem adds a call to the conversation that it was placed from, or the contact's on the
// messaging account that it came over, or else the contact's phone conversation. If that
// does not exist, it begins one.
func (t Conversations) addItem(tx *db.Tx, c *Call, entry *conversation.Item) (uuid.UUID, error) {
	var into conversation.Conversation
	var err error
	switch {
	case c.ConversationID != nil:
		into, err = conversation.LockLive(tx, *c.ConversationID)
	case c.ChannelID != nil:
		into, err = conversation.LockCustomerThread(tx, c.channel, *c.ChannelID, *c.ContactID)
	default:
		into, err = conversation.LockThreadWithoutAccount(tx, phoneChannel, *c.ContactID)
	}
	if db.IsNoRow(err) {
		ref, err := t.Contacts.Find(&tx.Reader, *c.ContactID)
		if err != nil {
			return uuid.Nil, err
		}
		into = conversation.Conversation{Channel: *entry.Channel, ChannelAccountID: c.ChannelID, SingleThread: c.ChannelID != nil, ContactID: ref.ID, ContactName: ref.Name, Test: ref.Test}
		_, err = t.Inbox.Start(tx, &into, conversation.Begin, entry)
		return into.ID, err
	}
	if err != nil {
		return uuid.Nil, err
	}
	if err := t.Inbox.AddItem(tx, &into, entry); err != nil {
		return uuid.Nil, err
	}
	return into.ID, t.Inbox.Announce(tx, []string{conversation.ItemChanged}, nil, &into, entry)
}

// changeItem changes the item of a call in its conversation. If the customer is to be
// called back, the conversation is marked as waiting.
func (t Conversations) changeItem(tx *db.Tx, c *Call, item uuid.UUID, detail map[string]any) error {
	in, err := conversation.LockAny(tx, *c.ConversationID)
	if err != nil {
		return err
	}
	i, err := conversation.ItemOf(&tx.Reader, in.ID, item)
	if err != nil {
		return err
	}
	i.Detail = detail
	if err := conversation.SetDetail(tx, &i); err != nil {
		return err
	}
	if c.ToReturn {
		if err := t.Inbox.MarkWaiting(tx, &in); err != nil {
			return err
		}
	}
	return t.Inbox.AnnounceItem(tx, &in, &i)
}
