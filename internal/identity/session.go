package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/perm"
)

// Session lifetimes.
const (
	SessionCeiling = 30 * 24 * time.Hour
	SessionIdle    = 12 * time.Hour
	seenEvery      = time.Minute
)

// SessionInfo is what a person sees of a session.
type SessionInfo struct {
	ID         uuid.UUID  `json:"id"`
	DeviceName string     `json:"device_name" example:"Firefox on Linux"`
	CreatedAt  clock.Time `json:"created_at"`
	ExpiresAt  clock.Time `json:"expires_at"`
}

// credentialRow is what a token hash leads to.
type credentialRow struct {
	tenantID, id, userID, membershipID uuid.UUID
	slug                               string
	licences                           []string
	role                               string
	ownRole                            *[]perm.Permission // the workspace's version of the role
	environment                        string
	scopes                             []string
	verifiedAt, lastSeenAt, expiresAt  time.Time
}
