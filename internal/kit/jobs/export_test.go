package jobs

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// ClaimOf claims what is due of one queue, as after a look that found it due, and returns
// how many jobs it took.
func (r *Runner) ClaimOf(ctx context.Context, kind string, tenant uuid.UUID) (int, error) {
	c := &claiming{r: r, taken: usage{}}
	err := r.cfg.DB.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		c.tx, c.id = tx, tx.NewID()
		return c.take(queue{kind, tenant})
	})
	return len(c.jobs), err
}
