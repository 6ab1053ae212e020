package identity

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// IsAgent reports whether an id is that of an active member of the reader's workspace.
// Other modules check owners and authors with it, inside their transactions.
func (s *Service) IsAgent(r *db.Reader, id uuid.UUID) (bool, error) { return isActiveMember(r, id) }

// AgentNames returns the names of members, whatever their state.
func (s *Service) AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return memberNames(r, ids)
}

// AgentsWho returns the active members who have a permission, with their names: those among
// ids, or all if ids is empty.
func (s *Service) AgentsWho(r *db.Reader, p perm.Permission, ids ...uuid.UUID) (map[uuid.UUID]string, error) {
	return membersWho(r, p, ids)
}

// FindAgent returns an active member of the reader's workspace by their own id or that of
// their account; db.ErrNoRow if there is none.
func (s *Service) FindAgent(r *db.Reader, id uuid.UUID) (uuid.UUID, error) {
	return activeMemberBy(r, id)
}

// HoldAgent reports whether an id is that of an active member who has a permission, and
// locks the membership against suspension until the transaction ends.
func (s *Service) HoldAgent(tx *db.Tx, p perm.Permission, id uuid.UUID) (bool, error) {
	return holdMember(tx, p, id)
}

// HasLicence reports whether the reader's workspace has one of some licences.
func (s *Service) HasLicence(r *db.Reader, names ...string) (bool, error) {
	list, err := licencesOf(r)
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) }), err
}

// Agents returns the active members of the reader's workspace and their names.
func (s *Service) Agents(r *db.Reader) (map[uuid.UUID]string, error) { return activeMembers(r) }
