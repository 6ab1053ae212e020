package identity

import (
	"github.com/google/uuid"
)

// User is a person, in any number of workspaces.
type User struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email" example:"owner@demo.localhost"`
	Name  string    `json:"name" example:"Defne Yılmaz"`
	// Language is what mail to this person is written in.
	Language  string `json:"language" enum:"tr,en"`
	TwoFactor bool   `json:"two_factor" doc:"Whether signing in takes a second step"`
}

// account is what sign-in finds for an e-mail address.
type account struct {
	user         User
	passwordHash string
	workspace    Workspace
	membership   Membership
}
