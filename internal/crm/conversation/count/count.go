// Package count keeps how many conversations there are of each kind, so that
// nobody counts them. It owns the table conversation_count. The gate moves a
// conversation from one counter to another in the transaction of the change.
package count

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// Key is what a conversation is counted as. The nil UUID stands for nobody and
// no group.
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

// shards spread a counter over several rows.
const shards = 16

// Move takes a conversation out of one counter and puts it into another, where
// they differ; nil stands for none. Both are taken in a fixed order: two that
// cross must not wait for each other.
func Move(tx *db.Tx, from, to *Key, id uuid.UUID) error {
	if from != nil && to != nil && *from == *to {
		return nil
	}
	type step struct {
		k  *Key
		by int
	}
	var steps []step
	if from != nil {
		steps = append(steps, step{from, -1})
	}
	if to != nil {
		steps = append(steps, step{to, 1})
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(fmt.Sprint(*a.k), fmt.Sprint(*b.k)) })
	for _, st := range steps {
		if err := add(tx, st.k, id, st.by); err != nil {
			return fmt.Errorf("conversation: count: %w", err)
		}
	}
	return nil
}

func add(tx *db.Tx, k *Key, id uuid.UUID, by int) error {
	return tx.ExecDeferred(`INSERT INTO conversation_count (tenant_id, state, waiting, owner_id, group_id, channel, test, shard, n)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, state, waiting, owner_id, group_id, channel, test, shard)
		DO UPDATE SET n = conversation_count.n + $9`,
		tx.Tenant(), k.State, k.Waiting, k.Owner, k.Group, k.Channel, k.Test, int(id[15])%shards, by)
}

// Read reads the counters of a workspace.
func Read(r *db.Reader) ([]Row, error) {
	return db.All(r, func(row db.Row) (Row, error) {
		var c Row
		err := row.Scan(&c.State, &c.Waiting, &c.Owner, &c.Group, &c.Channel, &c.Test, &c.N)
		return c, err
	}, `SELECT state, waiting, owner_id, group_id, channel, test, CAST(sum(n) AS bigint) FROM conversation_count
		WHERE tenant_id = $1 GROUP BY state, waiting, owner_id, group_id, channel, test`, r.Tenant())
}

// StateCounts says how many conversations are in each state.
type StateCounts struct {
	Open    int `json:"open" example:"12"`
	Snoozed int `json:"snoozed" example:"3"`
	Closed  int `json:"closed" example:"480"`
	Waiting int `json:"waiting" example:"4" doc:"Open ones whose customer waits for an answer"`
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

// Sum makes the numbers of one caller, who is the agent me or no agent, from the
// counters of what they may see; what is unread is counted elsewhere.
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
