package conversation

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Detail reads a conversation with what the caller has begun to write.
func (s *Service) Detail(ctx context.Context, id uuid.UUID) (out Detail, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) error {
		me := agentID(ctx)
		c, err := byID(r, id)
		if err != nil {
			return absent(err)
		}
		one := []Conversation{c}
		if err := fillUnread(r, me, one); err != nil {
			return err
		}
		out.Conversation = one[0]
		out.Draft.V, err = draft(r, id, me)
		return err
	})
	return out, err
}

// SetDraft keeps what the caller has begun to write; the empty text clears it.
func (s *Service) SetDraft(ctx context.Context, id uuid.UUID, body, messageType string) (out Drafted, err error) {
	me := agentID(ctx)
	if me == uuid.Nil {
		return out, errNoAgent
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		// The lock keeps a merge from leaving the draft behind.
		if _, err := lockUnmerged(tx, id); err != nil {
			return err
		}
		if strings.TrimSpace(body) == "" {
			out = Drafted{}
			return dropDraft(tx, id, me)
		}
		d := Draft{Body: body, MessageType: messageType, UpdatedAt: clock.At(tx.Now())}
		out = Drafted{Draft: api.Some(d)}
		return putDraft(tx, id, me, d)
	})
	return out, err
}

// sent clears the draft of whoever has just sent a message by hand.
func (s *Service) sent(tx *db.Tx, was Conversation) (Conversation, error) {
	if me := agentID(tx.Context()); me != uuid.Nil {
		return was, dropDraft(tx, was.ID, me)
	}
	return was, nil
}
