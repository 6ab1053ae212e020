package inbound

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/survey"
	"konak/internal/kit/db"
)

// What a customer may see of their own conversation, for channels whose
// customers read it here.

// Shown is a conversation as its customer sees it.
type Shown struct {
	Conversation conversation.Conversation
	// Asked means that a rating is expected.
	Asked bool
}

// ShownTo returns a conversation as its customer sees it, following merges.
func (s *Service) ShownTo(r *db.Reader, id uuid.UUID) (out Shown, err error) {
	if out.Conversation, err = conversation.ByID(r, id); err != nil {
		return out, db.NotFound(err)
	}
	for hops := 0; out.Conversation.MergedIntoID != nil && hops < 10; hops++ {
		if out.Conversation, err = conversation.ByID(r, *out.Conversation.MergedIntoID); err != nil {
			return out, db.NotFound(err)
		}
	}
	if out.Conversation.State != conversation.Closed {
		return out, nil
	}
	v, err := survey.Last(r, out.Conversation.ID)
	if db.IsNoRow(err) {
		return out, nil
	}
	out.Asked = v.RespondedAt == nil && s.DB.Clock().Now().Before(v.ExpiresAt.Time)
	return out, err
}

// MessagesOn lists what was written over one channel account, the newest first: no notes,
// no events, nothing that went over another route.
func (s *Service) MessagesOn(ctx context.Context, conversationID, account uuid.UUID, p db.Page) (out db.List[conversation.Item], err error) {
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if out, err = messagesOn(r, conversationID, account, p); err != nil {
			return err
		}
		return conversation.FillItems(r, out.Rows)
	})
	return out, err
}

// AgentNames returns the names of members.
func (s *Service) AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return s.Agents.AgentNames(r, ids)
}

// MarkSent marks a message as sent in the transaction that takes it, for a
// channel whose customers read it here.
func (s *Service) MarkSent(tx *db.Tx, item uuid.UUID) error {
	return conversation.SetDelivery(tx, item, conversation.Sent, nil, nil)
}

func messagesOn(r *db.Reader, conversationID, account uuid.UUID, p db.Page) (db.List[conversation.Item], error) {
	rows, err := conversation.ReadMessagesOn(r, conversationID, account, p)
	return db.Cut(rows, p, func(i conversation.Item) db.Key { return db.Key{Sort: i.CreatedAt.UnixMicro(), ID: i.ID} }), err
}
