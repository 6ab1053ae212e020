package conversation

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	wakeRound = 500 // rows of one look
	wakeBatch = 50  // rows of one transaction
)

// Waker opens snoozed conversations when their time has come. Every node runs
// one; a row is woken by whoever locks it first. However long a house was
// down, it wakes what became due meanwhile.
type Waker struct {
	Service *Service
	Log     *slog.Logger
}

// Step wakes what is due now and says how many it saw.
func (w *Waker) Step(ctx context.Context) (int, error) {
	s := w.Service
	var rows []dueRow
	err := s.db.System("snooze scan").Read(ctx, func(r *db.Reader) (err error) {
		rows, err = due(r, clock.At(s.db.Clock().Now()), wakeRound)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("conversation: scan snoozed: %w", err)
	}
	byTenant := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, d := range rows {
		if byTenant[d.tenant] == nil {
			order = append(order, d.tenant)
		}
		byTenant[d.tenant] = append(byTenant[d.tenant], d.id)
	}
	woken := 0
	for _, tenant := range order {
		ids := byTenant[tenant]
		for len(ids) > 0 {
			n := min(wakeBatch, len(ids))
			done, err := s.wake(ctx, tenant, ids[:n])
			if err != nil {
				return woken, err
			}
			woken, ids = woken+done, ids[n:]
		}
	}
	return woken, nil
}

func (s *Service) wake(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (n int, err error) {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	err = s.db.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		list, err := claimDue(tx, ids)
		if err != nil {
			return err
		}
		n = len(list)
		for _, was := range list {
			c := was
			if err := s.keepOwner(tx, &c); err != nil {
				return err
			}
			if err := s.move(tx, was, &c, Wake, nil, nil); err != nil {
				return err
			}
			if c.OwnerID != nil && !c.Test {
				if err := s.markUnread(tx, c.ID, *c.OwnerID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("conversation: wake: %w", err)
	}
	return n, nil
}

// Run wakes until ctx ends, looking every second.
func (w *Waker) Run(ctx context.Context) {
	jobs.Loop{Name: "waker", DB: w.Service.db, Log: w.Log, Step: w.Step, Full: wakeRound}.Run(ctx)
}
