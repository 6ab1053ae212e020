package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// WorkspaceSummary is a workspace as its operator sees it.
type WorkspaceSummary struct {
	Workspace
	Licences []string `json:"licences"`
	Members  int      `json:"members"` // active ones
	Demo     bool     `json:"demo"`
	// SuspendedAt is when the workspace was suspended, nil if it is not.
	SuspendedAt *clock.Time `json:"suspended_at"`
	// Deleting reports that its deletion has begun and has to be finished.
	Deleting  bool       `json:"deleting"`
	CreatedAt clock.Time `json:"created_at"`
}

// AllWorkspaces lists the workspaces of the installation, oldest first.
func (s *Service) AllWorkspaces(ctx context.Context) ([]WorkspaceSummary, error) {
	return db.Read(ctx, s.db.System("count workspaces"), listAllWorkspaces)
}

// SetSuspended suspends a workspace, or resumes it. Nobody can access a suspended one in
// any way, and nothing of it is sent: its jobs and webhooks wait. This node refuses at
// once, others within a second.
func (s *Service) SetSuspended(ctx context.Context, tenant uuid.UUID, suspended bool) error {
	return s.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		action, at := "workspace.resumed_by_operator", (*clock.Time)(nil)
		if suspended {
			action, at = "workspace.suspended_by_operator", clock.Ptr(tx.Now())
		}
		changed, err := setSuspended(tx, at)
		if err != nil {
			return fmt.Errorf("identity: suspend workspace: %w", err)
		}
		if !changed {
			return nil // it is as it was, or being deleted
		}
		s.announceSuspended(tx, tenant)
		tx.Wake(jobs.Topic)
		return audit.Write(tx, action, tenant.String(), nil)
	})
}

// announceSuspended notifies everybody, once the transaction is committed, that a workspace
// was suspended, resumed or deleted. This node rereads the suspended ones before it checks
// its streams: a check against the old list would let them continue.
func (s *Service) announceSuspended(tx *db.Tx, tenant uuid.UUID) {
	tx.Wake(db.TopicSuspended)
	tx.AfterCommit(func() {
		s.db.WakeHere(db.TopicSuspended)
		s.forgetTenant(tenant)
	})
}

// BeginDelete marks a suspended workspace as being deleted, which cannot be undone. It
// returns the fault conflict if it is not suspended.
func (s *Service) BeginDelete(ctx context.Context, tenant uuid.UUID) error {
	return s.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		suspended, err := beginDelete(tx)
		if err != nil {
			return fmt.Errorf("identity: delete workspace: %w", err)
		}
		if !suspended {
			return fault.New(fault.Conflict)
		}
		return nil
	})
}

// FinishDelete deletes the row of a workspace of which nothing else is left. The audit line
// belongs to no workspace, so it stays. It returns the fault conflict if the deletion was
// not begun.
func (s *Service) FinishDelete(tx *db.Tx, w WorkspaceSummary, details map[string]any) error {
	begun, err := deleteTenant(tx, w.ID)
	if err != nil {
		return fmt.Errorf("identity: delete workspace: %w", err)
	}
	if !begun {
		return fault.New(fault.Conflict)
	}
	s.announceSuspended(tx, w.ID)
	details["slug"], details["name"] = w.Slug, w.Name
	return audit.Write(tx, "workspace.deleted_by_operator", w.ID.String(), details)
}

// GrantRole gives a person who has an account a role in a workspace, and makes them a
// member if they are not. It returns the fault not_found if nobody has the address,
// not_active for a suspended member, and the errors of ChangeMember.
func (s *Service) GrantRole(ctx context.Context, tenant uuid.UUID, email, role string) (m Member, err error) {
	mail, ok := address.ParseEmail(email)
	if !ok {
		return Member{}, fault.New(fault.NotFound)
	}
	err = s.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		if err := lockWorkspace(tx); err != nil {
			return db.NotFound(err)
		}
		u, err := FindUserByEmail(&tx.Reader, mail.Key)
		if err != nil {
			return db.NotFound(err)
		}
		if err := s.mayAssign(tx, role); err != nil {
			return err
		}
		m, err = memberByEmail(&tx.Reader, mail.Key)
		switch {
		case db.IsNoRow(err):
			m, err = s.addMember(tx, u, role)
			return err
		case err != nil:
			return fmt.Errorf("identity: find member: %w", err)
		case m.State == StateSuspended:
			return fault.New(fault.NotActive)
		case m.State == StateInvited:
			if err := errors.Join(dropInvitation(tx, m.ID), joinMember(tx, m.ID, u.ID)); err != nil {
				return fmt.Errorf("identity: join: %w", err)
			}
		}
		m, err = s.ChangeMember(tx, m.ID, nil, &role)
		return err
	})
	return m, err
}

// addMember makes a person who has an account a member.
func (s *Service) addMember(tx *db.Tx, u User, role string) (Member, error) {
	id := tx.NewID()
	if err := putMembership(tx, tx.Tenant(), u.ID, Membership{ID: id, Role: role}); err != nil {
		return Member{}, fmt.Errorf("identity: put member: %w", err)
	}
	m, err := memberByID(&tx.Reader, id)
	if err != nil {
		return Member{}, err
	}
	return m, audit.Write(tx, "member.added_by_operator", id.String(), map[string]any{"email": u.Email, "role": role})
}

// Person is a member of a workspace as its operator sees them.
type Person struct {
	UserID    uuid.UUID  `json:"user_id"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Workspace string     `json:"workspace"`
	Role      string     `json:"role"`
	State     string     `json:"state"`
	TwoFactor bool       `json:"two_factor"`
	Sessions  int        `json:"sessions"`
	CreatedAt clock.Time `json:"created_at"`
}

// People lists the members who have an account, of a workspace or of all if slug is empty,
// in the order in which they joined.
func (s *Service) People(ctx context.Context, slug string) ([]Person, error) {
	return db.Read(ctx, s.db.System("count workspaces"), func(r *db.Reader) ([]Person, error) { return listPeople(r, slug) })
}
