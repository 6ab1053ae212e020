package event

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/bus"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Subscriber turns events into rows of its own, in the dispatcher's
// transaction. It must not fail because of what an event says: one poisoned
// event would hold up all.
type Subscriber interface {
	Dispatch(tx *db.Tx, events []Event) error
}

// Dispatcher moves events out of the outbox.
type Dispatcher struct {
	DB          *db.DB
	Bus         bus.Bus
	Log         *slog.Logger
	Subscribers []Subscriber
}

const (
	batch = 500
	// rest lets events gather under load: numbering thirty at once costs little
	// more than one, and nobody notices a hundredth of a second.
	rest = 10 * time.Millisecond
)

// One statement numbers the waiting rows of every tenant in it. Only one
// dispatcher runs at a time, so numbers appear in order.
const numberRows = `UPDATE outbox SET sequence = n.rn + COALESCE(
		(SELECT value FROM tenant_sequence s WHERE s.tenant_id = n.tenant_id), 0)
	FROM (SELECT tenant_id, id, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS rn
		FROM (SELECT tenant_id, id FROM outbox WHERE sequence IS NULL ORDER BY id LIMIT $1) w) n
	WHERE outbox.tenant_id = n.tenant_id AND outbox.id = n.id
	RETURNING outbox.tenant_id, outbox.id, outbox.type, outbox.sequence, outbox.test, outbox.emitted, outbox.target, outbox.payload`

var sequenceTypes = []string{"uuid", "bigint"}

// setSequences keeps the last number of each tenant, in few statements.
func setSequences(tx *db.Tx, last map[uuid.UUID]int64) error {
	args := make([]any, 0, len(sequenceTypes)*len(last))
	for tenant, seq := range last {
		args = append(args, tenant, seq)
	}
	for len(args) > 0 {
		n := 1
		for 2*n*len(sequenceTypes) <= len(args) {
			n *= 2 // few lengths, so that each stays prepared
		}
		part := args[:n*len(sequenceTypes)]
		args = args[len(part):]
		if _, err := tx.Exec(`INSERT INTO tenant_sequence (tenant_id, value) VALUES `+db.Rows(tx.Dialect(), 1, sequenceTypes, n)+`
			ON CONFLICT (tenant_id) DO UPDATE SET value = excluded.value`, part...); err != nil {
			return err
		}
	}
	return nil
}

// Step dispatches one batch and says how many events it moved.
func (d *Dispatcher) Step(ctx context.Context) (int, error) {
	var events []Event
	err := d.DB.System("dispatcher").InTx(ctx, func(tx *db.Tx) error {
		events = nil
		if ok, err := tx.TryLock("dispatcher"); err != nil || !ok {
			return err
		}
		var err error
		if events, err = db.All(&tx.Reader, scanEvent, numberRows, batch); err != nil {
			return fmt.Errorf("event: number: %w", err)
		}
		if len(events) == 0 {
			return nil
		}
		slices.SortFunc(events, func(a, b Event) int { return slices.Compare(a.ID[:], b.ID[:]) })
		last := map[uuid.UUID]int64{}
		for _, e := range events {
			last[e.TenantID] = max(last[e.TenantID], e.Sequence)
		}
		if err := setSequences(tx, last); err != nil {
			return fmt.Errorf("event: sequence: %w", err)
		}
		for _, s := range d.Subscribers {
			if err := s.Dispatch(tx, events); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		d.Bus.Publish(e.TenantID, bus.Message{Sequence: e.Sequence, Type: e.Type, Body: e.Body()})
	}
	return len(events), nil
}

// Run dispatches until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) {
	jobs.Loop{
		Name: "dispatcher", DB: d.DB, Topics: []string{Topic}, Log: d.Log, Step: d.Step, Full: batch, Rest: rest,
	}.Run(ctx)
}
