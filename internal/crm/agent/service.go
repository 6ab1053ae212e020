package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/mailer"
	"konak/internal/kit/perm"
)

// Hook ends what an agent has in another module, in the transaction that suspends or
// removes the agent. An error rolls back the whole suspension.
type Hook func(ctx context.Context, tx *db.Tx, a Agent) error

// Config holds what the module needs. Every field but OnLeave is required.
type Config struct {
	DB      *db.DB
	Members Members
	Mailer  *mailer.Mailer
	// BaseURL is the address of the panel; the link in a QR begins with it.
	BaseURL string
	// Presence is notified when an agent chooses a presence.
	Presence PresenceListener
	// OnLeave hooks run in this order when an agent is suspended or removed.
	OnLeave []Hook
}

// PresenceListener is notified, after the commit, that an agent chose another presence, or
// "" if the choice was reset.
type PresenceListener interface {
	PresenceChosen(tenant, agent uuid.UUID, presence string)
}

// Service manages the agents of a workspace: memberships with a profile.
type Service struct{ Config }

// New returns a Service, or an error if a required field of the config is missing.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Members == nil || c.Mailer == nil || c.BaseURL == "" || c.Presence == nil {
		return nil, errors.New("agent: DB, Members, Mailer, BaseURL and Presence are needed")
	}
	return &Service{c}, nil
}

// HandsBack reports whether an agent chose to be away and to leave returning work to
// others.
func HandsBack(r *db.Reader, agent uuid.UUID) (bool, error) {
	p, err := profileOf(r, agent)
	return p.presence == AwayReassign, err
}

// Signature returns the signature of an agent's e-mail replies, "" for none.
func (s *Service) Signature(r *db.Reader, agent uuid.UUID) (string, error) {
	p, err := profileOf(r, agent)
	return p.signature, err
}

// Chosen returns the presence that an agent last chose, "" if they never chose one.
func (s *Service) Chosen(ctx context.Context, id uuid.UUID) (string, error) {
	p, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (profile, error) { return profileOf(r, id) })
	return p.presence, err
}

// choose saves a profile and notifies the listener if its presence changed.
func (s *Service) choose(tx *db.Tx, before Agent, p profile) error {
	if err := saveProfile(tx, p); err != nil {
		return fmt.Errorf("agent: save profile: %w", err)
	}
	if p.presence != before.chosen {
		tenant := tx.Tenant()
		tx.AfterCommit(func() { s.Presence.PresenceChosen(tenant, p.id, p.presence) })
	}
	return nil
}

// Agents lists the agents in one state, or all, newest first.
func (s *Service) Agents(ctx context.Context, state string, p db.Page) (db.List[Agent], error) {
	list, err := s.Members.List(ctx, state, p)
	if err != nil {
		return db.List[Agent]{}, err
	}
	ids := each.Map(list.Rows, func(m Member) uuid.UUID { return m.ID })
	out := db.List[Agent]{Rows: make([]Agent, len(ids)), Next: list.Next}
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		profiles, err := profilesOf(r, ids)
		for i, m := range list.Rows {
			out.Rows[i] = merge(m, profiles[m.ID])
		}
		return err
	})
	return out, err
}

// Agent returns one agent.
func (s *Service) Agent(ctx context.Context, id uuid.UUID) (Agent, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Agent, error) {
		return s.find(r, id)
	})
}

func (s *Service) find(r *db.Reader, id uuid.UUID) (Agent, error) {
	m, err := s.Members.Get(r, id)
	if err != nil {
		return Agent{}, err
	}
	return s.complete(r, m)
}

func (s *Service) complete(r *db.Reader, m Member) (Agent, error) {
	p, err := profileOf(r, m.ID)
	if err != nil {
		return Agent{}, fmt.Errorf("agent: profile: %w", err)
	}
	return merge(m, p), nil
}

