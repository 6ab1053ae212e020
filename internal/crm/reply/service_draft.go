package reply

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/draft"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Detail reads a conversation with what the caller has begun to write.
func (s *Service) Detail(ctx context.Context, id uuid.UUID) (out Detail, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		me := conversation.AgentID(ctx)
		c, err := conversation.ByID(r, id)
		if err != nil {
			return db.NotFound(err)
		}
		one := []conversation.Conversation{c}
		if err := conversation.FillUnread(r, me, one); err != nil {
			return err
		}
		out.Conversation = one[0]
		out.Drafts, err = draft.Of(r, id, me)
		return err
	})
	return out, err
}

// SetDraft keeps what the caller has begun to write as a reply or as a note,
// with its uploads. An empty text without uploads clears that draft; an upload
// that the draft no longer names waits alone again.
func (s *Service) SetDraft(ctx context.Context, id uuid.UUID, messageType, body string, uploads []uuid.UUID) (out Drafted, err error) {
	me := conversation.AgentID(ctx)
	if me == uuid.Nil {
		return out, conversation.ErrNoAgent
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		out = Drafted{}
		// The lock keeps a merge from leaving the draft behind.
		if _, err := conversation.Lock(tx, id); err != nil {
			return err
		}
		if strings.TrimSpace(body) == "" && len(uploads) == 0 {
			return draft.Drop(tx, id, me, messageType)
		}
		held, err := file.Take(tx, uploads, nil)
		if err != nil {
			return err
		}
		d := draft.Draft{ID: tx.NewID(), Body: body, MessageType: messageType, Attachments: held, UpdatedAt: clock.At(tx.Now())}
		if d.ID, err = draft.Put(tx, id, me, d); err != nil {
			return fmt.Errorf("conversation: put draft: %w", err)
		}
		out.Draft = api.Some(d)
		return file.HoldForDraft(tx, d.ID, d.Attachments)
	})
	return out, err
}

// clearDraft is a step that removes the caller's draft of an answer which they
// have just sent or scheduled by hand. The other draft stays.
func (s *Service) clearDraft(messageType string) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		if me := conversation.AgentID(tx.Context()); me != uuid.Nil {
			return was, draft.Drop(tx, was.ID, me, messageType)
		}
		return was, nil
	}
}
