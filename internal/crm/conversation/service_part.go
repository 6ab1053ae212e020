package conversation

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// undo is what parting two contacts needs to know.
type undo struct {
	Moved  []uuid.UUID
	Merged []mergedThread
	Seats  []seat
}

// mergedThread is a conversation that went into another: how both stood, and
// what the other got of it.
type mergedThread struct {
	From, Into                 uuid.UUID
	State                      State
	WaitingSince, SnoozedUntil *clock.Time
	SnoozedUntilReply          bool
	Unread                     []unreadBy
	Taken                      taken
	Had, Got                   standing
}

// standing is what a merge changes of the conversation that stays.
type standing struct {
	OwnerID        *uuid.UUID
	WaitingSince   *clock.Time
	LastActivityAt clock.Time
}

func standingOf(c *Conversation) standing {
	return standing{c.OwnerID, c.WaitingSince, c.LastActivityAt}
}

// giveUp takes from c what a merge gave it, unless it was changed since.
func (m *mergedThread) giveUp(c *Conversation) {
	if SameID(c.OwnerID, m.Got.OwnerID) {
		c.OwnerID = m.Had.OwnerID
	}
	if c.WaitingSince != nil && m.Got.WaitingSince != nil && c.WaitingSince.Equal(m.Got.WaitingSince.Time) {
		c.WaitingSince = m.Had.WaitingSince
	}
	if c.LastActivityAt.Equal(m.Got.LastActivityAt.Time) {
		c.LastActivityAt = m.Had.LastActivityAt
	}
}

// ContactMerged implements contact.Follower: the loser's conversations become
// the winner's. Where both have one on a messaging account, these become one.
func (s *Service) ContactMerged(tx *db.Tx, loser, winner contact.Ref) ([]byte, error) {
	list, err := ofContact(tx, loser.ID)
	if err != nil {
		return nil, err
	}
	u := undo{Moved: []uuid.UUID{}, Merged: []mergedThread{}}
	for _, was := range list {
		if was.singleThread && was.MergedIntoID == nil && was.deletedAt == nil {
			target, err := lockThread(tx, *was.ChannelAccountID, winner.ID)
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
		if err := setContact(tx, was.ID, loser.ID, winner.ID, winner.Name); err != nil {
			return nil, fmt.Errorf("conversation: move to contact: %w", err)
		}
		u.Moved = append(u.Moved, was.ID)
	}
	if u.Seats, err = moveSeats(tx, loser.ID, winner.ID); err != nil {
		return nil, fmt.Errorf("conversation: move participant: %w", err)
	}
	return json.Marshal(u)
}

// ContactParted implements contact.Follower.
func (s *Service) ContactParted(tx *db.Tx, loser, winner contact.Ref, raw []byte) error {
	var u undo
	if err := json.Unmarshal(raw, &u); err != nil {
		return err
	}
	for _, id := range u.Moved {
		if err := setContact(tx, id, winner.ID, loser.ID, loser.Name); err != nil {
			return err
		}
	}
	if err := returnSeats(tx, loser.ID, winner.ID, u.Seats); err != nil {
		return err
	}
	for _, m := range u.Merged {
		if err := s.part(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// part takes a merged conversation out of the other again. Both are as they
// were, but for what happened to them since.
func (s *Service) part(tx *db.Tx, m mergedThread) error {
	c, x, err := lockInOrder(tx, m.From, m.Into)
	if err != nil {
		return err
	}
	if c.MergedIntoID == nil || *c.MergedIntoID != m.Into {
		return nil // changed since
	}
	if x.MergedIntoID != nil {
		// What belongs to whom cannot be told any more.
		return fault.New(fault.Conflict).Because("conversation_merged")
	}
	if err := unparent(tx, m.From, m.Into, m.Taken); err != nil {
		return fmt.Errorf("conversation: unparent: %w", err)
	}
	if err := dropMerge(tx, m.From); err != nil {
		return err
	}
	if err := s.withdraw(tx, x, &m); err != nil {
		return err
	}
	return s.comeBack(tx, c, &m)
}

// lockInOrder locks two conversations in the order of their ids.
func lockInOrder(tx *db.Tx, from, into uuid.UUID) (c, x Conversation, err error) {
	if into.String() < from.String() {
		if x, err = lock(tx, into); err == nil {
			c, err = lock(tx, from)
		}
		return c, x, err
	}
	if c, err = lock(tx, from); err == nil {
		x, err = lock(tx, into)
	}
	return c, x, err
}

// withdraw takes out of the conversation that stayed what the merge had
// brought.
func (s *Service) withdraw(tx *db.Tx, was Conversation, m *mergedThread) error {
	x := was
	m.giveUp(&x)
	for _, agent := range m.Taken.Agents {
		if x.OwnerID != nil && *x.OwnerID == agent {
			continue // became the owner since
		}
		if _, err := dropAgent(tx, x.ID, agent); err != nil {
			return err
		}
		if err := s.markRead(tx, x.ID, agent); err != nil {
			return err
		}
	}
	if err := s.resummarised(tx, &x); err != nil {
		return err
	}
	if err := s.record(tx, was, &x, "parted", map[string]any{"from_id": m.From}); err != nil {
		return err
	}
	if x.deletedAt != nil {
		return nil
	}
	name := Updated
	if !SameID(was.OwnerID, x.OwnerID) {
		name = Assigned
	}
	return s.Announce(tx, []string{name}, &was, &x, nil)
}

// comeBack restores the conversation that had gone into another, to the state
// that it had: a snooze whose time has passed is over.
func (s *Service) comeBack(tx *db.Tx, was Conversation, m *mergedThread) error {
	c := was
	c.MergedIntoID = nil
	if err := s.resummarised(tx, &c); err != nil {
		return err
	}
	if was.deletedAt != nil {
		return save(tx, &c, was.State)
	}
	if err := s.move(tx, was, &c, Restore, nil, nil); err != nil {
		return err
	}
	for _, u := range m.Unread {
		if err := s.markUnreadBy(tx, c.ID, u); err != nil {
			return err
		}
	}
	restored := c
	switch {
	case m.State == Closed:
		return nil
	case m.State == Snoozed && (m.SnoozedUntilReply || m.SnoozedUntil != nil && m.SnoozedUntil.After(tx.Now())):
		c.SnoozedUntil, c.SnoozedUntilReply = m.SnoozedUntil, m.SnoozedUntilReply
		c.WaitingSince = m.WaitingSince
		return s.move(tx, restored, &c, Snooze, nil, map[string]any{"until": m.SnoozedUntil, "until_reply": m.SnoozedUntilReply})
	}
	c.WaitingSince = m.WaitingSince
	return s.move(tx, restored, &c, Reopen, nil, nil)
}
