package notice

import (
	"context"
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
	"konak/internal/kit/secret"
)

// Sessions knows to whom sessions belong.
type Sessions interface {
	// SessionCaller returns the caller of a session, with their permissions, and their
	// language; unauthenticated if the session has ended.
	SessionCaller(r *db.Reader, id uuid.UUID) (who *caller.Caller, language string, err error)
}

// Presence knows who has a panel open.
type Presence interface {
	IsConnected(tenant, agent uuid.UUID) bool
}

// Config is what the module needs; all of it is required.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Box      *secret.Box
	Out      *outbound.Client
	Sessions Sessions
	Presence Presence
	// Subject is the contact address for push services: a mailto: or https: address.
	Subject string
}

// Service stores preferences and subscriptions, and sends pushes.
type Service struct{ Config }

// New returns the service, or an error if the config is incomplete.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Log == nil || c.Box == nil || c.Out == nil || c.Sessions == nil || c.Presence == nil || c.Subject == "" {
		return nil, errors.New("notice: DB, Log, Box, Out, Sessions, Presence and Subject are needed")
	}
	return &Service{c}, nil
}

// Preferences returns the caller's preferences.
func (s *Service) Preferences(ctx context.Context) (Preferences, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Preferences, error) {
		return preferencesOf(r, caller.From(ctx).ID)
	})
}

// SetPreferences replaces the caller's preferences. It returns validation_failed for a time
// zone that does not exist.
func (s *Service) SetPreferences(ctx context.Context, p Preferences) (Preferences, error) {
	if err := p.check(); err != nil {
		return p, err
	}
	agent := caller.From(ctx).ID
	return p, s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := savePreferences(tx, agent, p); err != nil {
			return err
		}
		return audit.Write(tx, "notice_preferences.changed", agent.String(), p)
	})
}
