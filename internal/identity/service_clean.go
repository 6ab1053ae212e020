package identity

import (
	"context"
	"fmt"
	"time"

	"konak/internal/kit/db"
)

const (
	cleanBatch = 500
	// keepSessions is how long a session that ended can still be distinguished from a token
	// that never existed.
	keepSessions = 30 * 24 * time.Hour
)

// Clean removes a batch of obsolete rows and returns their number.
func (s *Service) Clean(ctx context.Context) (int, error) {
	var handovers, sessions int64
	err := s.db.System("janitor").InTx(ctx, func(tx *db.Tx) (err error) {
		if handovers, err = deleteExpiredHandovers(tx, cleanBatch); err != nil {
			return err
		}
		sessions, err = deleteOldSessions(tx, tx.Now().Add(-keepSessions), cleanBatch)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("identity: clean: %w", err)
	}
	return int(handovers + sessions), nil
}
