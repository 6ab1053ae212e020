package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Configuration names the assistant of a workspace that did something.
type Configuration struct {
	ID   *uuid.UUID `json:"id" nullable:"true" format:"uuid"`
	Name string     `json:"name" example:"Satış sonrası asistanı"`
}

// AIAnswers is what the gate records about the assistant's work in a conversation.
type AIAnswers struct {
	Since          *clock.Time // when the assistant's state last changed
	Configuration  *Configuration
	Answers        int
	LastAnsweredAt *clock.Time
}
