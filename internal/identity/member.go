package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// InvitationLife is how long an invitation is valid.
const InvitationLife = 72 * time.Hour

// States of a membership.
const (
	// StateInvited waits for its invitation to be accepted; nobody can sign in
	// with it.
	StateInvited   = "invited"
	StateActive    = "active"
	StateSuspended = "suspended"
	// StateRemoved is kept for records that bear the member's name: messages, the audit
	// log.
	StateRemoved = "removed"
)

// OwnWorkspace is a workspace that a person belongs to.
type OwnWorkspace struct {
	Workspace  Workspace  `json:"workspace"`
	Membership Membership `json:"membership"`
	Licences   []string   `json:"licences" nullable:"false" example:"[\"crm\"]"`
	JoinedAt   clock.Time `json:"joined_at"`
	Current    bool       `json:"current" doc:"Whether it is the current session's workspace"`
}

// Member is a person in a workspace, as its administrators see them.
type Member struct {
	ID          uuid.UUID
	UserID      *uuid.UUID // nobody yet while invited
	Email       string
	Name        string
	Language    string
	Role        string
	State       string
	CreatedAt   clock.Time
	InvitedAt   *clock.Time // when the pending invitation was sent
	ExpiresAt   *clock.Time // when it expires
	SuspendedAt *clock.Time
	LastSeenAt  *clock.Time

	called string // their name in this workspace, if it differs from their own
}
