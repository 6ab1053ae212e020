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
	"konak/internal/kit/fault"
)

// Detail returns a conversation with the caller's drafts.
func (s *Service) Detail(ctx context.Context, id uuid.UUID) (out Detail, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		me := conversation.AgentID(ctx)
		if out.Conversation, err = conversation.ByIDFilled(r, id, me); err != nil {
			return err
		}
		out.Drafts, err = draft.Of(r, id, me)
		return err
	})
	return out, err
}

// SetDraft stores the caller's draft of a reply or a note, with its uploads. An empty text
// without uploads removes that draft; uploads that the draft no longer names are released.
func (s *Service) SetDraft(ctx context.Context, id uuid.UUID, messageType, body string, uploads []uuid.UUID) (out Drafted, err error) {
	me := conversation.AgentID(ctx)
	if me == uuid.Nil {
		return out, conversation.ErrNoAgent
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		out = Drafted{}
		// The lock keeps a merge from leaving the draft behind.
		if _, err := conversation.Lock(tx, id); err != nil {
			return err
		}
		if strings.TrimSpace(body) == "" && len(uploads) == 0 {
			return draft.Drop(tx, id, me, messageType)
		}
		d, err := putDraft(tx, id, me, messageType, body, uploads)
		out.Draft = api.Some(d)
		return err
	})
	return out, err
}

// putDraft writes an agent's draft with its uploads.
func putDraft(tx *db.Tx, id, agent uuid.UUID, messageType, body string, uploads []uuid.UUID) (d draft.Draft, err error) {
	held, err := file.Take(tx, uploads, nil)
	if err != nil {
		return d, err
	}
	d = draft.Draft{ID: tx.NewID(), Body: body, MessageType: messageType, Attachments: held, UpdatedAt: clock.At(tx.Now())}
	if d.ID, err = draft.Put(tx, id, agent, d); err != nil {
		return d, fmt.Errorf("conversation: put draft: %w", err)
	}
	return d, file.HoldForDraft(tx, d.ID, d.Attachments)
}

// ProposeDraft stores a reply that a program wrote as the caller's draft, and runs record
// in the same transaction. It returns fault.Conflict with the reason draft_exists if the
// caller has begun another reply.
func (s *Service) ProposeDraft(ctx context.Context, id uuid.UUID, body string, record func(*db.Tx) error) error {
	me := conversation.AgentID(ctx)
	if me == uuid.Nil {
		return conversation.ErrNoAgent
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := conversation.Lock(tx, id); err != nil {
			return err
		}
		begun, err := draft.Of(&tx.Reader, id, me)
		if err != nil {
			return err
		}
		for _, d := range begun {
			if d.MessageType == draft.Reply && (d.Body != body || len(d.Attachments) > 0) {
				return fault.New(fault.Conflict).Because("draft_exists")
			}
		}
		if _, err := putDraft(tx, id, me, draft.Reply, body, nil); err != nil {
			return err
		}
		return record(tx)
	})
}

// clearDraft is a step that removes the caller's draft of an answer that they have just
// sent or scheduled. The other draft stays.
func (s *Service) clearDraft(messageType string) conversation.Step {
	return func(tx *db.Tx, was conversation.Conversation) (conversation.Conversation, error) {
		if me := conversation.AgentID(tx.Context()); me != uuid.Nil {
			return was, draft.Drop(tx, was.ID, me, messageType)
		}
		return was, nil
	}
}
