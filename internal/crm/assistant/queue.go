package assistant

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// AnswerJob answers a customer's message.
const AnswerJob = "assistant.answer"

// received is the payload of the job.
type received struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	ItemID         uuid.UUID `json:"item_id"`
	// Reopened means that the message reopened a closed conversation.
	Reopened bool `json:"reopened,omitempty"`
}

// Queue enqueues jobs for messages that the assistant may answer.
type Queue struct{}

// MessageReceived implements inbound.Assistant. It only enqueues the job, so that the
// assistant cannot delay an inbound message. This is the only place that excludes messages
// from machines, our own people and the test environment.
func (Queue) MessageReceived(tx *db.Tx, c conversation.Conversation, item conversation.Item, reopened bool) error {
	if item.Test || item.Automatic || item.AuthorKind != conversation.ByContact {
		return nil
	}
	if c.AIState != conversation.AIActive && !(reopened && c.OwnerID == nil) {
		return nil
	}
	_, err := jobs.Enqueue(tx, AnswerJob, tx.Now(), received{c.ID, item.ID, reopened})
	return err
}

// CustomerReacted implements inbound.Assistant: a thumb on an answer is the customer's vote.
func (Queue) CustomerReacted(tx *db.Tx, c conversation.Conversation, item conversation.Item, sign string) error {
	return airecord.SetReactionVote(tx, c, item, sign)
}
