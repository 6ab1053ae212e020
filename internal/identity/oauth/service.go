package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
)

// Config is what the package needs. Every field is required.
type Config struct {
	DB       *db.DB
	Identity *identity.Service
	// Limits bounds how many clients an address registers.
	Limits limit.Limiter
	// BaseURL is the issuer, and where people open the consent page.
	BaseURL string
}

// Service keeps apps and what people granted them.
type Service struct {
	db       *db.DB
	identity *identity.Service
	limits   limit.Limiter
	baseURL  string
}

// New makes the service. It returns an error where the config lacks something.
func New(cfg Config) (*Service, error) {
	if cfg.DB == nil || cfg.Identity == nil || cfg.Limits == nil || cfg.BaseURL == "" {
		return nil, errors.New("oauth: DB, Identity, Limits and BaseURL are needed")
	}
	return &Service{db: cfg.DB, identity: cfg.Identity, limits: cfg.Limits, baseURL: cfg.BaseURL}, nil
}

// tenant returns the handle of the caller's workspace.
func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.db.Tenant(caller.From(ctx).TenantID)
}

// Grants lets package identity revoke consents. It needs nothing, so that it can
// be there before the service is.
type Grants struct{}

// RevokeAll implements identity.Grants.
func (Grants) RevokeAll(tx *db.Tx, membership uuid.UUID) error { return revokeGrantsOf(tx, membership) }

// keepCodes is how long a code is remembered after its time.
const keepCodes = 24 * time.Hour

// Clean forgets a batch of old codes and of clients that nobody uses, and says how many.
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
