package webhook

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Beat sets how often streams show that they are alive.
func (s *Service) Beat(d time.Duration) { s.watch.Beat = d }

// MarkDelivered marks a delivery, tried so often before, as the holder of a claim
// does, and says whether it was marked.
func MarkDelivered(tx *db.Tx, claim, tenant, delivery uuid.UUID, attempts int) (bool, error) {
	m := mark{tenant: tenant, result: result{job: job{id: delivery, attempts: attempts}, at: tx.Now()}, status: Delivered, nextAt: tx.Now()}
	marked, err := markDeliveries(tx, claim, []mark{m})
	return len(marked) == 1, err
}
