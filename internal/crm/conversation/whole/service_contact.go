package whole

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/draft"
	"konak/internal/crm/conversation/later"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// contactUndo is what is needed to undo the merge of two contacts.
type contactUndo struct {
	Moved  []uuid.UUID
	Merged []mergeRecord
	Seats  []conversation.Seat
}

// mergeRecord records a merge of one conversation into another: the state of both before
// it, and what the other received.
type mergeRecord struct {
	From, Into                 uuid.UUID
	State                      conversation.State
	WaitingSince, SnoozedUntil *clock.Time
	SnoozedUntilReply          bool
	Unread                     []conversation.UnreadBy
	Taken                      taken
	Had, Got                   mergedFields
}

// mergedFields are the fields that a merge changes in the remaining conversation.
type mergedFields struct {
	OwnerID        *uuid.UUID
	WaitingSince   *clock.Time
	LastActivityAt clock.Time
}

func mergedFieldsOf(c *conversation.Conversation) mergedFields {
	return mergedFields{c.OwnerID, c.WaitingSince, c.LastActivityAt}
}

// restoreFields restores the fields of c that a merge changed, except those changed since.
func (m *mergeRecord) restoreFields(c *conversation.Conversation) {
	if conversation.SameID(c.OwnerID, m.Got.OwnerID) {
		c.OwnerID = m.Had.OwnerID
	}
	if c.WaitingSince != nil && m.Got.WaitingSince != nil && c.WaitingSince.Equal(m.Got.WaitingSince.Time) {
		c.WaitingSince = m.Had.WaitingSince
	}
	if c.LastActivityAt.Equal(m.Got.LastActivityAt.Time) {
		c.LastActivityAt = m.Had.LastActivityAt
	}
}

// ContactMerged implements contact.Follower: the loser's conversations become the winner's.
// If both have one on a messaging account, the two are merged.
func (s *Service) ContactMerged(tx *db.Tx, loser, winner contact.Ref) ([]byte, error) {
	list, err := conversation.LockOfContact(tx, loser.ID)
	if err != nil {
		return nil, err
	}
	u := contactUndo{Moved: []uuid.UUID{}, Merged: []mergeRecord{}}
	for _, was := range list {
		if was.SingleThread && was.MergedIntoID == nil && was.DeletedAt == nil {
			target, err := conversation.LockThread(tx, *was.ChannelAccountID, winner.ID)
			if err == nil {
				_, m, err := s.mergeInto(tx, was, target)
				if err != nil {
					return nil, err
				}
				u.Merged = append(u.Merged, m)
			} else if !db.IsNoRow(err) {
				return nil, err
			}
		}
		if err := conversation.SetContact(tx, was.ID, loser.ID, winner.ID, winner.Name); err != nil {
			return nil, fmt.Errorf("conversation: move to contact: %w", err)
		}
		u.Moved = append(u.Moved, was.ID)
	}
	if u.Seats, err = conversation.MoveSeats(tx, loser.ID, winner.ID); err != nil {
		return nil, fmt.Errorf("conversation: move participant: %w", err)
	}
	return json.Marshal(u)
}

