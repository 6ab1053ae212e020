package airecord

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Assistant writes summaries for agents. The module that runs it implements this.
type Assistant interface {
	// CanSummarize reports whether the caller's workspace has an assistant that writes
	// summaries.
	CanSummarize(ctx context.Context) (bool, error)
	// Summarize writes a summary. It is called outside any transaction and may take its
	// time. In a workspace without an assistant it returns no_assistant.
	Summarize(ctx context.Context, t Transcript) (NewSummary, error)
}

// Transcript is the input of an assistant.
type Transcript struct {
	Conversation conversation.Conversation
	// Language is the customer's, "" if it is not known.
	Language string
	// Items are the last messages and notes, the oldest first.
	Items []conversation.Item
}

// NoAssistant is used when no assistant is connected: it refuses.
type NoAssistant struct{}

// CanSummarize implements Assistant.
func (NoAssistant) CanSummarize(context.Context) (bool, error) { return false, nil }

// Summarize implements Assistant.
func (NoAssistant) Summarize(context.Context, Transcript) (NewSummary, error) {
	return NewSummary{}, fault.New(fault.NoAssistant)
}

// NewSummary is a summary that an assistant wrote.
type NewSummary struct {
	Body          string
	Language      string
	Configuration *conversation.Configuration
}

// Summary is the stored summary of a conversation.
type Summary struct {
	Summary       *string                                  `json:"summary" nullable:"true" example:"Müşteri teslimat tarihini sordu; yarın teslim edileceği yazıldı." doc:"Null if none is stored"`
	Language      *string                                  `json:"language" nullable:"true" example:"tr"`
	Configuration api.Nullable[conversation.Configuration] `json:"configuration" doc:"Assistant that wrote it"`
	RequestedBy   *uuid.UUID                               `json:"requested_by" nullable:"true" format:"uuid" doc:"Agent who requested it"`
	GeneratedAt   *clock.Time                              `json:"generated_at" nullable:"true"`
	Available     bool                                     `json:"available" doc:"Whether an assistant can write one now"`
	Outdated      bool                                     `json:"outdated" doc:"Whether anything was written, edited or deleted since"`

	upTo clock.Time
}

// AIRecord is what the assistant did with a conversation.
type AIRecord struct {
	State          string                                   `json:"state" enum:"off,active,handed_over,paused" example:"handed_over"`
	HandoverReason *string                                  `json:"handover_reason" nullable:"true" example:"customer_asked"`
	Since          *clock.Time                              `json:"since" nullable:"true" doc:"When this state began"`
	Configuration  api.Nullable[conversation.Configuration] `json:"configuration" doc:"Assistant that wrote last; null if none has"`
	Answers        int                                      `json:"answers" example:"3" doc:"Answers it wrote, not counting greetings, thanks and hand-over messages"`
	LastAnsweredAt *clock.Time                              `json:"last_answered_at" nullable:"true"`
	Feedback       []Feedback                               `json:"feedback" nullable:"false" doc:"Votes on its answers, newest first; at most the newest 200"`
}

// AIAttribute is a fact that the assistant understood.
type AIAttribute struct {
	Name   string     `json:"name" example:"order_number"`
	Value  any        `json:"value" example:"\"TR-4711\"" doc:"Text, a number or a boolean"`
	Source string     `json:"source" example:"message" doc:"Source: message, contact, or the name of a tool"`
	ItemID *uuid.UUID `json:"item_id" nullable:"true" format:"uuid" doc:"Message it was understood from"`
	At     clock.Time `json:"at"`
}

const (
	maxAIAttributes = 100
	maxAIValueBytes = 4 << 10
)

// Ratings of the assistant's answers.
const (
	RatedUp   = "up"
	RatedDown = "down"
)

// CustomerVote is a customer's vote on an answer, as received by a channel account.
type CustomerVote struct {
	AccountID      uuid.UUID
	ConversationID uuid.UUID
	ItemID         uuid.UUID
	Rating         string
	Comment        string
}

// Feedback is a vote on an answer of the assistant. Agents and customers vote separately;
// the customer's vote counts for satisfaction.
type Feedback struct {
	ItemID     uuid.UUID  `json:"item_id" format:"uuid"`
	AuthorKind string     `json:"author_kind" enum:"agent,contact" example:"agent"`
	AuthorID   uuid.UUID  `json:"author_id" format:"uuid"`
	Rating     string     `json:"rating" enum:"up,down" example:"up"`
	Comment    string     `json:"comment" example:"İade süresi doğru."`
	At         clock.Time `json:"at"`
}
