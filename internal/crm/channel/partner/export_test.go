package partner

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Take takes a state in a workspace, whichever one the state names, and says whether it was
// one there.
func (s *Service) Take(ctx context.Context, tenant uuid.UUID, state string) (bool, error) {
	err := s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		_, err := take(tx, secret.Hash(state))
		return err
	})
	if db.IsNoRow(err) {
		return false, nil
	}
	return err == nil, err
}
