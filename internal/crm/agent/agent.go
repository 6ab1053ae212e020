package agent

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Presence values: whether an agent takes work. Agents set it themselves; it does not
// affect whether they may sign in.
const (
	Online       = "online"
	Away         = "away"
	AwayReassign = "away_reassign" // away, and returning work goes to others
	Offline      = "offline"
)

// Agent is a person who works in the CRM.
type Agent struct {
	ID                  uuid.UUID   `json:"id" doc:"ID of the membership"`
	Name                string      `json:"name" example:"Ayşe Demir"`
	Email               string      `json:"email" example:"ayse@example.com"`
	Role                string      `json:"role" example:"agent"`
	Title               string      `json:"title" example:"Destek uzmanı"`
	State               string      `json:"state" enum:"invited,active,suspended" example:"active"`
	Presence            string      `json:"presence" enum:"online,away,away_reassign,offline" example:"online"`
	Signature           string      `json:"signature" example:"**Ayşe Demir**\nDestek uzmanı" doc:"Markdown; added below e-mail replies that ask for it"`
	CreatedAt           clock.Time  `json:"created_at"`
	InvitedAt           *clock.Time `json:"invited_at" nullable:"true"`
	InvitationExpiresAt *clock.Time `json:"invitation_expires_at" nullable:"true"`
	SuspendedAt         *clock.Time `json:"suspended_at" nullable:"true"`
	LastSeenAt          *clock.Time `json:"last_seen_at" nullable:"true"`

	language string
	chosen   string
}

// Chosen returns the presence that the agent last chose for the time they are connected, or
// "" if they never chose one. Whether they are connected is not known here.
func (a Agent) Chosen() string { return a.chosen }

// Active is the state of a member who has joined and is not suspended.
const Active = "active"

// Member is what this package needs to know about a membership.
type Member struct {
	ID                                            uuid.UUID
	Name, Email, Role, State                      string
	Language                                      string
	CreatedAt                                     clock.Time
	InvitedAt, ExpiresAt, SuspendedAt, LastSeenAt *clock.Time
}

// NewMember is a person to add.
type NewMember struct{ Email, Name, Role, Language string }

// Members manages the workspace's memberships. It refuses to act on somebody who may do
// more than the caller, and to leave a workspace without an owner.
type Members interface {
	List(ctx context.Context, state string, p db.Page) (db.List[Member], error)
	Get(r *db.Reader, id uuid.UUID) (Member, error)
	Invite(tx *db.Tx, n NewMember) (Member, error)
	// Change changes a member; nil values stay unchanged.
	Change(tx *db.Tx, id uuid.UUID, name, role *string) (Member, error)
	Suspend(tx *db.Tx, id uuid.UUID) (Member, error)
	Resume(tx *db.Tx, id uuid.UUID) (Member, error)
	Remove(tx *db.Tx, id uuid.UUID) (Member, error)
	// MayAct refuses to act on somebody who may do more than the caller.
	MayAct(tx *db.Tx, id uuid.UUID) error
	// OpenMobile opens a session on a phone; not_found unless the member is active and
	// madeBy, the session that made the QR, still exists. The new session ends no later
	// than madeBy. If madeBy is another person's session, the new one is limited to this
	// workspace.
	OpenMobile(tx *db.Tx, id, madeBy uuid.UUID, device, platform, ip string) (Opened, error)
}

// Opened is a session that was just opened.
type Opened struct {
	Token     string    `json:"session_token" example:"ses_…" doc:"Shown once"`
	Session   Session   `json:"session"`
	User      User      `json:"user"`
	Workspace Workspace `json:"workspace"`
}

// Session is the phone's session.
type Session struct {
	ID         uuid.UUID  `json:"id"`
	Kind       string     `json:"kind" example:"mobile"`
	DeviceName string     `json:"device_name" example:"Ayşe's phone"`
	Platform   string     `json:"platform" example:"Android"`
	CreatedAt  clock.Time `json:"created_at"`
	ExpiresAt  clock.Time `json:"expires_at"`
}

// User is the owner of the phone.
type User struct {
	ID       uuid.UUID `json:"id"`
	Email    string    `json:"email" example:"ayse@example.com"`
	Name     string    `json:"name" example:"Ayşe Demir"`
	Language string    `json:"language" enum:"tr,en"`
}

// Workspace is the workspace that the phone is signed in to.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug" example:"demo"`
	Name string    `json:"name" example:"Demo A.Ş."`
}

// profile is what this package stores about an agent.
type profile struct {
	id              uuid.UUID
	title, presence string
	signature       string
}

func merge(m Member, p profile) Agent {
	chosen := p.presence
	if p.presence == "" {
		p.presence = Offline
	}
	return Agent{
		chosen: chosen,
		ID:     m.ID, Name: m.Name, Email: m.Email, Role: m.Role, Title: p.title, State: m.State, Presence: p.presence, Signature: p.signature,
		CreatedAt: m.CreatedAt, InvitedAt: m.InvitedAt, InvitationExpiresAt: m.ExpiresAt,
		SuspendedAt: m.SuspendedAt, LastSeenAt: m.LastSeenAt, language: m.Language,
	}
}

// Update holds new values for an agent; nil leaves a value unchanged.
type Update struct {
	Name, Role, Title, Presence, Signature *string
}
