package identity

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/identity/password"
	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/secret"
)

// Workspaces lists the workspaces that the caller may enter, in the order in which they
// joined.
func (s *Service) Workspaces(ctx context.Context, p db.Page) (db.List[OwnWorkspace], error) {
	who := caller.From(ctx)
	list, err := db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[OwnWorkspace], error) { return listWorkspaces(r, who.UserID, p) })
	for i := range list.Rows {
		list.Rows[i].Current = list.Rows[i].Workspace.ID == who.TenantID
	}
	return list, err
}

// maxWorkspaces is the maximum number of workspaces that one person may be in by creating
// them.
const maxWorkspaces = 20

// AddWorkspace is the gate for another workspace of a person, who owns it.
func (s *Service) AddWorkspace(ctx context.Context, name, slug string) (OwnWorkspace, error) {
	if s.cfg.Closed {
		return OwnWorkspace{}, fault.New(fault.SignUpClosed)
	}
	who := caller.From(ctx)
	name, err := CleanName("name", name)
	if err != nil {
		return OwnWorkspace{}, err
	}
	w := Workspace{ID: s.db.Clock().NewID(), Slug: slug, Name: name}
	if slugOf(slug) != slug {
		return OwnWorkspace{}, fault.Invalid("slug", "invalid_format")
	}
	if ReservedSlug(slug) {
		return OwnWorkspace{}, fault.Invalid("slug", "reserved")
	}
	var out OwnWorkspace
	err = s.db.Tenant(w.ID).InTx(ctx, func(tx *db.Tx) error {
		mine, err := FindWorkspaces(&tx.Reader, who.UserID)
		if err != nil {
			return err
		}
		if len(mine) >= maxWorkspaces {
			return fault.New(fault.LimitReached, maxWorkspaces)
		}
		if free, err := putTenantOnce(tx, w, AllLicences); err != nil {
			return fmt.Errorf("identity: put workspace: %w", err)
		} else if !free {
			return fault.New(fault.Conflict).Field("slug", "taken")
		}
		m := Membership{ID: tx.NewID(), Role: RoleOwner}
		if err := putMembership(tx, w.ID, who.UserID, m); err != nil {
			return fmt.Errorf("identity: put owner: %w", err)
		}
		places, err := FindWorkspaces(&tx.Reader, who.UserID)
		if err != nil {
			return err
		}
		out = places[slices.IndexFunc(places, func(p OwnWorkspace) bool { return p.Workspace.ID == w.ID })]
		actor := &caller.Caller{Kind: caller.Agent, TenantID: w.ID, Slug: w.Slug, ID: m.ID, UserID: who.UserID, IP: who.IP}
		return audit.WriteAs(tx, actor, "workspace.created", w.ID.String(), map[string]any{"name": w.Name, "slug": w.Slug})
	})
	return out, err
}

// Invite invites somebody by mail.
func (s *Service) Invite(ctx context.Context, n NewMember) (Invitation, error) {
	var m Member
	ctx = idempotency.View(ctx, invitationOf)
	err := idempotency.Do(ctx, s.db.TenantOf(ctx), &m, func(tx *db.Tx) (err error) {
		m, err = s.InviteMember(tx, n)
		return err
	})
	if err != nil {
		return Invitation{}, err
	}
	return invitationOf(m), nil
}

func invitationOf(m Member) Invitation {
	return Invitation{MembershipID: m.ID, Email: m.Email, Role: m.Role, ExpiresAt: *m.ExpiresAt}
}

// Acceptance is the answer to an invitation.
type Acceptance struct {
	Token, Name, Password, Language string
	Device                          Device
}

