package conversation

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// ClearUnread removes a conversation from every agent's badge and returns how much each of
// them had not read.
func (s *Service) ClearUnread(tx *db.Tx, id uuid.UUID) ([]UnreadBy, error) {
	list, err := unreadOf(&tx.Reader, id)
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		if err := s.MarkRead(tx, id, u.AgentID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Delete hides a conversation; Restore undoes it.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := LockLive(tx, id)
		if err != nil {
			return err
		}
		c := was
		c.DeletedAt = clock.Ptr(tx.Now())
		if _, err := s.ClearUnread(tx, id); err != nil {
			return err
		}
		if err := s.Move(tx, was, &c, Delete, nil, nil); err != nil {
			return err
		}
		return audit.Write(tx, Deleted, id.String(), nil)
	})
}

// Restore restores a deleted conversation, unless another one has taken its place.
func (s *Service) Restore(ctx context.Context, id uuid.UUID) (c Conversation, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := LockAny(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if c = was; was.DeletedAt == nil {
			return nil
		}
		if was.SingleThread && was.MergedIntoID == nil {
			if _, err := LockThread(tx, *was.ChannelAccountID, was.ContactID); err == nil {
				return fault.New(fault.Conflict).Because("single_thread")
			} else if !db.IsNoRow(err) {
				return err
			}
		}
		c.DeletedAt = nil
		if err := s.Move(tx, was, &c, Restore, nil, nil); err != nil {
			return err
		}
		return audit.Write(tx, Restored, id.String(), nil)
	})
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		err = fault.New(fault.Conflict).Because("single_thread").Wrap(err)
	}
	return c, err
}
