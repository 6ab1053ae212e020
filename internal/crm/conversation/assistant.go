package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// Configuration is which of a workspace's assistants did something.
type Configuration struct {
	ID   *uuid.UUID `json:"id" nullable:"true" format:"uuid"`
	Name string     `json:"name" example:"Satış sonrası asistanı"`
}

// AIAnswers is what the gate keeps of the assistant's work in a conversation.
type AIAnswers struct {
	Since          *clock.Time // since when the assistant is in its state
	Configuration  *Configuration
	Answers        int
	LastAnsweredAt *clock.Time
}
