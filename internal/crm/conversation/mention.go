package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Mention is a colleague mentioned in a note.
type Mention struct {
	AgentID uuid.UUID `json:"agent_id" format:"uuid"`
	Name    string    `json:"name" example:"Defne Yılmaz" doc:"Their name when the note was written; appears in the text after an @"`
}

// MentionOf is a note that mentions the caller, with its conversation.
type MentionOf struct {
	ItemID         uuid.UUID  `json:"item_id" format:"uuid"`
	ConversationID uuid.UUID  `json:"conversation_id" format:"uuid"`
	ContactName    string     `json:"contact_name" example:"Elif Kaya"`
	Subject        string     `json:"subject" example:"Teslimat tarihi"`
	AuthorKind     string     `json:"author_kind" enum:"agent,contact,bot,system,api_key" example:"agent"`
	AuthorID       *uuid.UUID `json:"author_id" nullable:"true" format:"uuid"`
	Preview        string     `json:"preview" example:"@Defne Yılmaz faturaya bakar mısın?" doc:"Start of the note"`
	Unread         bool       `json:"unread" doc:"Whether the caller has not read the conversation since"`
	At             clock.Time `json:"at" doc:"When the caller was mentioned"`
}

const (
	// mentionChoices is the number of names a picker is given.
	mentionChoices = 20
	// mentionsCounted is the number at which counting the unread mentions stops.
	mentionsCounted = 100
)
