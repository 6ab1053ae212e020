package hourly

import (
	"context"

	"konak/internal/kit/db"
)

// Service reads the counters of a workspace.
type Service struct{ db *db.DB }

// New returns the service.
func New(database *db.DB) *Service { return &Service{db: database} }

// Overview returns what happened in the caller's workspace lately, by the hour.
func (s *Service) Overview(ctx context.Context) (Overview, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Overview, error) {
		return Read(r, s.db.Clock().Now())
	})
}
