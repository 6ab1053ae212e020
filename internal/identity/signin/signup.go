package signin

import (
	"time"

	"konak/internal/identity"
)

// verifyFor is how long the link that proves an address is valid.
const verifyFor = 24 * time.Hour

// SignUpRequest is the input of a person who wants an account.
type SignUpRequest struct {
	Email, Password, Name, WorkspaceName, Captcha string
	Language, IP                                  string
}

// AddressRequest asks for mail to an address.
type AddressRequest struct{ Email, Captcha, IP string }

// signUp is a sign-up that waits for the proof of its address.
type signUp struct {
	user          identity.User
	emailKey      string
	workspaceName string
	passwordHash  string
}

// Verified is the account that a proven address opened.
type Verified struct {
	Email     string             `json:"email" example:"ayse@example.com"`
	Workspace identity.Workspace `json:"workspace"`
}
