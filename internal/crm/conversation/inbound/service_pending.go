package inbound

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/blob"
	"konak/internal/kit/db"
)

// FillAttachment stores the bytes of a pending file of an item, or the reason why there are
// none, and tells open panels. A file that is no longer pending and one of a deleted item
// are left alone.
func (s *Service) FillAttachment(ctx context.Context, item, attachment uuid.UUID, p file.Prepared) error {
	a := p.Attachment()
	return s.Conversations.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		i, err := conversation.ItemByID(&tx.Reader, item)
		if db.IsNoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := conversation.LockAny(tx, i.ConversationID)
		if err != nil {
			return db.NotFound(err)
		}
		awaited, err := file.Fill(tx, attachment, item, &a)
		if err != nil || !awaited {
			return err
		}
		if a.BlobID != nil {
			if err := blob.Hold(tx, *a.BlobID); err != nil {
				return err
			}
		}
		return s.Conversations.AnnounceItem(tx, &c, &i)
	})
}
