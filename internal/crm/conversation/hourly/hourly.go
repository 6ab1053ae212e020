package hourly

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Metric is something that is counted by the hour.
type Metric string

// The metrics. First answers are counted by how long they took: see FirstReplyStep.
const (
	Closed   Metric = "closed"
	Opened   Metric = "opened"
	Received Metric = "received"
	Sent     Metric = "sent"
)

// Source is the conversation in which something happened, and its channel.
type Source struct {
	Conversation uuid.UUID
	Began        clock.Time
	Channel      string
	// Account is the channel's account, if there is one.
	Account *uuid.UUID
	// Test marks the test environment, in which nothing is counted.
	Test bool
}

// Happened is what happened in one change of a conversation.
type Happened struct {
	Opened, Closed bool
	// FirstReply is when the first answer was sent, if this change sent it.
	FirstReply     *clock.Time
	received, sent int
}

// AddMessage counts a message from or to the customer.
func (h *Happened) AddMessage(fromCustomer bool) {
	if fromCustomer {
		h.received++
	} else {
		h.sent++
	}
}

type count struct {
	metric Metric
	n      int
}

// counts returns the counters to raise, in the order of their names.
func (h *Happened) counts(began clock.Time) []count {
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	list := []count{{Closed, one(h.Closed)}}
	if h.FirstReply != nil {
		list = append(list, count{FirstReplyStep(h.FirstReply.Sub(began.Time)), 1})
	}
	return append(list, count{Opened, one(h.Opened)}, count{Received, h.received}, count{Sent, h.sent})
}

// Kept is how long hours are kept.
const Kept = 35 * 24 * time.Hour

const (
	shownHours = 24
	medianOver = 7 * 24 * time.Hour
)

// bounds are the upper ends, in seconds, of the steps in which first answers are counted.
// Answers beyond the last bound are counted as up to twice the last.
var bounds = []int{30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 57600, 86400, 172800}

const replyPrefix = "first_reply_"

// FirstReplyStep returns the metric of a first answer that took this long.
func FirstReplyStep(took time.Duration) Metric {
	at, _ := slices.BinarySearch(bounds, int(max(0, took)/time.Second))
	return Metric(replyPrefix + strconv.Itoa(at))
}

// median returns the median of first answers that are counted in steps, in seconds, or nil
// if there are none. It assumes an even distribution within a step, so the error is at most
// the step.
func median(steps map[int]int) *int {
	total := 0
	for _, n := range steps {
		total += n
	}
	if total == 0 {
		return nil
	}
	half, before := float64(total)/2, 0
	for at := 0; at <= len(bounds); at++ {
		n := steps[at]
		if n == 0 || float64(before+n) < half {
			before += n
			continue
		}
		low, high := 0, 2*bounds[len(bounds)-1]
		if at > 0 {
			low = bounds[at-1]
		}
		if at < len(bounds) {
			high = bounds[at]
		}
		found := low + int(float64(high-low)*(half-float64(before))/float64(n))
		return &found
	}
	return nil
}

// Overview is what happened lately, for those who run the workspace.
type Overview struct {
	Hours               []Hour    `json:"hours" nullable:"false" doc:"The last 24 hours, oldest first; the last one is not over yet"`
	Channels            []Channel `json:"channels" nullable:"false" doc:"Messages in the same hours by channel and account"`
	FirstReplies        int       `json:"first_replies" example:"31" doc:"First replies in the last seven days"`
	FirstReplyMedianS   *int      `json:"first_reply_median_s" nullable:"true" example:"240" doc:"Median first reply time in seconds, estimated within its histogram step; null if there were none"`
	ReceivedBefore      int       `json:"received_before" example:"52" doc:"Messages received in the 24 hours before, for comparison"`
	FirstReplyHistogram []Step    `json:"first_reply_histogram" nullable:"false" doc:"The same first replies by time taken"`
}

// Hour is one hour of a workspace.
type Hour struct {
	At       clock.Time `json:"at" doc:"Start of the hour"`
	Received int        `json:"received" example:"12" doc:"Messages from customers"`
	Sent     int        `json:"sent" example:"9" doc:"Replies from agents, programs and the assistant"`
	Opened   int        `json:"opened" example:"4" doc:"New conversations"`
	Closed   int        `json:"closed" example:"3" doc:"Conversations closed"`
}

// Channel is what one channel carried.
type Channel struct {
	Channel   string     `json:"channel" example:"whatsapp"`
	AccountID *uuid.UUID `json:"account_id" nullable:"true" format:"uuid" doc:"The channel's account, if it has one"`
	Received  int        `json:"received" example:"31"`
	Sent      int        `json:"sent" example:"28"`
}

// Step counts the first answers that took at most this long, and longer than the step
// before.
type Step struct {
	UpToS *int `json:"up_to_s" nullable:"true" example:"300" doc:"Upper limit in seconds; null for all that took longer"`
	N     int  `json:"n" example:"6"`
}
