package identity

import (
	"sync"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/perm"
)

// Me is the signed-in person and what they may do.
type Me struct {
	User        User              `json:"user"`
	Workspace   Workspace         `json:"workspace"`
	Membership  Membership        `json:"membership"`
	SessionID   uuid.UUID         `json:"session_id"`
	VerifiedAt  *clock.Time       `json:"verified_at" nullable:"true" doc:"When the password was last confirmed, null if never; some calls require this within the last 15 minutes"`
	Permissions []perm.Permission `json:"permissions"`
	Licences    []string          `json:"licences"`

	encoded func() ([]byte, error)
}

// newMe returns what a session's look-up found about its person. It is cached and forgotten
// together with the credential, so that GET /me needs no read.
func newMe(row credentialRow, who *caller.Caller) *Me {
	me := &Me{
		User: row.user, Workspace: Workspace{ID: row.tenantID, Slug: row.slug, Name: row.workspace},
		Membership: Membership{ID: row.membershipID, Role: row.role},
		SessionID:  row.id, VerifiedAt: provenAt(row.verifiedAt),
		Permissions: who.Perms.Sorted(), Licences: []string{},
	}
	for _, l := range AllLicences {
		if who.Licences[l] {
			me.Licences = append(me.Licences, l)
		}
	}
	me.encoded = sync.OnceValues(func() ([]byte, error) { return api.EncodeJSON(*me) })
	return me
}

// EncodedJSON implements api.Encoded: the answer is the same until the credential is looked
// up again.
func (m Me) EncodedJSON() ([]byte, error) { return m.encoded() }

// ProfileChange is a person's change of their own profile; nil fields stay unchanged.
type ProfileChange struct {
	Name, Language *string
}
