package conversation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Merge closes a conversation into another: its items move there, and so does
// whatever arrives for it later.
func (s *Service) Merge(ctx context.Context, id, into uuid.UUID) (c Conversation, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := byID(&tx.Reader, id); err != nil {
			return absent(err)
		}
		if id == into {
			return fault.Invalid("into_id", "same_conversation")
		}
		was, target, err := lockPair(tx, id, into)
		if err != nil {
			return err
		}
		c, _, err = s.mergeInto(tx, was, target)
		return err
	})
	return c, err
}

// lockPair locks two conversations in the order of their ids.
func lockPair(tx *db.Tx, id, into uuid.UUID) (was, target Conversation, err error) {
	get := func(which uuid.UUID) error {
		c, err := lockUnmerged(tx, which)
		if which == id {
			was = c
			return err
		}
		target = c
		if fault.Is(err, fault.NotFound) {
			return fault.Invalid("into_id", "unknown_conversation")
		}
		return err
	}
	first, second := id, into
	if second.String() < first.String() {
		first, second = second, first
	}
	if err = get(first); err == nil {
		err = get(second)
	}
	return was, target, err
}

// mergeInto merges two locked conversations and gives both.
func (s *Service) mergeInto(tx *db.Tx, was, target Conversation) (c, x Conversation, err error) {
	c, x = was, target
	c.MergedIntoID = &x.ID
	if err := s.clearUnread(tx, c.ID); err != nil {
		return c, x, err
	}
	if err := s.move(tx, was, &c, MergeInto, nil, map[string]any{"into_id": x.ID}); err != nil {
		return c, x, err
	}
	if err := reparent(tx, c.ID, x.ID); err != nil {
		return c, x, fmt.Errorf("conversation: reparent: %w", err)
	}
	if err := moveDrafts(tx, c.ID, x.ID); err != nil {
		return c, x, fmt.Errorf("conversation: move drafts: %w", err)
	}
	if c.lastItemAt.After(x.lastItemAt.Time) {
		x.lastItemAt = c.lastItemAt
	}
	if was.LastActivityAt.After(x.LastActivityAt.Time) {
		x.LastActivityAt, x.Preview = was.LastActivityAt, was.Preview
	}
	if was.WaitingSince != nil && x.State == Open && (x.WaitingSince == nil || was.WaitingSince.Before(x.WaitingSince.Time)) {
		x.WaitingSince = was.WaitingSince
	}
	if x.OwnerID == nil {
		if x.OwnerID, err = oldestAgent(&tx.Reader, x.ID); err != nil {
			return c, x, err
		}
	}
	x.UpdatedAt = clock.At(tx.Now())
	mark := happened(tx, "merged_from", map[string]any{"from_id": c.ID})
	place(tx, &x, []*Item{mark})
	if err := save(tx, &x, target.State); err != nil {
		return c, x, err
	}
	if err := s.follow(tx, &target, &x, []*Item{mark}); err != nil {
		return c, x, err
	}
	return c, x, audit.Write(tx, Merged, c.ID.String(), map[string]string{"into": x.ID.String()})
}

// clearUnread takes a conversation off every agent's badge.
func (s *Service) clearUnread(tx *db.Tx, id uuid.UUID) error {
	ids, err := unreadAgents(&tx.Reader, id)
	if err != nil {
		return err
	}
	for _, agent := range ids {
		if err := s.markRead(tx, id, agent); err != nil {
			return err
		}
	}
	return nil
}

// Delete hides a conversation; Restore brings it back.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := lockLive(tx, id)
		if err != nil {
			return err
		}
		c := was
		c.deletedAt = clock.Ptr(tx.Now())
		if err := s.clearUnread(tx, id); err != nil {
			return err
		}
		if err := s.move(tx, was, &c, Delete, nil, nil); err != nil {
			return err
		}
		return audit.Write(tx, Deleted, id.String(), nil)
	})
}

// Restore brings a deleted conversation back, unless its place was taken.
func (s *Service) Restore(ctx context.Context, id uuid.UUID) (c Conversation, err error) {
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := lock(tx, id)
		if err != nil {
			return absent(err)
		}
		if c = was; was.deletedAt == nil {
			return nil
		}
		if was.singleThread && was.MergedIntoID == nil {
			if _, err := lockThread(tx, *was.ChannelAccountID, was.ContactID); err == nil {
				return fault.New(fault.Conflict).Because("single_thread")
			} else if !db.IsNoRow(err) {
				return err
			}
		}
		c.deletedAt = nil
		if err := s.move(tx, was, &c, Restore, nil, nil); err != nil {
			return err
		}
		return audit.Write(tx, Restored, id.String(), nil)
	})
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		err = fault.New(fault.Conflict).Because("single_thread").Wrap(err)
	}
	return c, err
}

// ContactRenamed implements contact.Follower.
func (s *Service) ContactRenamed(tx *db.Tx, id uuid.UUID, name string) error {
	return rename(tx, id, name)
}

// undo is what parting two contacts needs to know.
type undo struct {
	Moved  []uuid.UUID
	Merged []mergedThread
}

type mergedThread struct {
	From, Into uuid.UUID
	State      State
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
				if _, _, err = s.mergeInto(tx, was, target); err != nil {
					return nil, err
				}
				u.Merged = append(u.Merged, mergedThread{was.ID, target.ID, was.State})
			} else if !db.IsNoRow(err) {
				return nil, err
			}
		}
		if err := setContact(tx, was.ID, winner.ID, winner.Name); err != nil {
			return nil, fmt.Errorf("conversation: move to contact: %w", err)
		}
		u.Moved = append(u.Moved, was.ID)
	}
	if err := moveParticipant(tx, loser.ID, winner.ID); err != nil {
		return nil, err
	}
	return json.Marshal(u)
}

// ContactParted implements contact.Follower.
func (s *Service) ContactParted(tx *db.Tx, loser, _ contact.Ref, raw []byte) error {
	var u undo
	if err := json.Unmarshal(raw, &u); err != nil {
		return err
	}
	for _, id := range u.Moved {
		if err := setContact(tx, id, loser.ID, loser.Name); err != nil {
			return err
		}
	}
	for _, m := range u.Merged {
		if err := s.part(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// part takes a merged conversation out of the other again, as it was.
func (s *Service) part(tx *db.Tx, m mergedThread) error {
	was, err := lock(tx, m.From)
	if err != nil {
		return err
	}
	if was.MergedIntoID == nil || *was.MergedIntoID != m.Into {
		return nil // changed since
	}
	if err := unparent(tx, m.From, m.Into); err != nil {
		return err
	}
	c := was
	c.MergedIntoID, c.State, c.UpdatedAt = nil, m.State, clock.At(tx.Now())
	if m.State == Snoozed {
		c.State = Open // its time may have passed
	}
	if c.State != Closed {
		c.ClosedAt = nil
	}
	mark := happened(tx, "restored", nil)
	place(tx, &c, []*Item{mark})
	if err := save(tx, &c, was.State); err != nil {
		return err
	}
	if err := s.follow(tx, &was, &c, []*Item{mark}); err != nil {
		return err
	}
	return s.announce(tx, []string{Restored}, &was, &c, nil)
}
