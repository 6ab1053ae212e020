// Package event is the outbox: it makes changes known outside their module.
//
// A gate calls Emit with the transaction that writes the record, so a record
// without its event, or an event without its record, cannot exist. Emit writes
// only one row. The Dispatcher assigns rows their per-tenant sequence in order,
// passes them to the subscribers in the same transaction (webhook deliveries are
// rows too), and then publishes them on the bus.
package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
	"konak/internal/kit/trace"
)

// Topic is woken when an event waits for the dispatcher.
const Topic = "outbox"

// Type is an entry of the event catalog.
type Type struct {
	Name string
	// Module is the licence required to list and send the event.
	Module string
	// Permission is what a person needs to see the event live.
	Permission perm.Permission
	// Description tells when the event happens, Turkish is the same in Turkish.
	Description string
	Turkish     string
	// Example is an example of the record that the event carries.
	Example any
	// ItemExample is an example of what was added to the record, nil if the event never
	// carries an item.
	ItemExample any
	// PreviousExample holds previous values of some of the record's fields.
	PreviousExample any
	// Hidden keeps an event out of the catalog: it cannot be subscribed to.
	Hidden bool
}

// Catalog is every event type, collected from the modules.
type Catalog []Type

// Find returns the type with this name.
func (c Catalog) Find(name string) (Type, bool) {
	i := slices.IndexFunc(c, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return c[i], true
}

// Change is what a gate announces.
type Change struct {
	Type string
	// Object is the record after the change.
	Object any
	// Item is what was added to it, e.g. the message of a reply.
	Item any
	// Previous holds the previous values of the changed fields.
	Previous any
	// Target limits the event to one webhook endpoint (ping.test).
	Target *uuid.UUID
	// Actor is who made the change, if it was not the caller: a channel delivers what a
	// contact wrote.
	Actor *Actor
	// Test marks a change of a record of the test environment, whoever made it.
	Test bool
	// Emitted marks an event that a customer emitted manually. It is sent like any other
	// event, but no module may act on it: the record that it refers to may not exist.
	Emitted bool
}

// Actor is who made a change.
type Actor struct {
	Type caller.Kind `json:"type"`
	ID   *uuid.UUID  `json:"id"`
}

// TenantRef names the workspace in a body.
type TenantRef struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug"`
}

// Payload is the `data` of a body.
type Payload struct {
	Object   any `json:"object"`
	Item     any `json:"item"`
	Previous any `json:"previous"`
}

// body is what receivers get, except the sequence, which the dispatcher assigns. It is
// stored as text, so the same bytes are always sent.
type body struct {
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	OccurredAt clock.Time `json:"occurred_at"`
	APIVersion string     `json:"api_version"`
	Truncated  bool       `json:"truncated"`
	Emitted    bool       `json:"emitted"`
	Tenant     TenantRef  `json:"tenant"`
	Actor      Actor      `json:"actor"`
	Data       Payload    `json:"data"`
}

// MaxBody is the maximum size of a body; a larger one carries only its object's id.
const MaxBody = 256 << 10

