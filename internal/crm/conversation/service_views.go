package conversation

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// StateCounts says how many conversations are in each state.
type StateCounts struct {
	Open    int `json:"open" example:"12"`
	Snoozed int `json:"snoozed" example:"3"`
	Closed  int `json:"closed" example:"480"`
}

func (c *StateCounts) add(s State, n int) {
	switch s {
	case Open:
		c.Open += n
	case Snoozed:
		c.Snoozed += n
	case Closed:
		c.Closed += n
	}
}

// GroupCounts are those of one group.
type GroupCounts struct {
	GroupID uuid.UUID `json:"group_id" format:"uuid"`
	StateCounts
}

// ChannelCounts are those of one source.
type ChannelCounts struct {
	Channel string `json:"channel" example:"whatsapp"`
	StateCounts
}

// Counts are the numbers beside the views of the inbox.
type Counts struct {
	All        StateCounts     `json:"all"`
	Mine       StateCounts     `json:"mine"`
	Unassigned StateCounts     `json:"unassigned"`
	Unread     int             `json:"unread" example:"3" doc:"Conversations that the caller has not read"`
	Mentions   int             `json:"mentions" example:"1" doc:"Notes that call the caller in conversations that they have not read since; counted up to 100"`
	Groups     []GroupCounts   `json:"groups" nullable:"false"`
	Channels   []ChannelCounts `json:"channels" nullable:"false"`
}

// AllCounts are the kept counters of a workspace, from which everybody's Counts
// are made.
type AllCounts struct{ rows []countRow }

// ReadAllCounts reads the counters that are the same for everybody.
func (s *Service) ReadAllCounts(ctx context.Context) (AllCounts, error) {
	rows, err := db.Read(ctx, s.Tenant(ctx), counts)
	return AllCounts{rows}, err
}

// CountsOf makes the caller's Counts from those of the workspace and what they
// have not read.
func (s *Service) CountsOf(ctx context.Context, all AllCounts) (Counts, error) {
	me := AgentID(ctx)
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (out Counts, err error) {
		out = sumCounts(all.rows, caller.From(ctx), me)
		if out.Unread, err = badge(r, me); err != nil {
			return out, err
		}
		out.Mentions, err = unreadMentions(r, me, mentionsCounted)
		return out, err
	})
}

// Counts reads the kept counters.
func (s *Service) Counts(ctx context.Context) (Counts, error) {
	all, err := s.ReadAllCounts(ctx)
	if err != nil {
		return Counts{}, err
	}
	return s.CountsOf(ctx, all)
}

// sumCounts adds the counters of what the caller may see.
func sumCounts(rows []countRow, who *caller.Caller, me uuid.UUID) Counts {
	out := Counts{Groups: []GroupCounts{}, Channels: []ChannelCounts{}}
	for _, row := range rows {
		if !who.MaySee(row.test) {
			continue
		}
		out.All.add(row.state, row.n)
		if row.owner == uuid.Nil {
			out.Unassigned.add(row.state, row.n)
		} else if row.owner == me {
			out.Mine.add(row.state, row.n)
		}
		if row.group != uuid.Nil {
			i := slices.IndexFunc(out.Groups, func(g GroupCounts) bool { return g.GroupID == row.group })
			if i < 0 {
				i, out.Groups = len(out.Groups), append(out.Groups, GroupCounts{GroupID: row.group})
			}
			out.Groups[i].add(row.state, row.n)
		}
		i := slices.IndexFunc(out.Channels, func(c ChannelCounts) bool { return c.Channel == row.channel })
		if i < 0 {
			i, out.Channels = len(out.Channels), append(out.Channels, ChannelCounts{Channel: row.channel})
		}
		out.Channels[i].add(row.state, row.n)
	}
	slices.SortFunc(out.Groups, func(a, b GroupCounts) int { return slices.Compare(a.GroupID[:], b.GroupID[:]) })
	slices.SortFunc(out.Channels, func(a, b ChannelCounts) int { return slices.Compare([]byte(a.Channel), []byte(b.Channel)) })
	return out
}

// Catalog lists the sources of conversations, unconnected ones too.
func (s *Service) Catalog(ctx context.Context) (out []Source, err error) {
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		connected, err := s.router.Connected(r)
		out = slices.Clone(Sources)
		for i := range out {
			out[i].Connected = out[i].builtin || connected[out[i].Key]
		}
		return err
	})
	return out, err
}
