package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/bus"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/event"
)

type object struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// emit emits events for objects in one transaction.
func emit(t *testing.T, ctx context.Context, d *db.DB, tenant uuid.UUID, ids ...string) {
	t.Helper()
	err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		for _, id := range ids {
			if _, err := event.Emit(tx, event.Change{Type: "test.made", Object: object{ID: id}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// log returns a tenant's dispatched events as "sequence id".
func log(t *testing.T, d *db.DB, tenant uuid.UUID) []string {
	t.Helper()
	out := []string{}
	err := d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
		events, err := event.After(r, 0, 10_000)
		for _, e := range events {
			out = append(out, fmt.Sprint(e.Sequence, " ", objectID(t, e.Body())))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func objectID(t *testing.T, body []byte) string {
	t.Helper()
	var b struct{ Data struct{ Object object } }
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return b.Data.Object.ID
}

// recorder is a subscriber that records events, and fails on demand.
type recorder struct {
	mu   sync.Mutex
	seen []string
	fail error
}

// Dispatch implements event.Subscriber.
func (r *recorder) Dispatch(_ *db.Tx, events []event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	for _, e := range events {
		r.seen = append(r.seen, e.ID.String())
	}
	return nil
}

func step(t *testing.T, d *event.Dispatcher) int {
	t.Helper()
	n, err := d.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNumbersRunPerTenant(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		a, b := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
		hub, sub := bus.NewHub(), &recorder{}
		live := hub.Subscribe(a)
		defer live.Close()
		dispatcher := &event.Dispatcher{DB: d, Bus: hub, Subscribers: []event.Subscriber{sub}}

		emit(t, t.Context(), d, a, "a1")
		emit(t, t.Context(), d, b, "b1", "b2")
		emit(t, t.Context(), d, a, "a2", "a3")
		if n := step(t, dispatcher); n != 5 {
			t.Errorf("moved %d", n)
		}
		if n := step(t, dispatcher); n != 0 {
			t.Errorf("moved %d again", n)
		}
		emit(t, t.Context(), d, a, "a4")
		step(t, dispatcher)
		if diff := cmp.Diff([]string{"1 a1", "2 a2", "3 a3", "4 a4"}, log(t, d, a)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"1 b1", "2 b2"}, log(t, d, b)); diff != "" {
			t.Error(diff)
		}
		if len(sub.seen) != 6 {
			t.Errorf("the subscriber saw %d events", len(sub.seen))
		}
		for i := range 4 {
			if m := <-live.C; m.Sequence != int64(i+1) || objectID(t, m.Body) != fmt.Sprint("a", i+1) {
				t.Errorf("live: %d %s", m.Sequence, m.Body)
			}
		}
	})
}

// If a subscriber fails, no event is dispatched and no number is lost.
func TestFailedDispatchIsRolledBack(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant, hub := dbtest.Tenant(t, d, "a"), bus.NewHub()
		live := hub.Subscribe(tenant)
		defer live.Close()
		sub := &recorder{fail: errors.New("not today")}
		dispatcher := &event.Dispatcher{DB: d, Bus: hub, Subscribers: []event.Subscriber{sub}}
		emit(t, t.Context(), d, tenant, "x", "y")
		if _, err := dispatcher.Step(t.Context()); !errors.Is(err, sub.fail) {
			t.Fatalf("got %v", err)
		}
		select {
		case m := <-live.C:
			t.Errorf("published although it was taken back: %s", m.Body)
		default:
		}
		sub.fail = nil
		step(t, dispatcher)
		if diff := cmp.Diff([]string{"1 x", "2 y"}, log(t, d, tenant)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEventsAreRolledBackWithTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant, change := dbtest.Tenant(t, d, "a"), errors.New("changed my mind")
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := event.Emit(tx, event.Change{Type: "test.made", Object: object{ID: "x"}}); err != nil {
				return err
			}
			return change
		})
		if !errors.Is(err, change) {
			t.Fatal(err)
		}
		if n := step(t, &event.Dispatcher{DB: d, Bus: bus.NewHub()}); n != 0 {
			t.Errorf("%d events of a transaction that was taken back", n)
		}
	})
}

// Two nodes dispatch while several write: every event has one number, and the
// numbers have no gap.
func TestConcurrentDispatchersLeaveNoGaps(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		const writers, each = 4, 50
		tenants := []uuid.UUID{dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")}
		sub := &recorder{}
		written := make(chan struct{})
		var nodes, pens sync.WaitGroup
		for range 2 {
			node := &event.Dispatcher{DB: d, Bus: bus.NewHub(), Subscribers: []event.Subscriber{sub}}
			nodes.Go(func() {
				for open := true; open; {
					select {
					case <-written:
						open = false
					default:
					}
					if _, err := node.Step(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for w := range writers {
			pens.Go(func() {
				for i := range each {
					emit(t, t.Context(), d, tenants[i%2], fmt.Sprint(w, "-", i))
				}
			})
		}
		pens.Wait()
		close(written)
		nodes.Wait()
		step(t, &event.Dispatcher{DB: d, Bus: bus.NewHub(), Subscribers: []event.Subscriber{sub}})
		for _, tenant := range tenants {
			lines := log(t, d, tenant)
			if len(lines) != writers*each/2 {
				t.Errorf("%d events", len(lines))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, fmt.Sprint(i+1, " ")) {
					t.Fatalf("line %d is %q", i+1, line)
				}
			}
		}
		once := map[string]bool{}
		for _, id := range sub.seen {
			once[id] = true
		}
		if len(once) != writers*each || len(sub.seen) != writers*each {
			t.Errorf("%d events were handed on %d times", len(once), len(sub.seen))
		}
	})
}

// The exact bytes of a body are a promise: receivers verify a signature over them.
func TestBodyBytesAreExact(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "demo")
		member := uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c")
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.Agent, TenantID: tenant, Slug: "demo", ID: member})
		var id uuid.UUID
		err := d.Tenant(tenant).InTx(ctx, func(tx *db.Tx) (err error) {
			id, err = event.Emit(tx, event.Change{
				Type: "test.changed", Object: object{ID: "x", Text: `Çağrı "1" <a&b>`},
				Item: map[string]int{"n": 1}, Previous: map[string]string{"text": ""},
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		step(t, &event.Dispatcher{DB: d, Bus: bus.NewHub()})
		want := `{"sequence":1,"id":"evt_` + id.String() + `","type":"test.changed",` +
			`"occurred_at":"2026-11-15T09:00:00.000000Z","api_version":"1","truncated":false,"emitted":false,` +
			`"tenant":{"id":"` + tenant.String() + `","slug":"demo"},` +
			`"actor":{"type":"agent","id":"` + member.String() + `"},` +
			`"data":{"object":{"id":"x","text":"Çağrı \"1\" \u003ca\u0026b\u003e"},"item":{"n":1},"previous":{"text":""}}}`
		err = d.System("test").Read(t.Context(), func(r *db.Reader) error {
			events, err := event.Load(r, tenant, []uuid.UUID{id, uuid.New()})
			if e := events[id]; len(events) != 1 || string(e.Body()) != want {
				t.Errorf("got  %s\nwant %s", e.Body(), want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A body over the limit keeps its shape but only names its object; one at the limit is
// complete. Without a caller the actor is the system, and the slug is looked up.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "demo")
		for _, tc := range []struct {
			size      int
			truncated bool
		}{{event.MaxBody - 1000, false}, {event.MaxBody, true}, {4 * event.MaxBody, true}} {
			err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
				_, err := event.Emit(tx, event.Change{
					Type: "test.made", Object: object{ID: "big", Text: strings.Repeat("x", tc.size)}, Item: "item",
				})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			step(t, &event.Dispatcher{DB: d, Bus: bus.NewHub()})
			var body []byte
			err = d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
				last, err := event.Last(r)
				if err != nil {
					return err
				}
				events, err := event.After(r, last-1, 1)
				if len(events) == 1 {
					body = events[0].Body()
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			var b struct {
				Truncated bool
				Tenant    struct{ Slug string }
				Actor     event.Actor
				Data      struct{ Object, Item json.RawMessage }
			}
			if err := json.Unmarshal(body, &b); err != nil {
				t.Fatal(err)
			}
			if b.Truncated != tc.truncated || b.Tenant.Slug != "demo" || b.Actor.Type != caller.System || b.Actor.ID != nil {
				t.Errorf("%d bytes: %.200s", tc.size, body)
			}
			if tc.truncated && (string(b.Data.Object) != `{"id":"big"}` || string(b.Data.Item) != "null" || len(body) > 1000) {
				t.Errorf("%d bytes: %.200s", tc.size, body)
			}
		}
	})
}

func TestCatalogFinds(t *testing.T) {
	t.Parallel()
	c := event.Catalog{{Name: "a.b", Module: "crm"}}
	if e, ok := c.Find("a.b"); !ok || e.Module != "crm" {
		t.Errorf("got %+v, %v", e, ok)
	}
	if e, ok := c.Find("a"); ok || e.Name != "" {
		t.Errorf("got %+v", e)
	}
}

// A tenant with very many waiting events delays nobody: once a batch was not enough, every
// waiting tenant gets a part of the next, whoever came first, and nothing is left out.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		noisy := dbtest.Tenant(t, d, "noisy")
		for range 4 {
			ids := make([]string, 500)
			for i := range ids {
				ids[i] = fmt.Sprint(i)
			}
			emit(t, t.Context(), d, noisy, ids...)
		}
		quiet := make([]uuid.UUID, 140) // more than have a turn in one batch
		for i := range quiet {
			quiet[i] = dbtest.Tenant(t, d, fmt.Sprintf("quiet%d", i))
			emit(t, t.Context(), d, quiet[i], "one")
		}
		dispatcher := &event.Dispatcher{DB: d, Bus: bus.NewHub()}
		moved := step(t, dispatcher) + step(t, dispatcher) + step(t, dispatcher) // all, and two rounds of turns
		for i, id := range quiet {
			if got := log(t, d, id); len(got) != 1 {
				t.Fatalf("tenant %d of %d waits behind the noisy one: %v", i, len(quiet), got)
			}
		}
		for n := -1; n != 0; moved += n {
			n = step(t, dispatcher)
		}
		if want := 2000 + len(quiet); moved != want {
			t.Errorf("moved %d of %d", moved, want)
		}
		got := log(t, d, noisy)
		if len(got) != 2000 || got[0] != "1 0" || got[1999] != "2000 499" {
			t.Errorf("%d events, from %q", len(got), got[:1])
		}
	})
}

// meanwhile is a subscriber that runs a function during a step.
type meanwhile func()

// Dispatch implements event.Subscriber.
func (m meanwhile) Dispatch(*db.Tx, []event.Event) error { m(); return nil }

// A node that finds another one dispatching keeps its turn: two nodes that meet again and
// again do not fall back to serving the same tenant first.
func TestTenantTurnsAcrossNodes(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.Postgres, clock.NewFake(dbtest.Start))
	noisy, quiet := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
	if noisy.String() > quiet.String() {
		noisy, quiet = quiet, noisy
	}
	ids := make([]string, 500)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	for range 6 {
		emit(t, t.Context(), d, noisy, ids...)
	}
	emit(t, t.Context(), d, quiet, "one")
	nodes := []*event.Dispatcher{{DB: d, Bus: bus.NewHub()}, {DB: d, Bus: bus.NewHub()}}
	for i := range 4 {
		here, there := nodes[i%2], nodes[1-i%2]
		here.Subscribers = []event.Subscriber{meanwhile(func() {
			var other sync.WaitGroup
			other.Go(func() {
				if n, err := there.Step(t.Context()); n != 0 || err != nil {
					t.Errorf("the other node moved %d: %v", n, err)
				}
			})
			other.Wait()
		})}
		step(t, here)
		here.Subscribers = nil
	}
	if got := log(t, d, quiet); len(got) != 1 {
		t.Errorf("after four batches the quiet tenant still waits: %v", got)
	}
}
