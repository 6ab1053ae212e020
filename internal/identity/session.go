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
	bound                          bool       // somebody else made it possible: it stays in its workspace
	unproven                       bool       // nobody typed the password for it: no step-up until they do
}

// verifiedAt is the stamp that a session starts with; the epoch stands for
// never.
func (o opening) verifiedAt(now time.Time) time.Time {
	if o.unproven {
		return time.UnixMicro(0)
	}
	return now
}

// SessionInfo is what a person sees of a session.
type SessionInfo struct {
	ID         uuid.UUID  `json:"id"`
	Kind       string     `json:"kind" enum:"panel,app,mobile"`
	DeviceName string     `json:"device_name" example:"Firefox on Linux"`
	Platform   string     `json:"platform" example:"Linux"`
	VerifiedAt clock.Time `json:"verified_at" doc:"When the password was last proven; 1970 if never"`
	CreatedAt  clock.Time `json:"created_at"`
	ExpiresAt  clock.Time `json:"expires_at"`
}

// credentialRow is what a token hash leads to.
type credentialRow struct {
	tenantID, id, userID, membershipID uuid.UUID
	slug                               string
	workspace                          string // its name
	user                               User   // nobody behind a key
	licences                           []string
	role                               string
	ownRole                            *[]perm.Permission // the workspace's version of the role
	environment                        string
	kind                               string
	bound                              bool
	scopes                             []string
	verifiedAt, lastSeenAt, expiresAt  time.Time
}

// OwnSession is one of a person's sessions, as their list of devices shows it.
type OwnSession struct {
	SessionInfo
	IP         string     `json:"ip" example:"203.0.113.7"`
	LastSeenAt clock.Time `json:"last_seen_at"`
	Workspace  Workspace  `json:"workspace"`
	Current    bool       `json:"current" doc:"Whether this is the session that asks"`
}

// Second steps.
const (
	MethodTOTP     = "totp"
	MethodRecovery = "recovery"
	MethodPasskey  = "passkey"
)

// SignInAnswer is either a session or, where the second step is on, a ticket
// for it.
type SignInAnswer struct {
	Token     string       `json:"session_token,omitempty" example:"ses_…" doc:"Shown once"`
	Session   *SessionInfo `json:"session,omitempty"`
	User      *User        `json:"user,omitempty"`
	Workspace *Workspace   `json:"workspace,omitempty"`

	MFARequired bool     `json:"mfa_required" doc:"Whether a second step must follow with POST /sign-in/2fa"`
	MFAToken    string   `json:"mfa_token,omitempty" example:"mfa_…" doc:"Good for five minutes and five tries"`
	Methods     []string `json:"methods,omitempty" nullable:"false" enum:"totp,recovery,passkey"`
	Passkey     any      `json:"passkey_options,omitempty" doc:"What navigator.credentials.get takes, where a passkey can be the second step"`
}

func (in SignedIn) answer() SignInAnswer {
	if in.Token == "" {
		return SignInAnswer{}
	}
	return SignInAnswer{Token: in.Token, Session: &in.Session, User: &in.User, Workspace: &in.Workspace}
}
