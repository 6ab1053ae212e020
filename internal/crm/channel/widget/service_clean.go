package widget

import (
	"context"
	"fmt"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const (
	// keepVisitors is how long a visitor who wrote nothing is kept. After that their
	// browser starts a new session, as on its first visit.
	keepVisitors = 30 * 24 * time.Hour
	cleanRound   = 200
)

// CleanVisitors deletes a limited number of visitors who never wrote and were not seen for
// a long time, and returns how many.
func (s *Service) CleanVisitors(ctx context.Context) (n int, err error) {
	err = s.DB.System("idle visitors").InTx(ctx, func(tx *db.Tx) error {
		n, err = dropIdle(tx, clock.At(tx.Now().Add(-keepVisitors)), cleanRound)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("widget: clean visitors: %w", err)
	}
	return n, nil
}
