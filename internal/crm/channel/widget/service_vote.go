package widget

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// votes reads what the visitor thinks of the bot's answers among the items, by item.
func (s *Service) votes(ctx context.Context, conversationID uuid.UUID, items []conversation.Item) (map[uuid.UUID]string, error) {
	if !slices.ContainsFunc(items, func(i conversation.Item) bool { return i.AuthorKind == conversation.ByBot }) {
		return nil, nil
	}
	return s.AIRecords.CustomerVotes(ctx, conversationID)
}

// vote keeps what a visitor thinks of an answer. It returns not_found for what is no
// message of their chat, and a conflict for what the assistant did not write.
func (s *Service) vote(ctx context.Context, p *page, v Visitor, item uuid.UUID, rating string) (out Voted, err error) {
	if err := s.take(ctx, use{votesOfVisitor, limit.Key(v.ID)}); err != nil {
		return out, err
	}
	now, err := s.session(ctx, v)
	if err != nil {
		return out, err
	}
	if now.ConversationID == nil {
		return out, fault.New(fault.NotFound)
	}
	f, err := s.AIRecords.CustomerRated(ctx, airecord.CustomerVote{AccountID: p.Account.ID, ConversationID: *now.ConversationID, ItemID: item, Rating: rating})
	return Voted{f.ItemID, f.Rating}, err
}
