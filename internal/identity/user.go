package identity

import (
	"github.com/google/uuid"
)

// User is a person, in any number of workspaces.
type User struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email" example:"owner@demo.localhost"`
	Name  string    `json:"name" example:"Defne Yılmaz"`
}

// account is what sign-in finds for an e-mail address.
type account struct {
	user         User
	passwordHash string
	workspace    Workspace
	membership   Membership
}