// Accept is the gate for accepting an invitation. A person who has an account for the
// address signs in first; for anybody else the invitation creates one.
func (s *Service) Accept(ctx context.Context, in Acceptance) (Joined, error) {
	expired := fault.New(fault.LinkExpired)
	if !secret.WellFormed(in.Token, secret.InvitePrefix) {
		return Joined{}, expired
	}
	who := caller.From(ctx)
	var inv invited
	var known User
	err := s.db.System("invitation look-up").Read(ctx, func(r *db.Reader) (err error) {
		if inv, err = invitationByHash(r, secret.Hash(in.Token), s.db.Clock().Now()); err != nil {
			return err
		}
		known, err = FindUserByEmail(r, inv.emailKey)
		return db.IgnoreNoRow(err)
	})
	if err != nil {
		return Joined{}, db.IfNoRow(fmt.Errorf("identity: find invitation: %w", err), expired)
	}
	signedIn := who.Kind == caller.Agent
	switch {
	case signedIn && who.UserID != known.ID:
		return Joined{}, fault.New(fault.OtherAddress)
	case !signedIn && known.ID != uuid.Nil:
		return Joined{}, fault.New(fault.AccountExists)
	case !signedIn && s.cfg.Closed:
		return Joined{}, fault.New(fault.SignUpClosed)
	}
	var encoded string
	if !signedIn {
		if in.Name, err = CleanName("name", in.Name); err != nil {
			return Joined{}, err
		}
		if err := password.Check("password", in.Password, false, in.Name, inv.member.Email); err != nil {
			return Joined{}, err
		}
		if encoded, err = s.cfg.Passwords.Hash(ctx, in.Password); err != nil {
			return Joined{}, err
		}
	}
	return s.join(ctx, in, inv, known, encoded)
}

// join turns an invited membership into a person's. If the person has no account, it
// creates one with the password and opens a session.
func (s *Service) join(ctx context.Context, in Acceptance, inv invited, u User, encoded string) (Joined, error) {
	out := Joined{Workspace: inv.workspace, Membership: Membership{ID: inv.member.ID, Role: inv.member.Role}}
	fresh := u.ID == uuid.Nil
	err := s.db.Tenant(inv.workspace.ID).InTx(ctx, func(tx *db.Tx) error {
		if open, err := takeInvitation(tx, secret.Hash(in.Token)); err != nil {
			return fmt.Errorf("identity: take invitation: %w", err)
		} else if !open {
			return fault.New(fault.LinkExpired)
		}
		if fresh {
			mail, _ := address.ParseEmail(inv.member.Email)
			u = User{ID: tx.NewID(), Email: inv.member.Email, Name: in.Name, Language: in.Language}
			if err := putUser(tx, u, mail.Key, encoded); err != nil {
				return fmt.Errorf("identity: put user: %w", err)
			}
			if err := s.cfg.SignUps.Drop(tx, mail.Key); err != nil {
				return err
			}
		} else if places, err := FindWorkspaces(&tx.Reader, u.ID); err != nil {
			return err
		} else if slices.ContainsFunc(places, func(p OwnWorkspace) bool { return p.Workspace.ID == inv.workspace.ID }) {
			return fault.New(fault.Conflict)
		}
		if err := joinMember(tx, inv.member.ID, u.ID); err != nil {
			return fmt.Errorf("identity: join: %w", err)
		}
		actor := &caller.Caller{
			Kind: caller.Agent, TenantID: inv.workspace.ID, Slug: inv.workspace.Slug, ID: inv.member.ID, UserID: u.ID, IP: in.Device.IP,
		}
		if fresh {
			token, session, err := s.OpenSession(tx, NewSession{
				TenantID: inv.workspace.ID, MembershipID: inv.member.ID, UserID: u.ID, Kind: SessionPanel, Device: in.Device,
			})
			if err != nil {
				return err
			}
			out.Token, out.Session = &token, api.Some(session)
		}
		return audit.WriteAs(tx, actor, "member.joined", inv.member.ID.String(), map[string]any{"email": u.Email, "role": inv.member.Role})
	})
	if db.IsUnique(err) {
		// Another request created the account, or joined, a moment ago.
		err = fault.New(fault.Conflict).Wrap(err)
	}
	return out, err
}

// SetLicences sets which modules a workspace has. The operator decides this, not the
// workspace.
func (s *Service) SetLicences(ctx context.Context, slug string, licences []string) error {
	for _, l := range licences {
		if !slices.Contains(AllLicences, l) {
			return fault.Invalid("licences", "unknown")
		}
	}
	id, err := db.Read(ctx, s.db.System("set licences"), func(r *db.Reader) (uuid.UUID, error) { return tenantBySlug(r, slug) })
	if err != nil {
		return db.NotFound(err)
	}
	return s.db.Tenant(id).InTx(ctx, func(tx *db.Tx) error {
		if err := setLicences(tx, sortedSet(licences)); err != nil {
			return fmt.Errorf("identity: set licences: %w", err)
		}
		tx.AfterCommit(func() { s.forgetTenant(id) })
		return audit.Write(tx, "workspace.licensed", id.String(), map[string]any{"licences": sortedSet(licences)})
	})
}
