package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Merge closes a conversation into another of the same customer: its items move
// there, and so does whatever arrives for it later. Unmerge takes it back.
func (s *Service) Merge(ctx context.Context, id, into uuid.UUID) (c Conversation, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &c, func(tx *db.Tx) error {
		if _, err := ByID(&tx.Reader, id); err != nil {
			return db.OrNotFound(err)
		}
		if id == into {
			return fault.Invalid("into_id", "same_conversation")
		}
		was, target, err := lockPair(tx, id, into)
		if err != nil {
			return err
		}
		if was.ContactID != target.ContactID && was.Test == target.Test {
			return fault.New(fault.OtherCustomer)
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

// mergeInto merges two locked conversations. It gives the one that went, and
// what parting them again needs.
func (s *Service) mergeInto(tx *db.Tx, was, target Conversation) (c Conversation, m mergedThread, err error) {
	c, x := was, target
	if c.Test != x.Test {
		return c, m, fault.New(fault.TestEnvironment)
	}
	c.MergedIntoID = &x.ID
	m = mergedThread{
		From: c.ID, Into: x.ID, State: was.State, WaitingSince: was.WaitingSince,
		SnoozedUntil: was.SnoozedUntil, SnoozedUntilReply: was.SnoozedUntilReply, Had: standingOf(&target),
	}
	if m.Unread, err = s.clearUnread(tx, c.ID); err != nil {
		return c, m, err
	}
	if err := s.move(tx, was, &c, MergeInto, nil, map[string]any{"into_id": x.ID}); err != nil {
		return c, m, err
	}
	if err := s.holdAgents(tx, c.ID); err != nil {
		return c, m, err
	}
	if m.Taken, err = reparent(tx, c.ID, x.ID); err != nil {
		return c, m, fmt.Errorf("conversation: reparent: %w", err)
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
			return c, m, err
		}
	}
	m.Got = standingOf(&x)
	if err := s.record(tx, target, &x, "merged_from", map[string]any{"from_id": c.ID}); err != nil {
		return c, m, err
	}
	if !SameID(target.OwnerID, x.OwnerID) {
		if err := s.Announce(tx, []string{Assigned}, &target, &x, nil); err != nil {
			return c, m, err
		}
	}
	if err := putMerge(tx, m); err != nil {
		return c, m, fmt.Errorf("conversation: keep the merge: %w", err)
	}
	return c, m, audit.Write(tx, Merged, c.ID.String(), map[string]string{"into": x.ID.String()})
}

// clearUnread takes a conversation off every agent's badge and says who had
// not read how much of it.
func (s *Service) clearUnread(tx *db.Tx, id uuid.UUID) ([]unreadBy, error) {
	list, err := unreadOf(&tx.Reader, id)
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		if err := s.markRead(tx, id, u.AgentID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Delete hides a conversation; Restore brings it back.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := LockLive(tx, id)
		if err != nil {
			return err
		}
		c := was
		c.deletedAt = clock.Ptr(tx.Now())
		if _, err := s.clearUnread(tx, id); err != nil {
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
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := lock(tx, id)
		if err != nil {
			return db.OrNotFound(err)
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
