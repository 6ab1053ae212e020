package widget

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// messages returns the visitor's chat, newest first.
func (s *Service) messages(ctx context.Context, p *page, v Visitor, pg db.Page) (out db.List[Message], err error) {
	out.Rows = []Message{}
	now, err := s.session(ctx, v)
	if err != nil || now.ConversationID == nil {
		return out, err
	}
	list, err := s.Inbound.MessagesOn(ctx, *now.ConversationID, p.Account.ID, pg)
	if err != nil {
		return out, err
	}
	names, err := s.names(ctx, list.Rows)
	if err != nil {
		return out, err
	}
	votes, err := s.votes(ctx, *now.ConversationID, list.Rows)
	for _, i := range list.Rows {
		out.Rows = append(out.Rows, show(i, names, votes))
	}
	out.Next = list.Next
	return out, err
}

// readUntil records that a visitor has read their chat up to a message; not_found if the
// message is not part of it.
func (s *Service) readUntil(ctx context.Context, p *page, v Visitor, message uuid.UUID) error {
	if err := api.TakeLimits(ctx, s.Limits, readsOfVisitor.By(limit.Key(v.ID))); err != nil {
		return err
	}
	now, err := s.session(ctx, v)
	if err != nil {
		return err
	}
	item, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (conversation.Item, error) {
		return conversation.ItemByID(r, message)
	})
	if err != nil {
		return db.NotFound(err)
	}
	if now.ConversationID == nil || item.ConversationID != *now.ConversationID {
		return fault.New(fault.NotFound)
	}
	return s.Inbound.ReadUntil(ctx, p.Account.ID, v.ID.String(), item.CreatedAt, clock.At(s.DB.Clock().Now()))
}

// votes returns the visitor's votes on the bot's answers among the items, by item.
func (s *Service) votes(ctx context.Context, conversationID uuid.UUID, items []conversation.Item) (map[uuid.UUID]string, error) {
	if !slices.ContainsFunc(items, func(i conversation.Item) bool { return i.AuthorKind == conversation.ByBot }) {
		return nil, nil
	}
	return s.AIRecords.CustomerVotes(ctx, conversationID)
}

// vote records a visitor's vote on an answer. It returns not_found if the message is not
// part of their chat, and a conflict if the assistant did not write it.
func (s *Service) vote(ctx context.Context, p *page, v Visitor, item uuid.UUID, rating string) (out Voted, err error) {
	if err := api.TakeLimits(ctx, s.Limits, votesOfVisitor.By(limit.Key(v.ID))); err != nil {
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

func (s *Service) names(ctx context.Context, items []conversation.Item) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for _, i := range items {
		if i.AuthorKind == conversation.ByAgent && i.AuthorID != nil && !slices.Contains(ids, *i.AuthorID) {
			ids = append(ids, *i.AuthorID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (map[uuid.UUID]string, error) { return s.Inbound.AgentNames(r, ids) })
}

// show converts an item to what the visitor sees: agents with their first names, answers of
// the bot with the visitor's own votes.
func show(i conversation.Item, names, votes map[uuid.UUID]string) Message {
	m := Message{ID: i.ID, From: "agent", Body: i.Body, Files: []File{}, CreatedAt: i.CreatedAt}
	for _, a := range i.Attachments {
		if a.Blocked == nil {
			m.Files = append(m.Files, File{a.ID, a.Name, a.Size})
		}
	}
	switch i.AuthorKind {
	case conversation.ByContact:
		m.From = "visitor"
	case conversation.ByBot:
		m.From, m.CanVote = "bot", airecord.IsAnswer(&i)
		if vote, voted := votes[i.ID]; voted {
			m.Vote = &vote
		}
	case conversation.ByAgent:
		if i.AuthorID != nil {
			m.Name, _, _ = strings.Cut(names[*i.AuthorID], " ")
		}
	}
	return m
}
