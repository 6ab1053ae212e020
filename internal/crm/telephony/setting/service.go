package setting

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Agents knows the workspace's people.
type Agents interface {
	// IsAgent says whether an id is an active member's.
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
}

// Groups knows the workspace's teams.
type Groups interface {
	// IsGroup says whether there is such a group.
	IsGroup(r *db.Reader, id uuid.UUID) (bool, error)
}

// Config is what the package needs.
type Config struct {
	DB     *db.DB
	Agents Agents
	Groups Groups
}

// Service keeps the settings.
type Service struct{ Config }

// New makes the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Agents == nil || c.Groups == nil {
		return nil, errors.New("setting: the database, the agents and the groups are needed")
	}
	return &Service{c}, nil
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}

// Find reads the settings in somebody's transaction.
func (s *Service) Find(r *db.Reader) (Settings, error) {
	v, err := findSettings(r)
	return v.Settings, err
}

// Settings reads the settings.
func (s *Service) Settings(ctx context.Context) (Stored, error) {
	return db.Read(ctx, s.tenant(ctx), findSettings)
}

// Set replaces the settings. It returns validation_failed where they do not hold
// together, or name an agent or a group that is not there.
func (s *Service) Set(ctx context.Context, want Settings) (out Stored, err error) {
	if err := want.check(); err != nil {
		return out, err
	}
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.checkTargets(&tx.Reader, want); err != nil {
			return err
		}
		now := clock.At(tx.Now())
		out = Stored{want, &now}
		if err := saveSettings(tx, out); err != nil {
			return err
		}
		return audit.Write(tx, "phone_settings.changed", "", want)
	})
	return out, err
}

// checkTargets refuses menus that lead to somebody who is not there.
func (s *Service) checkTargets(r *db.Reader, want Settings) error {
	for _, m := range want.Menus {
		for _, k := range m.Keys {
			known, field, err := true, "menus.keys.agent_id", error(nil)
			switch k.Action {
			case KeyAgent:
				known, err = s.Agents.IsAgent(r, *k.AgentID)
			case KeyGroup:
				field = "menus.keys.group_id"
				known, err = s.Groups.IsGroup(r, *k.GroupID)
			}
			if err != nil {
				return err
			}
			if !known {
				return fault.Invalid(field, "unknown")
			}
		}
	}
	return nil
}
