package desk

import (
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/trtext"
)

// Agents knows the members of a workspace.
type Agents interface {
	// IsAgent reports whether an id is an active member's.
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
	// AgentNames returns the names of members, including former ones.
	AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Config is what the desk needs.
type Config struct {
	DB            *db.DB
	Contacts      *contact.Service
	Conversations *conversation.Service
	Replies       *reply.Service
	Agents        Agents
}

// Service is the agents' desk.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// checkPermission refuses a caller who lacks a permission.
func checkPermission(who *caller.Caller, p perm.Permission) *fault.Fault {
	if who.Can(p) {
		return nil
	}
	return fault.Lacking(p)
}

// nameKey returns a name without case, diacritics and extra spaces.
func nameKey(name string) string { return strings.Join(strings.Fields(trtext.Fold(name)), " ") }

// nameTaken returns the fault for a name that is already in use.
func nameTaken(field string) error { return fault.New(fault.Conflict).Field(field, "taken") }

// orTaken turns a unique violation caused by two concurrent writers into the conflict that
// the later one would have got.
func orTaken(err error, field string) error {
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		return fault.New(fault.Conflict).Field(field, "taken").Wrap(err)
	}
	return err
}
