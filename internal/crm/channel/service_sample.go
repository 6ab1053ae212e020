package channel

import (
	"context"

	"konak/internal/kit/db"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.Connect(tx, Account{Kind: text, Name: text, Status: Active})
		if err != nil {
			return err
		}
		_, err = s.NewKey(tx, a.ID)
		return err
	})
}
