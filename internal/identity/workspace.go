package identity

import (
	"github.com/google/uuid"
)

// Workspace is a tenant as its members see it.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug" example:"demo"`
	Name string    `json:"name" example:"Demo A.Ş."`
}

// Membership is a person in a workspace.
type Membership struct {
	ID   uuid.UUID `json:"id"`
	Role string    `json:"role" example:"owner"`
}
