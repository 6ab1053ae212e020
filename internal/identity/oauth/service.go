package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
)

// Config is what the package needs. Every field is required.
type Config struct {
	DB       *db.DB
	Identity *identity.Service
	// Limits restricts how many clients an address registers.
	Limits limit.Limiter
	// BaseURL is the issuer, and the address where people open the consent page.
	BaseURL string
}

// Service manages apps and the consents that people give them.
type Service struct {
	db       *db.DB
	identity *identity.Service
	limits   limit.Limiter
	baseURL  string
}

// New returns the service. It returns an error if the config is incomplete.
func New(cfg Config) (*Service, error) {
	if cfg.DB == nil || cfg.Identity == nil || cfg.Limits == nil || cfg.BaseURL == "" {
		return nil, errors.New("oauth: DB, Identity, Limits and BaseURL are needed")
	}
	return &Service{db: cfg.DB, identity: cfg.Identity, limits: cfg.Limits, baseURL: cfg.BaseURL}, nil
}

// Grants lets package identity revoke consents. It has no dependencies, so it can exist
// before the service.
type Grants struct{}

// RevokeAll implements identity.Grants.
func (Grants) RevokeAll(tx *db.Tx, membership uuid.UUID) error { return revokeGrantsOf(tx, membership) }

// keepCodes is how long a code is kept after it has expired.
const keepCodes = 24 * time.Hour

// Clean deletes a batch of old codes and of unused clients, and returns their number.
func (s *Service) Clean(ctx context.Context) (int, error) {
	var codes, clients int64
	err := s.db.System("janitor").InTx(ctx, func(tx *db.Tx) (err error) {
		if codes, err = deleteOldCodes(tx, tx.Now().Add(-keepCodes), api.CleanBatch); err != nil {
			return err
		}
		clients, err = deleteUnusedClients(tx, tx.Now().Add(-keepClients), api.CleanBatch)
		return err
	})
	return int(codes + clients), err
}
