package identity

import (
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// IsAgent says whether an id is an active member's of the reader's workspace.
// Other modules check owners and authors with it, inside their transactions.
func (s *Service) IsAgent(r *db.Reader, id uuid.UUID) (bool, error) { return isActiveMember(r, id) }

// AgentNames gives the names of members, whatever their state.
func (s *Service) AgentNames(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return memberNames(r, ids)
}

// AgentsWho gives the active members who have a permission and their names: of
// the ids, or of all where none are given.
func (s *Service) AgentsWho(r *db.Reader, p perm.Permission, ids ...uuid.UUID) (map[uuid.UUID]string, error) {
	return membersWho(r, p, ids)
}

// FindAgent finds an active member of the reader's workspace by their own id or that of
// their account; db.ErrNoRow where there is none.
func (s *Service) FindAgent(r *db.Reader, id uuid.UUID) (uuid.UUID, error) {
	return activeMemberBy(r, id)
}

// HoldAgent says whether an id is an active member's who has a permission, and
// keeps the membership from being suspended until the transaction ends.
func (s *Service) HoldAgent(tx *db.Tx, p perm.Permission, id uuid.UUID) (bool, error) {
	return holdMember(tx, p, id)
}

// HasLicence says whether the reader's workspace has one of some licences.
func (s *Service) HasLicence(r *db.Reader, names ...string) (bool, error) {
	list, err := licencesOf(r)
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) }), err
}

// Agents gives the active members of the reader's workspace and their names.
func (s *Service) Agents(r *db.Reader) (map[uuid.UUID]string, error) { return activeMembers(r) }
