package webhook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// DefaultLease is how long a silent node keeps its lanes unless configured otherwise. No
// attempt takes half as long. A node renews four times within it.
const DefaultLease = 40 * time.Second

// Claim returns the id with which this sender claims its lanes.
func (s *Sender) Claim() uuid.UUID { return s.claim }

// TakeOver frees the lanes of a previous sender that is known to be gone, given its claim,
// so that they need not wait until its lease ends.
func (s *Sender) TakeOver(ctx context.Context, previous uuid.UUID) error {
	n, err := db.Write(ctx, s.db.System("delivery claim"), func(tx *db.Tx) (int64, error) { return endLeases(tx, previous) })
	if err != nil {
		return fmt.Errorf("webhook: end leases: %w", err)
	}
	if n > 0 {
		s.log.Info("released the webhook endpoints of the previous process", "endpoints", n)
		s.signal()
	}
	return nil
}

// renew extends the leases of all lanes, so that a lane that waits for slots or for a slow
// answer is not taken for dead.
func (s *Sender) renew(ctx context.Context) {
	s.mu.Lock()
	ids := make([]uuid.UUID, 0, len(s.lanes))
	for id := range s.lanes {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for chunk := range slices.Chunk(ids, readRows) {
		since, ends := s.newLease()
		owned, err := db.Write(ctx, s.db.System("delivery claim"), func(tx *db.Tx) ([]uuid.UUID, error) {
			return renewLanes(tx, s.claim, chunk, s.lease)
		})
		if err != nil {
			s.log.Error("webhook leases could not be renewed", "error", err)
			return
		}
		s.mu.Lock()
		for _, id := range chunk {
			l, ok := s.lanes[id]
			switch {
			case !ok || l.state == releasing:
			case slices.Contains(owned, id):
				l.renewed, l.leaseEnds = since, ends
			default:
				s.lose(l)
			}
		}
		s.mu.Unlock()
	}
}

// newLease measures a lease that is about to be written. It starts before the transaction
// does: a process that is frozen in between must not believe that its lease ends later than
// the database says.
func (s *Sender) newLease() (since func() time.Duration, ends time.Time) {
	return clock.Stopwatch(), s.db.Clock().Now().Add(s.lease)
}

// leaseHolds reports whether no other node can have claimed the lane yet. It checks both
// clocks: a wall clock can be set back, and the monotonic one may stop while the machine is
// suspended. The caller holds the lock.
func (s *Sender) leaseHolds(l *lane) bool {
	return l.renewed() < s.lease && s.db.Clock().Now().Before(l.leaseEnds)
}

// lose drops a lane that this sender no longer holds. The caller holds the lock.
func (s *Sender) lose(l *lane) {
	if l.move(leaseLost) {
		s.drop(l)
	}
}

// drop removes a lane from the sender's records. The caller holds the lock.
func (s *Sender) drop(l *lane) {
	l.buffer = nil
	if s.lanes[l.id] == l {
		delete(s.lanes, l.id)
	}
	s.forget(l)
}

// forget removes a lane's tenant once it has nothing left. The caller holds the lock.
func (s *Sender) forget(l *lane) {
	if l.inflight > 0 {
		return
	}
	if l.load.lanes--; l.load.lanes == 0 {
		delete(s.tenants, l.tenant)
	}
	s.metrics.lanes.Set(float64(len(s.lanes)))
	s.changed.Broadcast()
}
