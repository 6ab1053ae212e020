package webhook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const (
	recoverKind  = "webhook.recover"
	recoverBatch = 500
)

// Recover queues the replay of a range of time as a job: it sends every event that the
// endpoint subscribes to and that did not arrive, whether it was recorded at the time or
// not. Without an end the range ends now.
func (s *Service) Recover(ctx context.Context, module string, endpoint uuid.UUID, since, until time.Time, delivered bool) (rec Recovery, err error) {
	if caller.From(ctx).Test {
		return rec, fault.New(fault.TestEnvironment)
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := endpointByID(&tx.Reader, module, endpoint); err != nil {
			return db.NotFound(err)
		}
		end := until
		if end.IsZero() || end.After(tx.Now()) {
			end = tx.Now()
		}
		if !since.Before(end) || since.Before(tx.Now().Add(-keepFor)) {
			return fault.Invalid("since", "out_of_range")
		}
		rec = Recovery{
			ID: tx.NewID(), Endpoint: endpoint, Since: clock.At(since), Until: clock.At(end), Delivered: delivered,
			Status: RecoveryRunning, Reached: clock.At(since), CreatedAt: clock.At(tx.Now()),
		}
		if err := putRecovery(tx, &rec); err != nil {
			return fmt.Errorf("webhook: put recovery: %w", err)
		}
		if _, err := jobs.Enqueue(tx, recoverKind, tx.Now(), rec.ID); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.recovered", endpoint.String(), map[string]any{"since": rec.Since, "until": rec.Until})
	})
	return rec, err
}

// Recovery returns one recovery, for its progress.
func (s *Service) Recovery(ctx context.Context, module string, id uuid.UUID) (Recovery, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Recovery, error) {
		rec, err := recoveryByID(r, module, id)
		return rec, db.NotFound(err)
	})
}

// Recoveries lists the recoveries of an endpoint, newest first.
func (s *Service) Recoveries(ctx context.Context, module string, endpoint uuid.UUID, p db.Page) (list db.List[Recovery], err error) {
	err = s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, err := endpointByID(r, module, endpoint); err != nil {
			return db.NotFound(err)
		}
		list, err = listRecoveries(r, endpoint, p)
		return err
	})
	return list, err
}

// Jobs are the kinds of this module's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		{Name: recoverKind, Handler: jobs.WithPayload(s.recover), PerNode: 16, PerTenant: 2, MaxAttempts: 20},
		{Name: purgeKind, Handler: jobs.WithPayload(s.purge), PerNode: 16, PerTenant: 2, MaxAttempts: 20},
		{Name: giveUpKind, Handler: jobs.WithPayload(s.giveUp), PerNode: 16, PerTenant: 2, MaxAttempts: 20},
		{Name: forgetKind, Handler: jobs.WithPayload(s.forgetOldSecret), PerNode: 16, PerTenant: 2, MaxAttempts: 20},
	}
}

// recover replays one batch and queues the rest, so that no transaction is long and a crash
// repeats at most one batch. The progress is saved in the same transaction.
func (s *Service) recover(ctx context.Context, j *jobs.Job, id uuid.UUID) error {
	return s.db.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error {
		rec, module, err := lockRecovery(tx, id)
		if err != nil {
			return db.IgnoreNoRow(err) // its endpoint was deleted meanwhile, or another run did this
		}
		e, err := endpointByID(&tx.Reader, module, rec.Endpoint)
		if err != nil {
			return err
		}
		events, err := event.Between(&tx.Reader, rec.Since.Time, rec.Until.Time, rec.after, recoverBatch)
		if err != nil {
			return err
		}
		if len(events) > 0 {
			queued, err := s.replay(tx, &rec, module, &e, events)
			if err != nil {
				return err
			}
			rec.advance(events[len(events)-1].ID, len(events), queued)
		}
		if len(events) < recoverBatch {
			rec.finish(tx.Now())
		} else if _, err := jobs.Enqueue(tx, recoverKind, tx.Now(), rec.ID); err != nil {
			return err
		}
		return setRecovery(tx, &rec)
	})
}

// replay queues the deliveries of some events that the endpoint is to be sent, and returns
// their number.
func (s *Service) replay(tx *db.Tx, rec *Recovery, module string, e *Endpoint, events []event.Event) (int, error) {
	licences, err := findLicences(&tx.Reader)
	if err != nil {
		return 0, err
	}
	sub := subscription{id: e.ID, events: e.Events, licences: licences}
	last, ok, err := s.wakeLane(tx, e.ID, len(events))
	if err != nil || !ok { // it is being deleted
		return 0, err
	}
	// The caller continues after the last event by id; they are queued in order.
	events = slices.SortedFunc(slices.Values(events), func(a, b event.Event) int { return cmp.Compare(a.Sequence, b.Sequence) })
	var ids []uuid.UUID
	var rows []newDelivery
	for i, ev := range events {
		if ev.Test || !s.wants(&sub, &ev) {
			continue
		}
		id := s.deliveryID(ev.ID, e.ID)
		ids = append(ids, id)
		rows = append(rows, newDelivery{
			tenant: tx.Tenant(), id: id, module: module, endpoint: e.ID, event: ev.ID, eventType: ev.Type,
			nextAt: nthPosition(last, i, len(events)), createdAt: clock.At(tx.Now().Add(time.Duration(i-len(events)) * time.Microsecond)),
		})
	}
	there, err := findExisting(&tx.Reader, ids)
	if err != nil {
		return 0, err
	}
	var again []queuePosition
	rows = slices.DeleteFunc(rows, func(d newDelivery) bool {
		status, ok := there[d.id]
		if ok && (status != Delivered || rec.Delivered) {
			again = append(again, queuePosition{d.id, d.nextAt})
		}
		return ok
	})
	if err := requeueAt(tx, again); err != nil {
		return 0, err
	}
	if err := putDeliveries(tx, rows); err != nil {
		return 0, err
	}
	queued := len(again) + len(rows)
	tx.AfterCommit(func() { s.sender.metrics.countDeliveries(Pending, queued) })
	return queued, nil
}
