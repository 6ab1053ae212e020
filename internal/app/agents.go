package app

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/agent"
	"konak/internal/identity"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// members implements the CRM's agents with identity's memberships.
type members struct{ s *identity.Service }

var _ agent.Members = members{}

func asMember(m identity.Member) agent.Member {
	return agent.Member{
		ID: m.ID, Name: m.Name, Email: m.Email, Role: m.Role, State: m.State, Language: m.Language, CreatedAt: m.CreatedAt,
		InvitedAt: m.InvitedAt, ExpiresAt: m.ExpiresAt, SuspendedAt: m.SuspendedAt, LastSeenAt: m.LastSeenAt,
	}
}

func member(m identity.Member, err error) (agent.Member, error) { return asMember(m), err }

func (m members) List(ctx context.Context, state string, p db.Page) (db.List[agent.Member], error) {
	list, err := m.s.Members(ctx, state, p)
	return db.List[agent.Member]{Rows: each.Map(list.Rows, asMember), Next: list.Next}, err
}

func (m members) Get(r *db.Reader, id uuid.UUID) (agent.Member, error) {
	return member(m.s.Member(r, id))
}

func (m members) Invite(tx *db.Tx, n agent.NewMember) (agent.Member, error) {
	return member(m.s.InviteMember(tx, identity.NewMember(n)))
}

func (m members) Change(tx *db.Tx, id uuid.UUID, name, role *string) (agent.Member, error) {
	return member(m.s.ChangeMember(tx, id, name, role))
}

func (m members) Suspend(tx *db.Tx, id uuid.UUID) (agent.Member, error) {
	return member(m.s.SuspendMember(tx, id))
}

func (m members) Resume(tx *db.Tx, id uuid.UUID) (agent.Member, error) {
	return member(m.s.ResumeMember(tx, id))
}

func (m members) Remove(tx *db.Tx, id uuid.UUID) (agent.Member, error) {
	return member(m.s.RemoveMember(tx, id))
}

func (m members) MayAct(tx *db.Tx, id uuid.UUID) error { return m.s.MayAct(tx, id) }

func (m members) OpenMobile(tx *db.Tx, id, madeBy uuid.UUID, device, platform, ip string) (agent.Opened, error) {
	in, err := m.s.OpenMobile(tx, id, madeBy, device, platform, ip)
	return agent.Opened{
		Token: in.Token,
		Session: agent.Session{
			ID: in.Session.ID, Kind: in.Session.Kind, DeviceName: in.Session.DeviceName, Platform: in.Session.Platform,
			CreatedAt: in.Session.CreatedAt, ExpiresAt: in.Session.ExpiresAt,
		},
		User:      agent.User{ID: in.User.ID, Email: in.User.Email, Name: in.User.Name, Language: in.User.Language},
		Workspace: agent.Workspace(in.Workspace),
	}, err
}

// endAccess returns the hook that ends the access of an agent who is suspended or removed.
func endAccess(s *identity.Service) agent.Hook {
	return func(_ context.Context, tx *db.Tx, a agent.Agent) error {
		ended, err := s.EndAccess(tx, a.ID, a.State)
		if err != nil || ended == (identity.Ended{}) {
			return err
		}
		return audit.Write(tx, "member.access_ended", a.ID.String(), ended)
	}
}
