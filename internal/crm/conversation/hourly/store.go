package hourly

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// shards is the number of rows a counter is spread over, so that writers do not wait for
// each other.
const shards = 4

// Add counts what happened in this hour. The rows are written in the order of their names,
// so that two transactions cannot deadlock.
func Add(tx *db.Tx, of Source, h Happened) error {
	if of.Test {
		return nil
	}
	var account uuid.UUID
	if of.Account != nil {
		account = *of.Account
	}
	hour := clock.At(tx.Now().Truncate(time.Hour))
	for _, c := range h.counts(of.Began) {
		if c.n == 0 {
			continue
		}
		if err := tx.ExecDeferred(`INSERT INTO conversation_hour (tenant_id, hour, channel, account_id, metric, shard, n)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, hour, channel, account_id, metric, shard)
			DO UPDATE SET n = conversation_hour.n + $7`,
			tx.Tenant(), hour, of.Channel, account, string(c.metric), int(of.Conversation[15])%shards, c.n); err != nil {
			return fmt.Errorf("hourly: count %s: %w", c.metric, err)
		}
	}
	if !h.Opened {
		return nil
	}
	return tx.ExecDeferred(`DELETE FROM conversation_hour WHERE tenant_id = $1 AND hour < $2`, tx.Tenant(), clock.At(hour.Add(-Kept)))
}

type counted struct {
	hour    clock.Time
	channel string
	account uuid.UUID
	metric  string
	n       int
}

// Read builds the overview of a workspace as of now.
func Read(r *db.Reader, now time.Time) (Overview, error) {
	last := now.UTC().Truncate(time.Hour)
	first := last.Add(-(shownHours - 1) * time.Hour)
	rows, err := db.All(r, func(row db.Row) (c counted, err error) {
		err = row.Scan(&c.hour, &c.channel, &c.account, &c.metric, &c.n)
		return c, err
	}, `SELECT hour, channel, account_id, metric, CAST(sum(n) AS bigint) FROM conversation_hour
		WHERE tenant_id = $1 AND hour >= $2`+caller.OnlyVisible(r.Context(), "1 = 0")+` GROUP BY hour, channel, account_id, metric ORDER BY hour, channel, account_id, metric`,
		r.Tenant(), clock.At(last.Add(-medianOver)))
	return overview(rows, first, err)
}

func overview(rows []counted, first time.Time, err error) (Overview, error) {
	out := Overview{Hours: make([]Hour, shownHours), Channels: []Channel{}, FirstReplyHistogram: []Step{}}
	for i := range out.Hours {
		out.Hours[i].At = clock.At(first.Add(time.Duration(i) * time.Hour))
	}
	steps := map[int]int{}
	for _, c := range rows {
		if step, ok := strings.CutPrefix(c.metric, replyPrefix); ok {
			at, _ := strconv.Atoi(step)
			steps[at] += c.n
			out.FirstReplies += c.n
			continue
		}
		i := int(c.hour.Sub(first) / time.Hour)
		if c.hour.Before(first) {
			if Metric(c.metric) == Received && first.Sub(c.hour.Time) <= shownHours*time.Hour {
				out.ReceivedBefore += c.n
			}
			continue
		}
		if i >= shownHours {
			continue // another node's clock is ahead
		}
		out.Hours[i].add(Metric(c.metric), c.n)
		out.channel(c.channel, c.account).add(Metric(c.metric), c.n)
	}
	out.Channels = slices.DeleteFunc(out.Channels, func(c Channel) bool { return c.Received+c.Sent == 0 })
	out.FirstReplyMedianS = median(steps)
	for at := 0; at <= len(bounds) && out.FirstReplies > 0; at++ {
		step := Step{N: steps[at]}
		if at < len(bounds) {
			step.UpToS = &bounds[at]
		}
		out.FirstReplyHistogram = append(out.FirstReplyHistogram, step)
	}
	return out, err
}

func (o *Overview) channel(name string, account uuid.UUID) *Channel {
	i := slices.IndexFunc(o.Channels, func(c Channel) bool {
		return c.Channel == name && (c.AccountID == nil && account == uuid.Nil || c.AccountID != nil && *c.AccountID == account)
	})
	if i < 0 {
		c := Channel{Channel: name}
		if account != uuid.Nil {
			c.AccountID = &account
		}
		i, o.Channels = len(o.Channels), append(o.Channels, c)
	}
	return &o.Channels[i]
}

func (h *Hour) add(m Metric, n int) {
	switch m {
	case Received:
		h.Received += n
	case Sent:
		h.Sent += n
	case Opened:
		h.Opened += n
	case Closed:
		h.Closed += n
	}
}

func (c *Channel) add(m Metric, n int) {
	switch m {
	case Received:
		c.Received += n
	case Sent:
		c.Sent += n
	}
}
