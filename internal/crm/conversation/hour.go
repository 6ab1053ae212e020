package conversation

import (
	"konak/internal/crm/conversation/hourly"
	"konak/internal/kit/db"
)

// countHour counts what happened for the overview of the workspace.
func countHour(tx *db.Tx, was, c *Conversation, list []*Item) error {
	if c.Test {
		return nil
	}
	var metrics []hourly.Metric
	for _, i := range list {
		switch {
		case i.Kind != Message || i.Test:
		case i.AuthorKind == ByContact:
			metrics = append(metrics, hourly.Received)
		default:
			metrics = append(metrics, hourly.Sent)
		}
	}
	if was == nil {
		metrics = append(metrics, hourly.Opened)
	}
	if c.State == Closed && (was == nil || was.State != Closed) {
		metrics = append(metrics, hourly.Closed)
	}
	if was != nil && was.FirstReplyAt == nil && c.FirstReplyAt != nil {
		metrics = append(metrics, firstReplyMetric(c))
	}
	return hourly.Add(tx, hourSource(c), metrics...)
}

func firstReplyMetric(c *Conversation) hourly.Metric {
	return hourly.FirstReply(c.FirstReplyAt.Sub(c.CreatedAt.Time))
}

func hourSource(c *Conversation) hourly.Source {
	return hourly.Source{Conversation: c.ID, Channel: c.Channel, Account: c.ChannelAccountID}
}
