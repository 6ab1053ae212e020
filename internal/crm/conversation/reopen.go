package conversation

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// reopens reports whether a customer's message reopens a closed conversation.
func (s *Service) reopens(tx *db.Tx, c *Conversation) (bool, error) {
	if source, ok := SourceOf(c.Channel); !ok || source.reopens {
		return true, nil
	}
	set, err := ReadSettings(&tx.Reader)
	if err != nil || !set.Reopen {
		return false, err
	}
	if set.ReopenDays == nil || c.ClosedAt == nil {
		return true, nil
	}
	return tx.Now().Before(c.ClosedAt.AddDate(0, 0, *set.ReopenDays)), nil
}

// startFollowUp begins a new conversation with a customer's answer to one that stays
// closed. For the closed one this is an answer like any other: messages that should only go
// if the customer stays silent are cancelled, and the new conversation is unread for the
// agents who had joined the closed one, including its owner.
func (s *Service) startFollowUp(tx *db.Tx, closed *Conversation, item *Item) (Conversation, error) {
	c := Conversation{
		Channel: closed.Channel, ChannelAccountID: closed.ChannelAccountID, ReplyRoute: closed.ReplyRoute, IsRequest: closed.IsRequest, Subject: closed.Subject,
		ContactID: closed.ContactID, ContactName: closed.ContactName, GroupID: closed.GroupID,
		PreviousConversationID: &closed.ID, WaitingSince: clock.Ptr(tx.Now()), Test: closed.Test,
	}
	if _, err := s.Start(tx, &c, Begin, item); err != nil {
		return c, err
	}
	if err := s.Contacts.MarkReplied(tx, c.ContactID); err != nil {
		return c, err
	}
	if err := s.cancelScheduledOnReply(tx, closed); err != nil {
		return c, err
	}
	return c, s.notifyJoined(tx, closed.ID, &c)
}

// keepOwner keeps the owner of a reopened conversation, or removes them if they may no
// longer see conversations.
func (s *Service) keepOwner(tx *db.Tx, c *Conversation) error {
	if c.OwnerID == nil {
		return nil
	}
	ok, err := s.Agents.HoldAgent(tx, perm.ConversationsView, *c.OwnerID)
	if err == nil && !ok {
		c.OwnerID = nil
	}
	return err
}
