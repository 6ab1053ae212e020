package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// authLimit is the number of refusals of the token in a row after which an account needs
// attention.
const authLimit = 2

// RecordToken records what a provider's answer says about an account's token: after two
// refusals in a row the account needs attention; once accepted again, it is active. A
// deleted account is ignored.
func (s *Service) RecordToken(ctx context.Context, id uuid.UUID, refused bool) error {
	ctx = context.WithoutCancel(ctx)
	if !refused {
		// Nearly every answer is an acceptance after an acceptance, which changes nothing.
		before, err := db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (int, error) { return authErrors(r, id) })
		if db.IsNoRow(err) || err == nil && before == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return IgnoreDeleted(s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if !refused {
			if err := clearAuthErrors(tx, id); err != nil {
				return err
			}
			return s.ClearAttention(tx, id, TokenExpired)
		}
		n, err := countAuthError(tx, id)
		if err != nil || n < authLimit {
			return db.NotFound(err)
		}
		return s.RequireAttention(tx, id, TokenExpired)
	}))
}
