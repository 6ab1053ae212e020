package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
	"konak/internal/webhook/hour"
	"konak/internal/webhook/signature"
)

// Dispatch implements event.Subscriber: it creates one delivery for each endpoint that
// subscribes to the event. Events of test-environment keys create none.
func (s *Service) Dispatch(tx *db.Tx, events []event.Event) error {
	subs, err := s.subscribers(tx, events)
	if err != nil {
		return fmt.Errorf("webhook: subscriptions: %w", err)
	}
	var lanes []uuid.UUID
	var list []newDelivery
	for i := range events {
		e := &events[i]
		if e.Test {
			continue
		}
		for _, sub := range subs[e.TenantID] {
			if !s.wants(&sub, e) {
				continue
			}
			list = append(list, newDelivery{
				tenant: e.TenantID, id: s.deliveryID(e.ID, sub.id), module: sub.module, endpoint: sub.id,
				event: e.ID, eventType: e.Type, offset: i,
			})
			lanes = append(lanes, sub.id)
		}
	}
	if len(list) == 0 {
		return nil
	}
	due, err := wakeLanes(tx, lanes, len(events))
	if err != nil {
		return fmt.Errorf("webhook: wake lanes: %w", err)
	}
	rows := list[:0]
	for i := range list {
		d := list[i]
		if _, ok := due[d.endpoint]; !ok {
			continue // it is being deleted
		}
		d.nextAt = nthPosition(due[d.endpoint], d.offset, len(events))
		d.createdAt = clock.At(d.nextAt.Add(queueStart))
		rows = append(rows, d)
	}
	if err := putDeliveries(tx, rows); err != nil {
		return fmt.Errorf("webhook: put deliveries: %w", err)
	}
	tx.AfterCommit(func() {
		s.sender.metrics.countDeliveries(Pending, len(rows))
		s.sender.notify(slices.Collect(maps.Keys(due))...)
	})
	return nil
}

// subscribers are the subscriptions of the tenants that the events belong to.
func (s *Service) subscribers(tx *db.Tx, events []event.Event) (map[uuid.UUID][]subscription, error) {
	out := map[uuid.UUID][]subscription{}
	var tenants []uuid.UUID
	for _, e := range events {
		if _, ok := out[e.TenantID]; !ok && !e.Test {
			out[e.TenantID], tenants = nil, append(tenants, e.TenantID)
		}
	}
	if len(tenants) == 0 {
		return nil, nil
	}
	list, err := subscriptions(&tx.Reader, tenants...)
	for _, sub := range list {
		out[sub.tenant] = append(out[sub.tenant], sub)
	}
	return out, err
}

// wants reports whether an endpoint is sent an event: one that targets it, or one it
// subscribes to while the workspace has the event's licence.
func (s *Service) wants(sub *subscription, e *event.Event) bool {
	if e.Target != nil {
		return *e.Target == sub.id
	}
	module := s.types[e.Type].Module
	return slices.Contains(sub.events, e.Type) && (module == "" || slices.Contains(sub.licences, module))
}

// wakeLane marks a lane as having something to do: in its row, and for this process's
// sender once that is committed. It reserves n positions at the end of its queue and
// returns the last, and whether the lane exists. Call it before queueing anything: the lane
// is locked before its deliveries, everywhere.
func (s *Service) wakeLane(tx *db.Tx, lane uuid.UUID, n int) (last clock.Time, ok bool, err error) {
	due, err := wakeLanes(tx, []uuid.UUID{lane}, n)
	if err != nil {
		return last, false, fmt.Errorf("webhook: wake lane: %w", err)
	}
	tx.AfterCommit(func() { s.sender.notify(lane) })
	last, ok = due[lane]
	return last, ok, nil
}

// testHold holds back the delivery of a test until its event has its number. The dispatcher
// makes it due a moment later.
const testHold = time.Minute

