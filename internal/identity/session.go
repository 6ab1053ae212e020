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
	deviceIdle     = 14 * 24 * time.Hour
	seenEvery      = time.Minute
)

// What a session was opened for. It decides how long it may lie idle.
const (
	SessionPanel  = "panel"
	SessionApp    = "app"
	SessionMobile = "mobile"
)

// idleOf is how long a session of a kind may lie unused.
func idleOf(kind string) time.Duration {
	if kind == SessionPanel {
		return SessionIdle
	}
	return deviceIdle
}

// opening is a session to be opened: whose, where, and for what.
type opening struct {
	tenantID, membershipID, userID uuid.UUID
	kind                           string
	device, platform, ip           string
	appID                          *uuid.UUID // an OAuth app's
	scopes                         []string   // what an app was granted; nil is everything the role has
}

// SessionInfo is what a person sees of a session.
type SessionInfo struct {
	ID         uuid.UUID  `json:"id"`
	Kind       string     `json:"kind" enum:"panel,app,mobile"`
	DeviceName string     `json:"device_name" example:"Firefox on Linux"`
	Platform   string     `json:"platform" example:"Linux"`
	VerifiedAt clock.Time `json:"verified_at" doc:"When the password was last proven"`
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
	kind                               string
	scopes                             []string
	verifiedAt, lastSeenAt, expiresAt  time.Time
}