const insertOutbox = `INSERT INTO outbox (tenant_id, id, type, occurred_at, test, emitted, target, payload, traceparent)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

// Emit writes the outbox row of a change and returns the event's id.
func Emit(tx *db.Tx, c Change) (uuid.UUID, error) {
	who := caller.From(tx.Context())
	slug := who.Slug
	if who.TenantID != tx.Tenant() || slug == "" {
		var err error
		if slug, err = db.One(&tx.Reader, db.Scalar[string], `SELECT slug FROM tenant WHERE id = $1`, tx.Tenant()); err != nil {
			return uuid.Nil, fmt.Errorf("event: tenant: %w", err)
		}
	}
	id := tx.NewID()
	b := body{
		ID: "evt_" + id.String(), Type: c.Type, OccurredAt: clock.At(tx.Now()), APIVersion: "1",
		Emitted: c.Emitted, Tenant: TenantRef{tx.Tenant(), slug},
		Actor: Actor{Type: who.Kind, ID: who.Actor()},
		Data:  Payload{c.Object, c.Item, c.Previous},
	}
	if c.Actor != nil {
		b.Actor = *c.Actor
	}
	text, err := encode(b)
	if err != nil {
		return uuid.Nil, err
	}
	if err := tx.ExecDeferred(insertOutbox, tx.Tenant(), id, c.Type, b.OccurredAt, who.Test || c.Test, c.Emitted, c.Target, text, trace.Parent(tx.Context())); err != nil {
		return uuid.Nil, fmt.Errorf("event: emit %s: %w", c.Type, err)
	}
	tx.Wake(Topic)
	return id, nil
}

// Sample returns a complete body of an event type as receivers get it, for the catalog.
func Sample(t Type) ([]byte, error) {
	id := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")
	text, err := encode(body{
		ID: "evt_" + id.String(), Type: t.Name, APIVersion: "1",
		OccurredAt: clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)),
		Tenant:     TenantRef{id, "demo"}, Actor: Actor{caller.Agent, &id}, Data: Payload{t.Example, t.ItemExample, t.PreviousExample},
	})
	e := Event{Sequence: 42, payload: text}
	return e.Body(), err
}

func encode(b body) (string, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("event: encode %s: %w", b.Type, err)
	}
	if len(text) <= MaxBody {
		return string(text), nil
	}
	var ref struct {
		ID json.RawMessage `json:"id"`
	}
	object, err := json.Marshal(b.Data.Object)
	if err == nil {
		err = json.Unmarshal(object, &ref)
	}
	if err != nil {
		return "", fmt.Errorf("event: truncate %s: %w", b.Type, err)
	}
	b.Truncated, b.Data = true, Payload{Object: ref}
	text, err = json.Marshal(b)
	return string(text), err
}

// Event is a dispatched outbox row.
type Event struct {
	TenantID uuid.UUID
	ID       uuid.UUID
	Type     string
	Sequence int64
	Test     bool
	Emitted  bool
	Target   *uuid.UUID
	// Trace is the span in which the event was emitted, for package trace; "" for none.
	Trace   string
	payload string
}

// Body returns the bytes that are sent to receivers.
func (e *Event) Body() []byte {
	b := make([]byte, 0, len(e.payload)+32)
	b = append(b, `{"sequence":`...)
	b = strconv.AppendInt(b, e.Sequence, 10)
	b = append(b, ',')
	return append(b, e.payload[1:]...)
}

const columns = `tenant_id, id, type, sequence, test, emitted, target, payload, COALESCE(traceparent, '')`

func scanEvent(r db.Row) (e Event, err error) {
	err = r.Scan(&e.TenantID, &e.ID, &e.Type, &e.Sequence, &e.Test, &e.Emitted, &e.Target, &e.payload, &e.Trace)
	return e, err
}

// Load reads dispatched events of one tenant by id.
func Load(r *db.Reader, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Event, error) {
	out := make(map[uuid.UUID]Event, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	// A condition on the sequence would make SQLite use the index of sequences and scan
	// everything that the tenant has.
	in, arg := db.In(r.Dialect(), 2, ids)
	rows, err := db.All(r, scanEvent, `SELECT o.tenant_id, o.id, o.type, COALESCE(o.sequence, 0), o.test, o.emitted, o.target, o.payload, COALESCE(o.traceparent, '')
		FROM outbox o WHERE o.tenant_id = $1 AND o.id `+in, tenant, arg)
	for _, e := range rows {
		if e.Sequence > 0 {
			out[e.ID] = e
		}
	}
	return out, err
}

// The plus sign keeps SQLite from using the index of sequences if the order is by id;
// PostgreSQL ignores it.

// Between returns a tenant's dispatched events that happened from one time until before
// another, ordered by id, after the given id.
func Between(r *db.Reader, from, until time.Time, after uuid.UUID, limit int) ([]Event, error) {
	if first := clock.FirstID(from); slices.Compare(after[:], first[:]) < 0 {
		after = first
	}
	return db.All(r, scanEvent, `SELECT `+columns+` FROM outbox
		WHERE tenant_id = $1 AND id > $2 AND id < $3 AND +sequence IS NOT NULL ORDER BY id LIMIT $4`,
		r.Tenant(), after, clock.FirstID(until), limit)
}

// After returns a tenant's events after a sequence, for a stream that resumes.
func After(r *db.Reader, sequence int64, limit int) ([]Event, error) {
	return db.All(r, scanEvent, `SELECT `+columns+` FROM outbox
		WHERE tenant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, r.Tenant(), sequence, limit)
}

// Last returns the newest sequence of a tenant.
func Last(r *db.Reader) (int64, error) {
	return db.OneOr(r, 0, db.Scalar[int64], `SELECT value FROM tenant_sequence WHERE tenant_id = $1`, r.Tenant())
}

// Old reports whether a tenant has events that happened before a time.
func Old(r *db.Reader, before time.Time) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM outbox WHERE tenant_id = $1 AND id < $2 AND +sequence IS NOT NULL)`,
		r.Tenant(), clock.FirstID(before))
}

// Clean removes a batch of a tenant's events that happened before a time, and returns their
// number. Rows that refer to them must have been removed before.
func Clean(tx *db.Tx, before time.Time, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM outbox WHERE tenant_id = $1 AND id IN (
		SELECT id FROM outbox WHERE tenant_id = $1 AND id < $2 AND +sequence IS NOT NULL ORDER BY id LIMIT $3)`,
		tx.Tenant(), clock.FirstID(before), limit)
}