// ContactParted implements contact.Follower.
func (s *Service) ContactParted(tx *db.Tx, loser, winner contact.Ref, raw []byte) error {
	var u contactUndo
	if err := json.Unmarshal(raw, &u); err != nil {
		return err
	}
	for _, id := range u.Moved {
		if err := conversation.SetContact(tx, id, winner.ID, loser.ID, loser.Name); err != nil {
			return err
		}
	}
	if err := conversation.ReturnSeats(tx, loser.ID, winner.ID, u.Seats); err != nil {
		return err
	}
	for _, m := range u.Merged {
		if err := s.unmerge(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// unmerge undoes a merge. Both conversations are as they were before it, except for what
// happened to them since.
func (s *Service) unmerge(tx *db.Tx, m mergeRecord) error {
	c, x, err := lockInOrder(tx, m.From, m.Into)
	if err != nil {
		return err
	}
	if c.MergedIntoID == nil || *c.MergedIntoID != m.Into {
		return nil // changed since
	}
	if x.MergedIntoID != nil {
		// It is no longer known what belongs to which conversation.
		return fault.New(fault.Conflict).Because("conversation_merged")
	}
	if err := returnParts(tx, m.From, m.Into, m.Taken); err != nil {
		return fmt.Errorf("conversation: unparent: %w", err)
	}
	if err := dropMerge(tx, m.From); err != nil {
		return err
	}
	if err := s.takeBack(tx, x, &m); err != nil {
		return err
	}
	return s.restoreMerged(tx, c, &m)
}

// lockInOrder locks two conversations in the order of their ids.
func lockInOrder(tx *db.Tx, from, into uuid.UUID) (c, x conversation.Conversation, err error) {
	if into.String() < from.String() {
		if x, err = conversation.LockAny(tx, into); err == nil {
			c, err = conversation.LockAny(tx, from)
		}
		return c, x, err
	}
	if c, err = conversation.LockAny(tx, from); err == nil {
		x, err = conversation.LockAny(tx, into)
	}
	return c, x, err
}

// takeBack removes from the remaining conversation what the merge had brought.
func (s *Service) takeBack(tx *db.Tx, was conversation.Conversation, m *mergeRecord) error {
	x := was
	m.restoreFields(&x)
	for _, agent := range m.Taken.Agents {
		if x.OwnerID != nil && *x.OwnerID == agent {
			continue // became the owner since
		}
		if _, err := conversation.DropAgent(tx, x.ID, agent); err != nil {
			return err
		}
		if err := s.gate.MarkRead(tx, x.ID, agent); err != nil {
			return err
		}
	}
	if err := s.gate.SetNewestPreview(tx, &x); err != nil {
		return err
	}
	if err := s.gate.RecordEvent(tx, was, &x, "parted", map[string]any{"from_id": m.From}); err != nil {
		return err
	}
	if x.DeletedAt != nil {
		return nil
	}
	name := conversation.Updated
	if !conversation.SameID(was.OwnerID, x.OwnerID) {
		name = conversation.Assigned
	}
	return s.gate.Announce(tx, []string{name}, &was, &x, nil)
}

// restoreMerged restores the conversation that was merged into another, in its earlier
// state: a snooze whose time has passed is over.
func (s *Service) restoreMerged(tx *db.Tx, was conversation.Conversation, m *mergeRecord) error {
	c := was
	c.MergedIntoID = nil
	if err := s.gate.SetNewestPreview(tx, &c); err != nil {
		return err
	}
	if was.DeletedAt != nil {
		return conversation.Save(tx, &c, was.State)
	}
	if err := s.gate.Move(tx, was, &c, conversation.Restore, nil, nil); err != nil {
		return err
	}
	for _, u := range m.Unread {
		if err := s.gate.MarkUnreadBy(tx, c.ID, u); err != nil {
			return err
		}
	}
	restored := c
	switch {
	case m.State == conversation.Closed:
		return nil
	case m.State == conversation.Snoozed && (m.SnoozedUntilReply || m.SnoozedUntil != nil && m.SnoozedUntil.After(tx.Now())):
		c.SnoozedUntil, c.SnoozedUntilReply = m.SnoozedUntil, m.SnoozedUntilReply
		c.WaitingSince = m.WaitingSince
		return s.gate.Move(tx, restored, &c, conversation.Snooze, nil, map[string]any{"until": m.SnoozedUntil, "until_reply": m.SnoozedUntilReply})
	}
	c.WaitingSince = m.WaitingSince
	return s.gate.Move(tx, restored, &c, conversation.Reopen, nil, nil)
}

// taken is what a merge brought into a conversation in addition to the items, which record
// their origin themselves.
type taken struct {
	Scheduled    []uuid.UUID
	Drafts       []draft.Moved
	Agents       []uuid.UUID
	Participants []uuid.UUID
}

// moveParts moves a merged conversation's items, its scheduled messages, and its drafts,
// except if the agent has a draft of that type there; contacts and agents are added to
// those of the other conversation.
func moveParts(tx *db.Tx, from, to uuid.UUID) (t taken, err error) {
	if err = conversation.MoveAllItems(tx, from, to); err != nil {
		return t, err
	}
	if t.Scheduled, err = later.Move(tx, from, to); err != nil {
		return t, err
	}
	if t.Participants, err = conversation.CopyParticipants(tx, from, to); err != nil {
		return t, err
	}
	if t.Agents, err = conversation.CopyAgents(tx, from, to); err != nil {
		return t, err
	}
	t.Drafts, err = draft.Move(tx, from, to)
	return t, err
}

// returnParts returns what a merge had moved to a conversation: items, messages still
// waiting to be sent, and drafts that have not changed since.
func returnParts(tx *db.Tx, from, to uuid.UUID, t taken) error {
	if err := conversation.ReturnItems(tx, from, to); err != nil {
		return err
	}
	if err := later.Return(tx, from, to, t.Scheduled); err != nil {
		return err
	}
	if err := draft.Return(tx, from, to, t.Drafts); err != nil {
		return err
	}
	for _, id := range t.Participants {
		if _, err := conversation.DropParticipant(tx, to, id); err != nil {
			return err
		}
	}
	return nil
}
