package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/identity/notice"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
)

// Members lists a workspace's people, newest first, in one state or in all but removed.
func (s *Service) Members(ctx context.Context, state string, p db.Page) (db.List[Member], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Member], error) {
		return listMembers(r, state, p)
	})
}

// Member returns one of a workspace's people.
func (s *Service) Member(r *db.Reader, id uuid.UUID) (Member, error) {
	m, err := memberByID(r, id)
	return m, db.NotFound(err)
}

// NewMember is a person to invite.
type NewMember struct {
	Email, Name, Role string
	// Language is the language of the invitation; the caller's by default.
	Language string
}

// InviteMember is the gate for adding somebody to the workspace: they are invited by mail,
// and again if they have not accepted an earlier invitation.
func (s *Service) InviteMember(tx *db.Tx, n NewMember) (Member, error) {
	mail, ok := address.ParseEmail(n.Email)
	if !ok {
		return Member{}, fault.Invalid("email", "invalid_address")
	}
	if err := s.mayAssign(tx, n.Role); err != nil {
		return Member{}, err
	}
	m, err := memberByEmail(&tx.Reader, mail.Key)
	switch {
	case db.IsNoRow(err):
		m = Member{
			ID: tx.NewID(), Email: mail.Address, Name: trtext.OneLine(n.Name), Role: n.Role,
			State: StateInvited, CreatedAt: clock.At(tx.Now()),
		}
		m.called = m.Name
		if err := putInvited(tx, m, mail.Key); err != nil {
			return Member{}, fmt.Errorf("identity: put member: %w", err)
		}
	case err != nil:
		return Member{}, fmt.Errorf("identity: find member: %w", err)
	case m.State != StateInvited:
		return Member{}, fault.New(fault.Conflict).Field("email", "taken")
	default:
		if err := s.mayTouch(tx, m); err != nil {
			return Member{}, err
		}
		if name := trtext.OneLine(n.Name); name != "" {
			m.Name, m.called = name, name
		}
		m.Role = n.Role
		if err := saveMember(tx, m); err != nil {
			return Member{}, fmt.Errorf("identity: save member: %w", err)
		}
	}
	if err := s.mailInvitation(tx, &m, n.Language); err != nil {
		return Member{}, err
	}
	return m, audit.Write(tx, "member.invited", m.ID.String(), map[string]any{"email": m.Email, "role": m.Role})
}

func (s *Service) mailInvitation(tx *db.Tx, m *Member, language string) error {
	who := caller.From(tx.Context())
	inviter, _ := FindUserByMember(&tx.Reader, tx.Tenant(), who.ID)
	if language == "" {
		language = inviter.Language
	}
	w, err := workspaceByID(&tx.Reader, tx.Tenant())
	if err != nil {
		return err
	}
	token := secret.NewToken(secret.InvitePrefix)
	expires := tx.Now().Add(InvitationLife)
	if err := saveInvitation(tx, m.ID, secret.Hash(token), who.Actor(), expires); err != nil {
		return fmt.Errorf("identity: save invitation: %w", err)
	}
	m.InvitedAt, m.ExpiresAt = clock.Ptr(tx.Now()), clock.Ptr(expires)
	reader := User{Email: m.Email, Name: m.Name, Language: language}
	if reader.Name == "" {
		reader.Name = m.Email
	}
	invitation := notice.Invitation(inviter.Name, w.Name).For(reader.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageInvitation, token))
	invitation.Notice = false // it goes to whomever the workspace names
	return s.cfg.Mailer.Send(tx, invitation)
}

// ChangeMember is the gate for a member's name in the workspace and their role. nil leaves
// a value unchanged.
func (s *Service) ChangeMember(tx *db.Tx, id uuid.UUID, name, role *string) (Member, error) {
	return s.changeMember(tx, id, "member.changed", func(m *Member) error {
		if name != nil {
			m.called = trtext.OneLine(*name)
			m.Name = m.called
		}
		if role != nil && *role != m.Role {
			if err := s.mayAssign(tx, *role); err != nil {
				return err
			}
			m.Role = *role
		}
		return nil
	})
}

// SuspendMember is the gate for locking a member out. It does not end their sessions and
// keys: the caller must call EndAccess in the same transaction.
func (s *Service) SuspendMember(tx *db.Tx, id uuid.UUID) (Member, error) {
	return s.changeMember(tx, id, "member.suspended", func(m *Member) error {
		if m.State == StateInvited {
			return fault.New(fault.NotActive)
		}
		if m.State == StateActive {
			m.State, m.SuspendedAt = StateSuspended, clock.Ptr(tx.Now())
		}
		return nil
	})
}

// ResumeMember is the gate for letting a suspended member sign in again. It
// restores nothing else.
func (s *Service) ResumeMember(tx *db.Tx, id uuid.UUID) (Member, error) {
	return s.changeMember(tx, id, "member.resumed", func(m *Member) error {
		if m.State == StateSuspended {
			m.State, m.SuspendedAt = StateActive, nil
		}
		return nil
	})
}

