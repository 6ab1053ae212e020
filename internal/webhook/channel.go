package webhook

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
	"konak/internal/webhook/signature"
)

// A custom channel of the CRM is an endpoint of the module Channel. It has the channel's
// id, no routes here and no subscriptions: it is sent only events that target it. The
// channel's own gate writes audit lines and announces, so these functions only update the
// webhook side, in the gate's transaction.

// CheckAddress returns an address in its stored form, or an error if it cannot be sent to.
func (s *Service) CheckAddress(address string) (string, error) { return parseAddress(s.out, address) }

// CreateChannelEndpoint creates a channel's endpoint and returns its secret, which is shown
// once.
func (s *Service) CreateChannelEndpoint(tx *db.Tx, id uuid.UUID, address string) (string, error) {
	key := signature.NewSecret()
	set := settings{address: address, events: []string{}}
	if err := putEndpoint(tx, Channel, id, set, s.box.Seal(tx.Tenant(), secretPurpose(id), []byte(key)), secret.Last4(key), nil); err != nil {
		return "", fmt.Errorf("webhook: put endpoint: %w", err)
	}
	return key, nil
}

// ChangeChannelAddress changes a channel's address; its secret stays.
func (s *Service) ChangeChannelAddress(tx *db.Tx, id uuid.UUID, address string) error {
	return s.channel(tx, id, func(e Endpoint) error {
		return updateEndpoint(tx, id, settings{address: address, events: e.Events})
	})
}

// RotateChannelSecret gives a channel a new secret. The old one is invalid from the commit
// on: nothing is signed with it any more.
func (s *Service) RotateChannelSecret(tx *db.Tx, id uuid.UUID) (string, error) {
	key := signature.NewSecret()
	return key, s.channel(tx, id, func(Endpoint) error {
		return rotateSecret(tx, id, s.box.Seal(tx.Tenant(), secretPurpose(id), []byte(key)), secret.Last4(key), nil)
	})
}

// EnableChannel re-enables deliveries to a channel that was disabled after too many
// failures.
func (s *Service) EnableChannel(tx *db.Tx, id uuid.UUID) error {
	return s.channel(tx, id, func(e Endpoint) error {
		if e.Status == Active {
			return nil
		}
		tx.Wake(Topic)
		return setStatus(tx, id, Active)
	})
}

// SendToChannel announces a change to one channel. Its delivery is recorded at once; if the
// channel is switched off, the delivery waits and is not skipped.
func (s *Service) SendToChannel(tx *db.Tx, id uuid.UUID, c event.Change) error {
	c.Target = &id
	ev, err := event.Emit(tx, c)
	if err != nil || c.Test || caller.From(tx.Context()).Test {
		return err
	}
	return putDeliveries(tx, []newDelivery{{
		tenant: tx.Tenant(), id: s.deliveryID(ev, id), module: Channel, endpoint: id, event: ev, eventType: c.Type,
		nextAt: clock.At(tx.Now().Add(testHold)), createdAt: clock.At(tx.Now()),
	}})
}

// DeleteChannelEndpoint deletes a channel's endpoint and its history.
func (s *Service) DeleteChannelEndpoint(tx *db.Tx, id uuid.UUID) error {
	return s.channel(tx, id, func(Endpoint) error {
		if err := dropEndpoint(tx, id); err != nil {
			return err
		}
		_, err := jobs.Enqueue(tx, purgeKind, tx.Now(), id)
		return err
	})
}

// maxPingRetries is the maximum number of deliveries that one ping requeues.
const maxPingRetries = 1000

// PingChannel tries a channel again: it sends a sample and requeues the deliveries that
// failed or were given up. It returns their number. A test-environment key sends nothing.
func (s *Service) PingChannel(ctx context.Context, id uuid.UUID) (delivery *uuid.UUID, retried int, err error) {
	if delivery, err = s.Test(ctx, Channel, id); err != nil || delivery == nil {
		return delivery, 0, err
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		ids, err := failedDeliveries(&tx.Reader, id, maxPingRetries)
		if retried = len(ids); err != nil || retried == 0 {
			return err
		}
		last, _, err := s.wakeLane(tx, id, retried)
		if err != nil {
			return err
		}
		return requeue(tx, last, ids)
	})
	return delivery, retried, err
}

// WaitForOldAttempts waits until no request that was signed before the endpoint's last
// change is under way, so that the old secret can be discarded as soon as the new one is
// shown.
func (s *Service) WaitForOldAttempts(ctx context.Context, id uuid.UUID) {
	s.sender.waitForOldAttempts(ctx, id)
}

// channel runs a change on a locked endpoint and notifies the sender.
func (s *Service) channel(tx *db.Tx, id uuid.UUID, fn func(Endpoint) error) error {
	e, err := lockEndpoint(tx, Channel, id)
	if err != nil {
		return db.NotFound(err)
	}
	tx.AfterCommit(func() { s.sender.rereadSettings(id) })
	return fn(e)
}

// OutcomeJob is the kind of the jobs that report the results of deliveries to channels. The
// app passes them to the module that sent them.
const OutcomeJob = "webhook.outcome"

// Outcome is the result of a delivery to a channel, or a change of the channel itself.
type Outcome struct {
	Channel uuid.UUID `json:"channel"`
	Event   uuid.UUID `json:"event"`
	Type    string    `json:"type"`
	// Status is Delivered, Exhausted, or Disabled for the channel itself.
	Status string `json:"status"`
	Error  string `json:"error"`
}

// report queues jobs that report the results of deliveries to channels, in the transaction
// that marked them.
func report(tx *db.Tx, e *entry, marked []uuid.UUID) error {
	if e.module != Channel || e.lost {
		return nil
	}
	for _, m := range e.marks {
		if m.status != Delivered && m.status != Exhausted || !slices.Contains(marked, m.id) {
			continue
		}
		_, text := m.trouble()
		o := Outcome{Channel: e.lane.id, Event: m.event, Type: m.eventType, Status: m.status}
		if text != nil {
			o.Error = *text
		}
		if _, err := jobs.EnqueueForTenant(tx, e.lane.tenant, OutcomeJob, tx.Now(), o); err != nil {
			return err
		}
	}
	if !e.disabled {
		return nil
	}
	o := Outcome{Channel: e.lane.id, Status: Disabled}
	if e.health.reason != nil {
		o.Error = *e.health.reason
	}
	_, err := jobs.EnqueueForTenant(tx, e.lane.tenant, OutcomeJob, tx.Now(), o)
	return err
}