// Test queues a sample delivery to one endpoint and returns the delivery's id: nil for a
// test-environment key, which sends nothing. A disabled endpoint is probed at once; success
// re-enables it, failure leaves its pause as it was. A paused endpoint is refused, because
// nothing would be sent.
func (s *Service) Test(ctx context.Context, module string, id uuid.UUID) (delivery *uuid.UUID, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		delivery = nil
		e, err := lockEndpoint(tx, module, id)
		if err != nil {
			return db.NotFound(err)
		}
		if e.Status == Paused {
			return fault.New(fault.WebhookPaused)
		}
		ping := Ping{ID: id, Message: "It works."}
		ev, err := event.Emit(tx, event.Change{Type: PingTest, Object: ping, Target: &id})
		if err != nil {
			return err
		}
		if err := audit.Write(tx, "webhook.tested", id.String(), nil); err != nil || caller.From(ctx).Test {
			return err
		}
		if e.Status == Disabled {
			if err := probeNow(tx, laneKey{tx.Tenant(), id}); err != nil {
				return err
			}
		}
		d := s.deliveryID(ev, id)
		delivery = &d
		return putDeliveries(tx, []newDelivery{{
			tenant: tx.Tenant(), id: d, module: module, endpoint: id, event: ev, eventType: PingTest,
			nextAt: clock.At(tx.Now().Add(testHold)), createdAt: clock.At(tx.Now()),
		}})
	})
	return delivery, err
}

// Emit announces an event of the catalog on the customer's behalf: it goes to the endpoints
// that subscribe to it, and nothing else acts on it. The event names who emitted it and
// when, so it has no line in the audit log, which thousands of such lines a second would
// make useless.
func (s *Service) Emit(ctx context.Context, name string, data map[string]any) (id uuid.UUID, err error) {
	if err := s.checkEvents(ctx, "event", name); err != nil {
		return uuid.Nil, err
	}
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &id, func(tx *db.Tx) (err error) {
		id, err = event.Emit(tx, event.Change{Type: name, Object: data, Emitted: true})
		return err
	})
	return id, err
}

// Deliveries returns the history of a module, or of one of its endpoints, newest first.
// Every delivery is live, so a test-environment key finds none.
func (s *Service) Deliveries(ctx context.Context, module string, only *uuid.UUID, n historyFilter, p db.Page) (db.List[Delivery], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Delivery], error) {
		endpoints, err := endpointIDs(r, module)
		switch {
		case err != nil:
			return db.List[Delivery]{}, err
		case only != nil && !slices.Contains(endpoints, *only):
			return db.List[Delivery]{}, fault.New(fault.NotFound)
		case caller.From(ctx).Test:
			endpoints = nil
		case only != nil:
			endpoints = []uuid.UUID{*only}
		}
		return listDeliveries(r, endpoints, n, p)
	})
}

// Delivery returns one delivery with its request and every attempt. A caller who may not
// see the event's data gets neither the body nor the receiver's answers, which may repeat
// it.
func (s *Service) Delivery(ctx context.Context, module string, id uuid.UUID) (d Detail, err error) {
	who := caller.From(ctx)
	if who.Test {
		return d, fault.New(fault.NotFound)
	}
	err = s.db.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if d.Delivery, err = deliveryByID(r, module, id); err != nil {
			return db.NotFound(err)
		}
		e, err := endpointByID(r, module, d.EndpointID)
		if err != nil {
			return db.NotFound(err)
		}
		d.Address = e.Address
		if d.AttemptList, err = listAttempts(r, id); err != nil {
			return err
		}
		stamp := d.CreatedAt
		if d.LastAttemptAt != nil {
			stamp = *d.LastAttemptAt
		}
		d.Headers = map[string]string{}
		for name, values := range signature.PlainHeader(d.EventType, id.String(), stamp.Time) {
			d.Headers[name] = values[0]
		}
		d.Body = json.RawMessage("null")
		if d.BodyHidden = !s.maySee(who, d.EventType); d.BodyHidden {
			for i := range d.AttemptList {
				d.AttemptList[i].Answer = ""
			}
			return nil
		}
		ev, err := findEventID(r, id)
		if err != nil {
			return db.NotFound(err)
		}
		bodies, err := event.Load(r, r.Tenant(), []uuid.UUID{ev})
		if err != nil {
			return err
		}
		if e, ok := bodies[ev]; ok {
			d.Body = e.Body()
		}
		return nil
	})
	return d, err
}

