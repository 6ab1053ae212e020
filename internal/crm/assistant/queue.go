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
	// Reopened says that the message opened a conversation that was closed.
	Reopened bool `json:"reopened,omitempty"`
}

// Queue leaves jobs for messages that the assistant may answer.
type Queue struct{}

// MessageReceived implements inbound.Assistant. It does no more than write the
// job: nothing of the assistant can hold an inbound message up. Here alone is decided that
// what machines, our own people and the test environment wrote gets no answer.
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
