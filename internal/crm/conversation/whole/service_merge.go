package whole

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Merge closes a conversation and merges it into another of the same customer: its items
// move there, and so does whatever arrives for it later. Unmerge undoes it.
func (s *Service) Merge(ctx context.Context, id, into uuid.UUID) (c conversation.Conversation, err error) {
	err = idempotency.Do(ctx, s.gate.Tenant(ctx), &c, func(tx *db.Tx) error {
		if _, err := conversation.ByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
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
func lockPair(tx *db.Tx, id, into uuid.UUID) (was, target conversation.Conversation, err error) {
	get := func(which uuid.UUID) error {
		c, err := conversation.Lock(tx, which)
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

// mergeInto merges two locked conversations. It returns the one that was merged into the
// other, and what is needed to undo the merge.
func (s *Service) mergeInto(tx *db.Tx, was, target conversation.Conversation) (c conversation.Conversation, m mergeRecord, err error) {
	c, x := was, target
	if c.Test != x.Test {
		return c, m, fault.New(fault.TestEnvironment)
	}
	c.MergedIntoID = &x.ID
	m = mergeRecord{
		From: c.ID, Into: x.ID, State: was.State, WaitingSince: was.WaitingSince,
		SnoozedUntil: was.SnoozedUntil, SnoozedUntilReply: was.SnoozedUntilReply, Had: mergedFieldsOf(&target),
	}
	if m.Unread, err = s.gate.ClearUnread(tx, c.ID); err != nil {
		return c, m, err
	}
	if err := s.gate.Move(tx, was, &c, conversation.MergeInto, nil, map[string]any{"into_id": x.ID}); err != nil {
		return c, m, err
	}
	if err := s.gate.HoldAgents(tx, c.ID); err != nil {
		return c, m, err
	}
	if m.Taken, err = moveParts(tx, c.ID, x.ID); err != nil {
		return c, m, fmt.Errorf("conversation: reparent: %w", err)
	}
	if c.LastItemAt.After(x.LastItemAt.Time) {
		x.LastItemAt = c.LastItemAt
	}
	if was.LastActivityAt.After(x.LastActivityAt.Time) {
		x.LastActivityAt, x.Preview = was.LastActivityAt, was.Preview
		x.PreviewAuthorKind, x.PreviewAuthorID = was.PreviewAuthorKind, was.PreviewAuthorID
	}
	if was.WaitingSince != nil && x.State == conversation.Open && (x.WaitingSince == nil || was.WaitingSince.Before(x.WaitingSince.Time)) {
		x.WaitingSince = was.WaitingSince
	}
	if x.OwnerID == nil {
		if x.OwnerID, err = conversation.OldestAgent(&tx.Reader, x.ID); err != nil {
			return c, m, err
		}
	}
	m.Got = mergedFieldsOf(&x)
	if err := s.gate.RecordEvent(tx, target, &x, "merged_from", map[string]any{"from_id": c.ID}); err != nil {
		return c, m, err
	}
	if !conversation.SameID(target.OwnerID, x.OwnerID) {
		if err := s.gate.Announce(tx, []string{conversation.Assigned}, &target, &x, nil); err != nil {
			return c, m, err
		}
	}
	if err := putMerge(tx, m); err != nil {
		return c, m, fmt.Errorf("conversation: keep the merge: %w", err)
	}
	return c, m, audit.Write(tx, conversation.Merged, c.ID.String(), map[string]string{"into": x.ID.String()})
}

// ContactRenamed implements contact.Follower.
func (s *Service) ContactRenamed(tx *db.Tx, id uuid.UUID, name string) error {
	return conversation.RenameContact(tx, id, name)
}
