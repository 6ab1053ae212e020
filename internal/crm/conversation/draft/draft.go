package draft

import (
	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
)

// Message types of a draft, as the API names them.
const (
	Reply = "comment"
	Note  = "note"
)

// Draft is what an agent has begun to write into a conversation: at most one
// reply and one note. Nobody else sees it; sending it clears it.
type Draft struct {
	Body        string            `json:"body" example:"Siparişiniz yarın"`
	MessageType string            `json:"message_type" enum:"comment,note" example:"comment" doc:"A reply or a note; each has its own draft"`
	Attachments []file.Attachment `json:"attachments" doc:"The caller's uploads attached to the draft"`
	UpdatedAt   clock.Time        `json:"updated_at"`

	ID uuid.UUID `json:"-"`
}
