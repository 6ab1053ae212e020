package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Message types of a draft, as the API names them.
const (
	draftReply = "comment"
	draftNote  = "note"
)

// Draft is what an agent has begun to write into a conversation: at most one
// reply and one note. Nobody else sees it; sending it clears it.
type Draft struct {
	Body        string       `json:"body" example:"Siparişiniz yarın"`
	MessageType string       `json:"message_type" enum:"comment,note" example:"comment" doc:"A reply or a note; each has a draft of its own"`
	Attachments []Attachment `json:"attachments" doc:"The caller's uploads that wait with the draft"`
	UpdatedAt   clock.Time   `json:"updated_at"`

	id uuid.UUID
}

// Detail is a conversation as one agent opens it.
type Detail struct {
	Conversation
	Drafts []Draft `json:"drafts" doc:"What the caller has begun to write: at most one reply and one note"`
}

// Drafted is the answer to a draft: what is kept now.
type Drafted struct {
	Draft api.Nullable[Draft] `json:"draft" doc:"Null where an empty text without attachments has cleared it"`
}

// draftTypeOf names the draft that an answer was written in.
func draftTypeOf(a Answer) string {
	if a.Note {
		return draftNote
	}
	return draftReply
}
