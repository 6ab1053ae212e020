package conversation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

const (
	wakeRound = 500 // rows per scan
	wakeBatch = 50  // rows per transaction
)

// Waker opens snoozed conversations when they are due. Every node runs one; a row is woken
// by the node that locks it first. After a downtime it wakes everything that became due
// meanwhile.
type Waker struct {
	Service *Service
	Log     *slog.Logger
}

// Step wakes what is due now and returns the number woken. A conversation that cannot be
// woken is logged and skipped, so that it does not hold up others.
func (w *Waker) Step(ctx context.Context) (int, error) {
	s := w.Service
	woken, after := 0, dueRow{}
	for {
		var rows []dueRow
		err := s.DB.System("snooze scan").Read(ctx, func(r *db.Reader) (err error) {
			rows, err = dueSnoozes(r, clock.At(s.DB.Clock().Now()), after, wakeRound)
			return err
		})
		if err != nil {
			return woken, fmt.Errorf("conversation: scan snoozed: %w", err)
		}
		done, stuck := w.round(ctx, rows)
		woken += done
		if stuck == wakeRound {
			return woken, errStuck // not a bad row: the database accepts no writes
		}
		// The next scan would start with the same stuck rows, so continue after a full
		// round.
		if stuck == 0 || len(rows) < wakeRound || ctx.Err() != nil {
			return woken, ctx.Err()
		}
		after = rows[len(rows)-1]
	}
}

var errStuck = errors.New("conversation: none of the due conversations can be woken")

// round wakes the given rows, workspace by workspace.
func (w *Waker) round(ctx context.Context, rows []dueRow) (woken, stuck int) {
	byTenant := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, d := range rows {
		if byTenant[d.tenant] == nil {
			order = append(order, d.tenant)
		}
		byTenant[d.tenant] = append(byTenant[d.tenant], d.id)
	}
	for _, tenant := range order {
		for ids := range slices.Chunk(byTenant[tenant], wakeBatch) {
			n, bad := w.batch(ctx, tenant, ids)
			woken, stuck = woken+n, stuck+bad
		}
	}
	return woken, stuck
}

// batch wakes several in one transaction, or each in its own if one of them cannot be
// woken.
func (w *Waker) batch(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (woken, stuck int) {
	n, err := w.Service.wake(ctx, tenant, ids)
	if err == nil || ctx.Err() != nil {
		return n, 0
	}
	for _, id := range ids {
		n, err := w.Service.wake(ctx, tenant, []uuid.UUID{id})
		if err != nil {
			stuck++
			w.Log.ErrorContext(ctx, "a snoozed conversation cannot be woken", "tenant", tenant, "conversation", id, "error", err)
		}
		woken += n
	}
	return woken, stuck
}

func (s *Service) wake(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (n int, err error) {
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant})
	err = s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
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
			if err := s.Move(tx, was, &c, Wake, nil, nil); err != nil {
				return err
			}
			if c.OwnerID != nil && !c.Test {
				if err := s.MarkUnread(tx, c.ID, *c.OwnerID); err != nil {
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

// Run wakes conversations until ctx ends, checking every second.
func (w *Waker) Run(ctx context.Context) {
	jobs.Loop{Name: "waker", DB: w.Service.DB, Log: w.Log, Step: w.Step, Full: wakeRound}.Run(ctx)
}