// Add is the gate for a new agent, who is invited by mail.
func (s *Service) Add(ctx context.Context, n NewMember, title string) (a Agent, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &a, func(tx *db.Tx) error {
		m, err := s.Members.Invite(tx, n)
		if err != nil {
			return err
		}
		if title != "" {
			if err := saveProfile(tx, profile{id: m.ID, title: title}); err != nil {
				return fmt.Errorf("agent: save profile: %w", err)
			}
		}
		a, err = s.complete(&tx.Reader, m)
		return err
	})
	return a, err
}

// Change is the gate for changing an agent. People can change their own name, title,
// presence and signature; changing a role, or anything of another agent, requires the
// permission to manage agents.
func (s *Service) Change(ctx context.Context, id uuid.UUID, u Update) (a Agent, err error) {
	who := caller.From(ctx)
	if who.ID != id || u.Role != nil {
		if err := mayHave(ctx, perm.AgentsManage); err != nil {
			return Agent{}, err
		}
	}
	if who.Delegated {
		if err := mayHave(ctx, perm.AgentsView); err != nil {
			return Agent{}, err
		}
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		before, err := s.find(&tx.Reader, id)
		if err != nil {
			return err
		}
		m, err := s.Members.Change(tx, id, u.Name, u.Role)
		if err != nil {
			return err
		}
		p := profile{id, before.Title, before.chosen, before.Signature}
		if u.Title != nil {
			p.title = *u.Title
		}
		if u.Presence != nil {
			p.presence = *u.Presence
		}
		if u.Signature != nil {
			p.signature = strings.TrimSpace(*u.Signature)
		}
		a = merge(m, p)
		if p == (profile{id, before.Title, before.chosen, before.Signature}) {
			return nil
		}
		if err := s.choose(tx, before, p); err != nil {
			return err
		}
		return audit.Write(tx, "agent.changed", id.String(), map[string]any{
			"title": p.title, "title_before": before.Title, "presence": a.Presence, "presence_before": before.Presence,
			"signature": p.signature, "signature_before": before.Signature,
		})
	})
	return a, err
}

// Suspend is the gate for locking an agent out: sessions, keys, QRs and whatever the hooks
// handle end in the same transaction.
func (s *Service) Suspend(ctx context.Context, id uuid.UUID) (Agent, error) {
	return s.end(ctx, id, s.Members.Suspend)
}

// Remove is the gate for removing an agent from the workspace.
func (s *Service) Remove(ctx context.Context, id uuid.UUID) error {
	_, err := s.end(ctx, id, s.Members.Remove)
	return err
}

func (s *Service) end(ctx context.Context, id uuid.UUID, change func(*db.Tx, uuid.UUID) (Member, error)) (a Agent, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		m, err := change(tx, id)
		if err != nil {
			return err
		}
		if a, err = s.complete(&tx.Reader, m); err != nil {
			return err
		}
		if _, err := revokeQRs(tx, id, true); err != nil {
			return fmt.Errorf("agent: revoke QRs: %w", err)
		}
		if a.chosen != "" {
			before := a
			a.chosen, a.Presence = "", Offline
			if err := s.choose(tx, before, profile{id: id, title: a.Title, signature: a.Signature}); err != nil {
				return err
			}
		}
		for _, hook := range s.OnLeave {
			if err := hook(ctx, tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	return a, err
}

// Unsuspend is the gate for letting an agent sign in again. It restores
// nothing else.
func (s *Service) Unsuspend(ctx context.Context, id uuid.UUID) (Agent, error) {
	return db.Write(ctx, s.DB.TenantOf(ctx), func(tx *db.Tx) (a Agent, err error) {
		m, err := s.Members.Resume(tx, id)
		if err != nil {
			return a, err
		}
		return s.complete(&tx.Reader, m)
	})
}

// mayHave returns forbidden if the caller does not have a permission.
func mayHave(ctx context.Context, p perm.Permission) error {
	if caller.From(ctx).Can(p) {
		return nil
	}
	return fault.Lacking(p)
}

func (s *Service) now() clock.Time { return clock.At(s.DB.Clock().Now()) }
