package conversation

import (
	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Draft is what an agent has begun to write into a conversation. Nobody else
// sees it; sending clears it.
type Draft struct {
	Body        string     `json:"body" example:"Siparişiniz yarın"`
	MessageType string     `json:"message_type" enum:"comment,note" example:"comment"`
	UpdatedAt   clock.Time `json:"updated_at"`
}

// Detail is a conversation as one agent opens it.
type Detail struct {
	Conversation
	Draft api.Nullable[Draft] `json:"draft" doc:"What the caller has begun to write; null for nothing"`
}

// Drafted is the answer to a draft: what is kept now.
type Drafted struct {
	Draft api.Nullable[Draft] `json:"draft" doc:"Null where the empty text has cleared it"`
}
