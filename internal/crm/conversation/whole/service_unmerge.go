package whole

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Unmerge undoes the merge of a conversation. Both conversations are as they were before
// it, except for what happened to them since. It is refused with the reason not_merged if
// there is nothing to undo, single_thread if the customer has another conversation on the
// same messaging account by now, and conversation_merged if the other one was itself merged
// since.
func (s *Service) Unmerge(ctx context.Context, id uuid.UUID) (c conversation.Conversation, err error) {
	err = s.gate.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		was, err := conversation.ByID(&tx.Reader, id)
		if err != nil {
			return db.NotFound(err)
		}
		if was.MergedIntoID == nil {
			return fault.New(fault.Conflict).Because("not_merged")
		}
		was, _, err = lockInOrder(tx, id, *was.MergedIntoID)
		if err != nil {
			return db.NotFound(err)
		}
		m, err := mergeOf(&tx.Reader, id)
		if db.IsNoRow(err) {
			return fault.New(fault.Conflict).Because("not_merged")
		}
		if err != nil {
			return err
		}
		if was.SingleThread {
			if _, err := conversation.LockThread(tx, *was.ChannelAccountID, was.ContactID); err == nil {
				return fault.New(fault.Conflict).Because("single_thread")
			} else if !db.IsNoRow(err) {
				return err
			}
		}
		if err := s.unmerge(tx, m); err != nil {
			return err
		}
		if c, err = conversation.ByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "conversation.unmerged", id.String(), map[string]string{"from": m.Into.String()})
	})
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		err = fault.New(fault.Conflict).Because("single_thread").Wrap(err)
	}
	return c, err
}
