package webhook

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/webhook/signature"
)

// SetHeartbeat sets how often streams show that they are alive.
func (s *Service) SetHeartbeat(d time.Duration) { s.heartbeat = d }

// NewSender creates the sender of another node on the same database.
func (s *Service) NewSender() (*Sender, error) { return NewSender(s.SenderConfig()) }

// SenderConfig returns the configuration of such a sender.
func (s *Service) SenderConfig() SenderConfig {
	return SenderConfig{
		DB: s.db, Box: s.box, Out: s.out, Owners: s.owners, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}
}

// Config returns the configuration of the service, without its catalog.
func (s *Service) Config() Config {
	return Config{DB: s.db, Box: s.box, Out: s.out, Bus: s.bus, Owners: s.owners, Sender: s.sender}
}

// Signs reports whether an attempt is signed after its endpoint's settings changed that
// often since it began, with its lane lost or not.
func (s *Sender) Signs(changes int, lost bool) bool {
	since, ends := s.newLease()
	l := &lane{state: sending, signer: signature.Signer{"secret"}, renewed: since, leaseEnds: ends, epoch: changes}
	if lost {
		l.state = gone
	}
	_, _, ok := s.sign(&result{lane: l, at: ends})
	return ok
}

// MarkDelivered marks a delivery with that many earlier attempts, as the holder of a claim
// does, and reports whether it was marked.
func MarkDelivered(tx *db.Tx, claim, tenant, endpoint, delivery uuid.UUID, attempts int) (bool, error) {
	m := mark{tenant: tenant, result: result{lane: &lane{laneKey: laneKey{id: endpoint}}, job: job{id: delivery, attempts: attempts}, at: tx.Now()}, status: Delivered, nextAt: tx.Now()}
	marked, err := markDeliveries(tx, claim, []mark{m})
	return len(marked) == 1, err
}

// SetSlots sets how many attempts may hold a slot of each pool at once.
func (s *Sender) SetSlots(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.pools {
		s.pools[i].free = n
	}
}

// ClaimLanes claims the due lanes, as a sender does, and returns their number.
func ClaimLanes(tx *db.Tx, claim uuid.UUID) (int, error) {
	list, err := claimLanes(tx, claim, maxClaimed, DefaultLease)
	return len(list), err
}

// ReleaseLane gives a lane back as the holder of a claim does, and reports whether it is
// kept because something is due in it.
func ReleaseLane(tx *db.Tx, claim, endpoint uuid.UUID) (bool, error) {
	kept, err := releaseLanes(tx, claim, []release{{id: endpoint}})
	return kept[endpoint], err
}

// CountDue counts the deliveries that a sender would read of a lane.
func CountDue(r *db.Reader, tenant, endpoint uuid.UUID, now time.Time) (int, error) {
	list, err := dueJobs(r, laneKey{tenant, endpoint}, clock.At(now), clock.At(time.UnixMicro(0)), uuid.Nil, 10)
	return len(list), err
}

// WaitsForever reports whether no lane ever has anything to do.
func WaitsForever(r *db.Reader) (bool, error) {
	next, err := nextRun(r)
	return !next.Before(never), err
}
