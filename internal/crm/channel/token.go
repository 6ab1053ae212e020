package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// authLimit is how many refusals of the token in a row ask for attention.
const authLimit = 2

// RecordToken keeps what a provider's answer says about the token of an account:
// refused twice in a row, the account needs attention; taken again, it works. An
// account that is gone is passed over.
func (s *Service) RecordToken(ctx context.Context, id uuid.UUID, refused bool) error {
	ctx = context.WithoutCancel(ctx)
	if !refused {
		// Nearly every answer is a yes after a yes, which changes nothing.
		var before int
		err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
			before, err = authErrors(r, id)
			return err
		})
		if db.IsNoRow(err) || err == nil && before == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return IgnoreDeleted(s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
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
		why := TokenExpired
		_, err = s.Set(tx, id, Attention, &why)
		return err
	}))
}
