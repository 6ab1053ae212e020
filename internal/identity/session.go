package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// Session lifetimes.
const (
	SessionCeiling = 30 * 24 * time.Hour
	SessionIdle    = 12 * time.Hour
	deviceIdle     = 14 * 24 * time.Hour
	seenEvery      = time.Minute
)

// The purposes of sessions. They decide how long a session may lie idle.
const (
	SessionPanel  = "panel"
	SessionApp    = "app"
	SessionMobile = "mobile"
)

// idleOf returns how long a session of a kind may be unused.
func idleOf(kind string) time.Duration {
	if kind == SessionPanel {
		return SessionIdle
	}
	return deviceIdle
}

// NewSession is a session to be opened: its person, workspace and purpose.
type NewSession struct {
	TenantID, MembershipID, UserID uuid.UUID
	Kind                           string
	Device                         Device
	AppID                          *uuid.UUID // an OAuth app's
	Scopes                         []string   // what an app was granted; nil is everything the role has
	Resource                       string     // the path of the one resource that an app's token opens; "" is the whole API
	Bound                          bool       // opened by somebody else: it stays in its workspace
	Unproven                       bool       // no password was entered for it: no step-up until one is
	EndsBy                         time.Time  // it ends no later than this; the zero time means no limit
}

// verifiedAt returns when the password was proven for the session; the epoch means never.
func (n NewSession) verifiedAt(now time.Time) time.Time {
	if n.Unproven {
		return time.UnixMicro(0)
	}
	return now
}

// endsAt is the absolute end of the session.
func (n NewSession) endsAt(now time.Time) time.Time {
	ends := now.Add(SessionCeiling)
	if !n.EndsBy.IsZero() && n.EndsBy.Before(ends) {
		return n.EndsBy
	}
	return ends
}

// provenAt returns when the password was proven, nil if verifiedAt is never.
func provenAt(verifiedAt time.Time) *clock.Time {
	if verifiedAt.UnixMicro() == 0 {
		return nil
	}
	return clock.Ptr(verifiedAt)
}

// Device is the device that somebody signs in from.
type Device struct{ Name, Platform, IP string }

// SessionInfo is what a person sees of a session.
type SessionInfo struct {
	ID         uuid.UUID   `json:"id"`
	Kind       string      `json:"kind" enum:"panel,app,mobile"`
	DeviceName string      `json:"device_name" example:"Firefox on Linux"`
	Platform   string      `json:"platform" example:"Linux"`
	VerifiedAt *clock.Time `json:"verified_at" nullable:"true" doc:"When the password was last confirmed; null if never"`
	CreatedAt  clock.Time  `json:"created_at"`
	ExpiresAt  clock.Time  `json:"expires_at"`
}

// credentialRow is the record found by a token hash.
type credentialRow struct {
	tenantID, id, userID, membershipID uuid.UUID
	slug                               string
	workspace                          string // its name
	user                               User   // zero for a key
	licences                           []string
	role                               string
	ownRole                            *db.JSON[[]perm.Permission] // the workspace's version of the role
	environment                        string
	kind                               string
	device                             string // its name, or the app's
	resource                           string
	bound                              bool
	requiresTwoFactor                  bool // the workspace does
	scopes                             []string
	verifiedAt, lastSeenAt, expiresAt  time.Time
}

// OwnSession is one of a person's sessions, as their list of devices shows it.
type OwnSession struct {
	SessionInfo
	IP         string     `json:"ip" example:"203.0.113.7"`
	LastSeenAt clock.Time `json:"last_seen_at"`
	Workspace  Workspace  `json:"workspace"`
	Current    bool       `json:"current" doc:"Whether this is the current session"`
}

// SignedIn is a session that was just opened.
type SignedIn struct {
	Token     string      `json:"session_token" example:"ses_…" doc:"Shown once"`
	Session   SessionInfo `json:"session"`
	User      User        `json:"user"`
	Workspace Workspace   `json:"workspace"`
}
