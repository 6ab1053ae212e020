package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Invitation is an invited person.
type Invitation struct {
	MembershipID uuid.UUID  `json:"membership_id"`
	Email        string     `json:"email" example:"ayse@example.com"`
	Role         string     `json:"role" example:"agent"`
	ExpiresAt    clock.Time `json:"expires_at"`
}

// Joined is the answer to an accepted invitation. It has a session if the person had no
// account.
type Joined struct {
	Workspace  Workspace                 `json:"workspace"`
	Membership Membership                `json:"membership"`
	Token      *string                   `json:"session_token" nullable:"true" example:"ses_…" doc:"Shown once, if the invitation opened an account"`
	Session    api.Nullable[SessionInfo] `json:"session"`
}
