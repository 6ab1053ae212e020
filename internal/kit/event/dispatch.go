package event

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/bus"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/jobs"
	"konak/internal/kit/trace"
)

// Subscriber turns events into its own rows, in the dispatcher's transaction. It must not
// fail because of an event's content: one bad event would block all others.
type Subscriber interface {
	Dispatch(tx *db.Tx, events []Event) error
}

// Dispatcher moves events out of the outbox.
type Dispatcher struct {
	DB          *db.DB
	Bus         bus.Bus
	Log         *slog.Logger
	Subscribers []Subscriber
	Traces      *trace.Tracer

	turn turn
}

// turn is the position among the tenants when not all events fit into one batch.
type turn struct {
	backlog bool      // more events wait than one batch takes
	after   uuid.UUID // the tenant that had the last turn
}

const (
	batch = 500
	// turns is the number of tenants that share a batch. All get equal shares, so that
	// nobody waits for another tenant's million events.
	turns = 128
	// rest lets events accumulate under load: numbering thirty at once costs little more
	// than one, and nobody notices a hundredth of a second.
	rest = 10 * time.Millisecond
)

// waitingTenants steps through the index from one tenant with waiting events to the next,
// skipping the events themselves.
const waitingTenants = `WITH RECURSIVE turn (tenant_id, n) AS (
		SELECT (SELECT tenant_id FROM outbox WHERE sequence IS NULL AND tenant_id > $1 ORDER BY tenant_id LIMIT 1), 1
		UNION ALL
		SELECT (SELECT o.tenant_id FROM outbox o WHERE o.sequence IS NULL AND o.tenant_id > turn.tenant_id ORDER BY o.tenant_id LIMIT 1), n + 1
		FROM turn WHERE turn.tenant_id IS NOT NULL AND n < $2)
	SELECT tenant_id FROM turn WHERE tenant_id IS NOT NULL`

// maxWaitingCounted is the maximum number of waiting events that are counted.
const maxWaitingCounted = 1000

// Waiting returns the number of events that wait to be dispatched, at most a thousand, and
// when the first of those occurred; the time is zero if none is waiting.
func Waiting(ctx context.Context, d *db.DB) (n int, since time.Time, err error) {
	err = d.System("metrics").Read(ctx, func(r *db.Reader) error {
		_, err := db.One(r, func(row db.Row) (struct{}, error) {
			var first *clock.Time
			err := row.Scan(&n, &first)
			if first != nil {
				since = first.Time
			}
			return struct{}{}, err
		}, `SELECT count(*), min(occurred_at) FROM (SELECT occurred_at FROM outbox WHERE sequence IS NULL
			ORDER BY tenant_id LIMIT $1) w`, maxWaitingCounted)
		return err
	})
	return n, since, err
}

// numberRows numbers the rows returned by a query of tenant_id, id and came. Only one
// dispatcher runs at a time, so numbers appear in order. Two events of one record are never
// in progress at once, since a gate locks its record first, so the earlier one always gets
// the lower number. Rows are looked up again by key: by position PostgreSQL might scan all
// rows of a tenant.
func numberRows(found string) string {
	return `UPDATE outbox SET sequence = n.rn + COALESCE(
		(SELECT value FROM tenant_sequence s WHERE s.tenant_id = n.tenant_id), 0)
	FROM (SELECT tenant_id, id, row_number() OVER (PARTITION BY tenant_id ORDER BY came) AS rn
		FROM (` + found + `) w) n
	WHERE outbox.tenant_id = n.tenant_id AND outbox.id = n.id
	RETURNING outbox.tenant_id, outbox.id, outbox.type, outbox.sequence, outbox.test, outbox.emitted, outbox.target, outbox.payload,
		COALESCE(outbox.traceparent, '')`
}

// first returns the query for the first waiting rows of any tenant.
func first(d db.Dialect) string {
	return `SELECT tenant_id, id, ` + d.Position() + ` AS came FROM outbox WHERE sequence IS NULL ORDER BY tenant_id, came LIMIT $1`
}

