// Package count keeps the number of conversations of each kind, so that they need not be
// counted on demand. It owns the table conversation_count. The gate moves a conversation
// from one counter to another in the transaction of the change.
package count

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
)

// Key identifies the counter of a conversation. The nil UUID means no owner or no group.
type Key struct {
	State        string
	Waiting      bool
	Owner, Group uuid.UUID
	Channel      string
	Test         bool
}

// Row is a counter.
type Row struct {
	Key
	N int
}

// StateCounts is the number of conversations in each state.
type StateCounts struct {
	Open    int `json:"open" example:"12"`
	Snoozed int `json:"snoozed" example:"3"`
	Closed  int `json:"closed" example:"480"`
	Waiting int `json:"waiting" example:"4" doc:"Open conversations whose customer is waiting for a reply"`
}

func (c *StateCounts) add(row Row) {
	n := row.N
	switch row.State {
	case "open":
		c.Open += n
		if row.Waiting {
			c.Waiting += n
		}
	case "snoozed":
		c.Snoozed += n
	case "closed":
		c.Closed += n
	}
}

// GroupCounts are the counts of one group.
type GroupCounts struct {
	GroupID uuid.UUID `json:"group_id" format:"uuid"`
	StateCounts
}

// ChannelCounts are the counts of one source.
type ChannelCounts struct {
	Channel string `json:"channel" example:"whatsapp"`
	StateCounts
}

// Counts are the numbers next to the views of the inbox.
type Counts struct {
	All        StateCounts     `json:"all"`
	Mine       StateCounts     `json:"mine"`
	Unassigned StateCounts     `json:"unassigned"`
	Unread     int             `json:"unread" example:"3" doc:"Conversations the caller has not read"`
	Mentions   int             `json:"mentions" example:"1" doc:"Notes that mention the caller in conversations they have not read since; counted up to 100"`
	Groups     []GroupCounts   `json:"groups" nullable:"false"`
	Channels   []ChannelCounts `json:"channels" nullable:"false"`
}

// Sum adds up the counters that one caller may see; me is the caller's agent id, or the nil
// UUID. Unread is counted elsewhere.
func Sum(rows []Row, who *caller.Caller, me uuid.UUID) Counts {
	out := Counts{Groups: []GroupCounts{}, Channels: []ChannelCounts{}}
	for _, row := range rows {
		if !who.MaySee(row.Test) {
			continue
		}
		out.All.add(row)
		if row.Owner == uuid.Nil {
			out.Unassigned.add(row)
		} else if row.Owner == me {
			out.Mine.add(row)
		}
		if row.Group != uuid.Nil {
			i := slices.IndexFunc(out.Groups, func(g GroupCounts) bool { return g.GroupID == row.Group })
			if i < 0 {
				i, out.Groups = len(out.Groups), append(out.Groups, GroupCounts{GroupID: row.Group})
			}
			out.Groups[i].add(row)
		}
		i := slices.IndexFunc(out.Channels, func(c ChannelCounts) bool { return c.Channel == row.Channel })
		if i < 0 {
			i, out.Channels = len(out.Channels), append(out.Channels, ChannelCounts{Channel: row.Channel})
		}
		out.Channels[i].add(row)
	}
	slices.SortFunc(out.Groups, func(a, b GroupCounts) int { return slices.Compare(a.GroupID[:], b.GroupID[:]) })
	slices.SortFunc(out.Channels, func(a, b ChannelCounts) int { return slices.Compare([]byte(a.Channel), []byte(b.Channel)) })
	return out
}
