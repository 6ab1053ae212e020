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

// User is a person, in any number of workspaces.
type User struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email" example:"owner@demo.localhost"`
	Name  string    `json:"name" example:"Defne Yılmaz"`
}

// Workspace is a tenant as its members see it.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug" example:"demo"`
	Name string    `json:"name" example:"Demo A.Ş."`
}

// Membership is a person in a workspace.
type Membership struct {
	ID   uuid.UUID `json:"id"`
	Role string    `json:"role" example:"owner"`
}

// SessionInfo is what a person sees of a session.
type SessionInfo struct {
	ID         uuid.UUID  `json:"id"`
	DeviceName string     `json:"device_name" example:"Firefox on Linux"`
	CreatedAt  clock.Time `json:"created_at"`
	ExpiresAt  clock.Time `json:"expires_at"`
}

// Role names.
const (
	RoleOwner = "owner"
	RoleAgent = "agent"
	// RoleGuest may sign in and see their own profile, nothing else.
	RoleGuest = "guest"
)

// rolePermissions is what each built-in role may do.
var rolePermissions = map[string]perm.Set{
	RoleOwner: perm.NewSet(perm.All()...),
	RoleAgent: perm.NewSet(perm.ConversationsView, perm.ConversationsReply),
}

// account is what sign-in finds for an e-mail address.
type account struct {
	user         User
	passwordHash string
	workspace    Workspace
	membership   Membership
}

// credentialRow is what a token hash leads to.
type credentialRow struct {
	tenantID, id, userID, membershipID uuid.UUID
	slug                               string
	licences                           []string
	role                               string
	environment                        string
	scopes                             []perm.Permission
	verifiedAt, lastSeenAt, expiresAt  time.Time
}