// Resend is the gate for sending a delivery once more.
func (s *Service) Resend(ctx context.Context, module string, id uuid.UUID) (d Delivery, err error) {
	if caller.From(ctx).Test {
		return d, fault.New(fault.TestEnvironment)
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if d, err = deliveryByID(&tx.Reader, module, id); err != nil {
			return db.NotFound(err)
		}
		from := d.Status
		last, _, err := s.wakeLane(tx, d.EndpointID, 1)
		if err != nil {
			return err
		}
		if err := requeue(tx, last, []uuid.UUID{id}); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.sender.metrics.countDeliveries(Pending, 1) })
		if d, err = deliveryByID(&tx.Reader, module, id); err != nil {
			return err
		}
		return audit.Write(tx, "webhook.resent", id.String(), map[string]string{"from": from})
	})
	return d, err
}

// purge removes the rows of a deleted endpoint, one batch at a time.
func (s *Service) purge(ctx context.Context, j *jobs.Job, id uuid.UUID) error {
	return s.db.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error {
		if err := hour.Drop(tx, id); err != nil {
			return err
		}
		n, err := purgeEndpoint(tx, id, cleanBatch)
		if err != nil || n == 0 {
			return err
		}
		_, err = jobs.Enqueue(tx, purgeKind, tx.Now(), id)
		return err
	})
}

// giveUp gives up the deliveries that wait for an endpoint whose last probe failed, one
// batch at a time. They can be resent or recovered.
func (s *Service) giveUp(ctx context.Context, j *jobs.Job, id uuid.UUID) error {
	return s.db.Tenant(j.TenantID).InTx(ctx, func(tx *db.Tx) error {
		list, err := exhaustDeliveries(tx, id, cleanBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			if d.module != Channel {
				continue
			}
			o := Outcome{Channel: id, Event: d.event, Type: d.eventType, Status: Exhausted, Error: d.lastError}
			if _, err := jobs.Enqueue(tx, OutcomeJob, tx.Now(), o); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.sender.metrics.countDeliveries(Exhausted, len(list)) })
		_, err = jobs.Enqueue(tx, giveUpKind, tx.Now(), id)
		return err
	})
}

// cleanBatch is the number of rows removed per transaction.
const cleanBatch = 512

// Clean removes a batch of expired deliveries, recoveries and events of each tenant in
// turn. It returns their number for the tenants that may have more.
func (s *Service) Clean(ctx context.Context) (int, error) {
	total := 0
	for after := uuid.Nil; ; {
		tenants, err := db.Read(ctx, s.db.System("janitor"), func(r *db.Reader) ([]uuid.UUID, error) { return listTenants(r, after, 100) })
		if err != nil || len(tenants) == 0 {
			return total, err
		}
		for _, id := range tenants {
			n, err := s.cleanTenant(ctx, id)
			if err != nil {
				return total, err
			}
			total += n
			after = id
		}
	}
}

// outboxFor is how long events are kept: an event that is 30 days old may be recovered, and
// its delivery is then listed for another 30 days.
const outboxFor = 2*keepFor + 24*time.Hour

// cleanTenant removes a batch, and returns its size if there may be more. If there is
// nothing to remove, as nearly always, it only reads.
func (s *Service) cleanTenant(ctx context.Context, tenant uuid.UUID) (n int, err error) {
	h := s.db.Tenant(tenant)
	now := s.db.Clock().Now()
	listed, kept := clock.At(now.Add(-keepFor)), now.Add(-outboxFor)
	var ids []uuid.UUID
	var more bool
	err = h.Read(ctx, func(r *db.Reader) (err error) {
		if ids, err = findOldDeliveries(r, listed, cleanBatch); err != nil {
			return err
		}
		if len(ids) == 0 {
			if ids, err = findLostDeliveries(r, kept, cleanBatch); err != nil {
				return err
			}
		}
		if more, err = hasOldRecoveries(r, listed); err != nil || more {
			return err
		}
		more, err = event.Old(r, kept)
		return err
	})
	if err != nil || len(ids) == 0 && !more {
		return 0, err
	}
	var events int64
	err = h.InTx(ctx, func(tx *db.Tx) error {
		if len(ids) > 0 {
			if err := dropDeliveries(tx, ids); err != nil {
				return err
			}
		}
		if err := dropRecoveries(tx, listed); err != nil {
			return err
		}
		events, err = event.Clean(tx, kept, cleanBatch)
		return err
	})
	if len(ids) < cleanBatch && events < cleanBatch {
		return 0, err
	}
	return len(ids) + int(events), err
}