// RemoveMember is the gate for taking somebody out of the workspace.
func (s *Service) RemoveMember(tx *db.Tx, id uuid.UUID) (Member, error) {
	return s.changeMember(tx, id, "member.removed", func(m *Member) error {
		m.State = StateRemoved
		return dropInvitation(tx, id)
	})
}

// changeMember enforces the rules of every change: nobody acts on a member with more
// rights, and an owner must remain. A change without effect is not recorded.
func (s *Service) changeMember(tx *db.Tx, id uuid.UUID, action string, change func(*Member) error) (Member, error) {
	if err := lockWorkspace(tx); err != nil {
		return Member{}, err
	}
	m, err := memberByID(&tx.Reader, id)
	if err != nil {
		return Member{}, db.NotFound(err)
	}
	if err := s.mayTouch(tx, m); err != nil {
		return Member{}, err
	}
	before := m
	if err := change(&m); err != nil {
		return Member{}, err
	}
	if m == before {
		return m, nil
	}
	if err := saveMember(tx, m); err != nil {
		return Member{}, fmt.Errorf("identity: save member: %w", err)
	}
	if err := keepOwner(tx); err != nil {
		return Member{}, err
	}
	tx.AfterCommit(func() { s.forgetActor(id) })
	return m, audit.Write(tx, action, id.String(), map[string]any{
		"email": m.Email, "role": m.Role, "role_before": before.Role, "state": m.State, "state_before": before.State,
	})
}

// mayAssign refuses roles that do not exist and those with rights that the caller does not
// have.
func (s *Service) mayAssign(tx *db.Tx, role string) error {
	ro, ok, err := roleByName(&tx.Reader, role)
	if err != nil {
		return err
	}
	if !ok {
		return fault.Invalid("role", "unknown")
	}
	return mayGive(tx.Context(), ro.Permissions)
}

// mayTouch refuses to act on a member who may do more than the caller.
func (s *Service) mayTouch(tx *db.Tx, m Member) error {
	ro, _, err := roleByName(&tx.Reader, m.Role)
	if err != nil {
		return err
	}
	return mayGive(tx.Context(), ro.Permissions)
}

// MayAct refuses to act on a member who may do more than the caller.
func (s *Service) MayAct(tx *db.Tx, id uuid.UUID) error {
	m, err := memberByID(&tx.Reader, id)
	if err != nil {
		return db.NotFound(err)
	}
	return s.mayTouch(tx, m)
}

// Ended lists what a member lost.
type Ended struct {
	Sessions int   `json:"sessions"`
	APIKeys  int64 `json:"api_keys"`
}

// EndAccess ends a member's access: their sessions, the API keys that they created, and
// their consents to apps.
func (s *Service) EndAccess(tx *db.Tx, membership uuid.UUID, reason string) (Ended, error) {
	hashes, err := closeMemberSessions(tx, membership, reason)
	if err != nil {
		return Ended{}, fmt.Errorf("identity: close sessions: %w", err)
	}
	revoked, err := revokeKeysOf(tx, membership)
	if err != nil {
		return Ended{}, fmt.Errorf("identity: revoke keys: %w", err)
	}
	if err := s.cfg.Grants.RevokeAll(tx, membership); err != nil {
		return Ended{}, fmt.Errorf("identity: revoke grants: %w", err)
	}
	tx.AfterCommit(func() { s.forgetTenant(tx.Tenant()) })
	return Ended{len(hashes), revoked}, nil
}

// OpenMobile opens a session on a phone for a membership. No password was entered for it,
// so it can do nothing that needs a fresh one, and it ends no later than madeBy, the
// session that asked for it. If that session is not the person's own, the new one is also
// confined to this workspace, because its administrators have no say in others. It returns
// fault.NotFound if the person is not active or if madeBy is past its end.
func (s *Service) OpenMobile(tx *db.Tx, membership, madeBy uuid.UUID, device, platform, ip string) (SignedIn, error) {
	a, err := FindAccountByMember(&tx.Reader, membership)
	if err != nil {
		return SignedIn{}, db.NotFound(err)
	}
	maker, ends, err := findSessionEnd(tx, madeBy)
	if err != nil {
		return SignedIn{}, db.NotFound(err)
	}
	out := SignedIn{User: a.User, Workspace: a.Workspace}
	out.Token, out.Session, err = s.OpenSession(tx, NewSession{
		TenantID: tx.Tenant(), MembershipID: membership, UserID: a.User.ID, Kind: SessionMobile,
		Device: Device{Name: device, Platform: platform, IP: ip}, Unproven: true, Bound: maker != membership, EndsBy: ends,
	})
	return out, err
}
