// Package question finds what a customer asks among the newest messages of a conversation.
package question

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
)

// Question is what a customer wrote since the last answer.
type Question struct {
	Item conversation.Item // the newest message of it
	// Wrote are the texts, oldest first.
	Wrote []string
	// Echo means that the customer sent our last answer back.
	Echo bool
}

// Text returns the question as one text.
func (q *Question) Text() string { return strings.Join(q.Wrote, "\n") }

// Find finds the message among the newest items, given newest first, and joins what the
// customer wrote since the last answer. It returns false if the message is not the
// customer's newest, or somebody wrote after it. An answer of the assistant is placed after
// the message that it read, even if a message that arrived meanwhile has an earlier time.
func Find(items []conversation.Item, message uuid.UUID) (q Question, found bool) {
	answered := map[string]bool{}
	for _, i := range items {
		if i.Kind != conversation.Message {
			continue
		}
		if i.AuthorKind != conversation.ByContact {
			to, isAnswer := i.Detail[reply.DetailInAnswerTo].(string)
			if !found && isAnswer && i.AuthorKind == conversation.ByBot {
				answered[to] = true
				continue
			}
			q.Echo = found && i.AuthorKind == conversation.ByBot && strings.TrimSpace(i.Body) == strings.TrimSpace(q.Item.Body)
			break
		}
		if answered[i.ID.String()] {
			break
		}
		if !found && i.ID != message {
			return q, false
		}
		if !found {
			q.Item, found = i, true
		}
		q.Wrote = append(q.Wrote, i.Body)
	}
	slices.Reverse(q.Wrote)
	return q, found
}
