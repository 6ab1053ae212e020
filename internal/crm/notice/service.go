package notice

import (
	"context"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// Config is what the module needs.
type Config struct {
	DB *db.DB
}

// Service keeps preferences.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.DB.Tenant(caller.From(ctx).TenantID)
}

// Preferences returns the caller's own.
func (s *Service) Preferences(ctx context.Context) (Preferences, error) {
	return db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (Preferences, error) {
		return preferencesOf(r, caller.From(ctx).ID)
	})
}

// SetPreferences replaces the caller's own. It returns validation_failed for a time
// zone that does not exist.
func (s *Service) SetPreferences(ctx context.Context, p Preferences) (Preferences, error) {
	if err := p.check(); err != nil {
		return p, err
	}
	agent := caller.From(ctx).ID
	return p, s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := savePreferences(tx, agent, p); err != nil {
			return err
		}
		return audit.Write(tx, "notice_preferences.changed", agent.String(), p)
	})
}