// numberFirstOf numbers the first waiting rows, at most n, of each of the tenants. SQLite,
// which has no LATERAL, gets one statement per tenant.
func numberFirstOf(tx *db.Tx, tenants []uuid.UUID, n int) (events []Event, err error) {
	if tx.Dialect() == db.Postgres {
		rows := each.Map(tenants, func(id uuid.UUID) []any { return []any{id, n} })
		return db.Each(tx, scanEvent, []string{"uuid", "bigint"}, rows, func(source string) string {
			return numberRows(`SELECT w.* FROM (` + source + `) m(tenant_id, n) CROSS JOIN LATERAL (SELECT o.tenant_id, o.id, o.position AS came
				FROM outbox o WHERE o.tenant_id = m.tenant_id AND o.sequence IS NULL ORDER BY came LIMIT m.n) w`)
		})
	}
	for _, id := range tenants {
		some, err := db.All(&tx.Reader, scanEvent, numberRows(`SELECT tenant_id, id, rowid AS came FROM outbox
			WHERE tenant_id = $1 AND sequence IS NULL ORDER BY came LIMIT $2`), id, n)
		if err != nil {
			return nil, err
		}
		events = append(events, some...)
	}
	return events, nil
}

// take numbers a batch of waiting events and reports whether there may be more. Usually one
// batch is enough. If it is full, the following batches are divided among tenants until the
// queue is empty.
func (d *Dispatcher) take(tx *db.Tx) (events []Event, t turn, err error) {
	if d.turn.backlog {
		return d.share(tx)
	}
	events, err = db.All(&tx.Reader, scanEvent, numberRows(first(tx.Dialect())), batch)
	t.backlog = len(events) == batch
	return events, t, err
}

// share numbers a batch of waiting events, an equal part for each tenant whose turn it is.
func (d *Dispatcher) share(tx *db.Tx) (events []Event, t turn, err error) {
	tenants, err := db.All(&tx.Reader, db.Scalar[uuid.UUID], waitingTenants, d.turn.after, turns)
	if err != nil || len(tenants) == 0 {
		return nil, turn{backlog: d.turn.after != uuid.Nil}, err // start again from the first tenant
	}
	if len(tenants) == turns {
		t = turn{backlog: true, after: tenants[turns-1]}
	} else {
		t.backlog = d.turn.after != uuid.Nil
	}
	share := batch / len(tenants)
	events, err = numberFirstOf(tx, tenants, share)
	got := make(map[uuid.UUID]int, len(tenants))
	for _, e := range events {
		got[e.TenantID]++
		t.backlog = t.backlog || got[e.TenantID] == share
	}
	return events, t, err
}

// setSequences stores the last number of each tenant.
func setSequences(tx *db.Tx, last map[uuid.UUID]int64) error {
	rows := make([][]any, 0, len(last))
	for tenant, seq := range last {
		rows = append(rows, []any{tenant, seq})
	}
	_, err := db.Each(tx, db.Scalar[int64], []string{"uuid", "bigint"}, rows, func(source string) string {
		return `INSERT INTO tenant_sequence (tenant_id, value) ` + source + `
			ON CONFLICT (tenant_id) DO UPDATE SET value = excluded.value`
	})
	return err
}

// Step dispatches waiting events, up to one batch, and returns the number of events
// dispatched.
func (d *Dispatcher) Step(ctx context.Context) (int, error) {
	for {
		n, more, err := d.step(ctx)
		if n > 0 || !more || err != nil {
			return n, err
		}
	}
}

func (d *Dispatcher) step(ctx context.Context) (n int, more bool, err error) {
	var events []Event
	var next turn
	took := clock.Stopwatch()
	err = d.DB.System("dispatcher").InTx(ctx, func(tx *db.Tx) error {
		events, next, more = nil, d.turn, false
		if ok, err := tx.TryLock("dispatcher"); err != nil || !ok {
			return err
		}
		var err error
		if events, next, err = d.take(tx); err != nil {
			return fmt.Errorf("event: number: %w", err)
		}
		more = next.backlog
		if len(events) == 0 {
			return nil
		}
		slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Sequence, b.Sequence) })
		last := map[uuid.UUID]int64{}
		for _, e := range events {
			last[e.TenantID] = e.Sequence
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
		return 0, false, err
	}
	d.turn = next
	for _, e := range events {
		d.Bus.Publish(e.TenantID, bus.Message{Sequence: e.Sequence, Type: e.Type, Body: e.Body()})
		if e.Trace != "" {
			d.Traces.Record(e.Trace, "dispatch "+e.Type, trace.Consumer, took(), "", trace.Text(trace.Event, e.Type), trace.Text(trace.Tenant, e.TenantID.String()))
		}
	}
	return len(events), more, nil
}

// Run dispatches until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) {
	jobs.Loop{
		Name: "dispatcher", DB: d.DB, Topics: []string{Topic}, Log: d.Log, Full: 1, Rest: rest,
		Step: func(ctx context.Context) (int, error) {
			_, more, err := d.step(ctx)
			if more {
				return 1, err
			}
			return 0, err
		},
	}.Run(ctx)
}
