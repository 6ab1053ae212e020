package conversation

import (
	"context"
	"slices"

	"konak/internal/crm/conversation/count"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// Counts are the numbers next to the views of the inbox.
type Counts = count.Counts

// AllCounts are the stored counters of a workspace, from which everybody's Counts are
// computed.
type AllCounts struct{ rows []count.Row }

// ReadAllCounts reads the counters that are the same for everybody.
func (s *Service) ReadAllCounts(ctx context.Context) (AllCounts, error) {
	rows, err := db.Read(ctx, s.Tenant(ctx), count.Read)
	return AllCounts{rows}, err
}

// CountsOf computes the caller's Counts from those of the workspace and what they have not
// read.
func (s *Service) CountsOf(ctx context.Context, all AllCounts) (Counts, error) {
	me := AgentID(ctx)
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (out Counts, err error) {
		out = count.Sum(all.rows, caller.From(ctx), me)
		if out.Unread, err = badge(r, me); err != nil {
			return out, err
		}
		out.Mentions, err = unreadMentions(r, me, mentionsCounted)
		return out, err
	})
}

// Counts returns the caller's counters.
func (s *Service) Counts(ctx context.Context) (Counts, error) {
	all, err := s.ReadAllCounts(ctx)
	if err != nil {
		return Counts{}, err
	}
	return s.CountsOf(ctx, all)
}

// Catalog lists the sources of conversations, including unconnected ones.
func (s *Service) Catalog(ctx context.Context) (out []Source, err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		connected, err := s.Router.Connected(r)
		out = slices.Clone(Sources)
		for i := range out {
			out[i].Connected = out[i].builtin || connected[out[i].Key]
		}
		return err
	})
	return out, err
}

// countHour counts what happened, for the overview of the workspace.
func countHour(tx *db.Tx, was, c *Conversation, list []*Item) error {
	h := hourly.Happened{Opened: was == nil, Closed: c.State == Closed && (was == nil || was.State != Closed)}
	for _, i := range list {
		if i.Kind == Message && !i.Test {
			h.AddMessage(i.AuthorKind == ByContact)
		}
	}
	if was != nil && was.FirstReplyAt == nil {
		h.FirstReply = c.FirstReplyAt
	}
	return addHour(tx, c, h)
}

func addHour(tx *db.Tx, c *Conversation, h hourly.Happened) error {
	return hourly.Add(tx, hourly.Source{Conversation: c.ID, Began: c.CreatedAt, Channel: c.Channel, Account: c.ChannelAccountID, Test: c.Test}, h)
}
