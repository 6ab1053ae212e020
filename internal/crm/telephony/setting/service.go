package setting

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Agents finds the workspace's members.
type Agents interface {
	// IsAgent reports whether an id belongs to an active member.
	IsAgent(r *db.Reader, id uuid.UUID) (bool, error)
}

// Groups finds the workspace's groups.
type Groups interface {
	// IsGroup reports whether a group with this id exists.
	IsGroup(r *db.Reader, id uuid.UUID) (bool, error)
}

// Config is the configuration of a Service.
type Config struct {
	DB     *db.DB
	Agents Agents
	Groups Groups
}

// Service manages the settings.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Agents == nil || c.Groups == nil {
		return nil, errors.New("setting: the database, the agents and the groups are needed")
	}
	return &Service{c}, nil
}

// Find reads the settings in an existing transaction.
func (s *Service) Find(r *db.Reader) (Settings, error) {
	v, err := findSettings(r)
	return v.Settings, err
}

// Settings returns the settings.
func (s *Service) Settings(ctx context.Context) (Stored, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), findSettings)
}

// Set replaces the settings. It returns validation_failed if they are invalid, or name an
// agent or a group that does not exist.
func (s *Service) Set(ctx context.Context, want Settings) (out Stored, err error) {
	if err := want.check(); err != nil {
		return out, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
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

// checkTargets refuses menus that lead to an agent or a group that does not exist.
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
