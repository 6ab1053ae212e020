package jobs

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// ClaimOf claims the due jobs of one queue, as if a query had just found it due, and
// returns their number.
func (r *Runner) ClaimOf(ctx context.Context, kind string, tenant uuid.UUID) (int, error) {
	c := &claiming{r: r, taken: usage{}}
	err := r.cfg.DB.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		c.tx, c.id = tx, tx.NewID()
		return c.take(queue{kind, tenant})
	})
	return len(c.jobs), err
}
