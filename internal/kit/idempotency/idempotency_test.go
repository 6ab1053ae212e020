package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// A repeat waits for the first no longer than its own request has left, and is told to come
// again.
func TestWaitEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.Postgres, clock.NewFake(dbtest.Start))
	h := d.Tenant(dbtest.Tenant(t, d, "a"))
	key := func(ctx context.Context) context.Context {
		return idempotency.With(ctx, &idempotency.Key{Name: "k", Request: []byte("r"), IsAnswer: func(any) bool { return true }})
	}
	out := 0
	err := idempotency.Do(key(t.Context()), h, &out, func(*db.Tx) error {
		repeat := make(chan error)
		go func() {
			ctx, cancel := context.WithTimeout(key(t.Context()), 200*time.Millisecond)
			defer cancel()
			none := 0
			repeat <- idempotency.Do(ctx, h, &none, func(*db.Tx) error { t.Error("the work was done twice"); return nil })
		}()
		if f, ok := fault.As(<-repeat); !ok || f.Code != fault.Unavailable || f.RetryAfter == 0 {
			t.Errorf("a repeat that waited for too long gave %v", f)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A request has only one transaction under its key: a repeat would carry out a second one
// again, or not at all. The second one is refused, and its work is not done.
func TestTwoTransactionsUnderOneKey(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		ctx := idempotency.With(t.Context(), &idempotency.Key{Name: "k", Request: []byte("r"), IsAnswer: func(any) bool { return true }})
		out, done := 0, 0
		work := func(*db.Tx) error {
			done++
			return nil
		}
		if err := idempotency.Do(ctx, h, &out, work); err != nil {
			t.Fatal(err)
		}
		err := idempotency.Do(ctx, h, &out, work)
		if _, repeat := errors.AsType[*idempotency.Repeat](err); err == nil || repeat || done != 1 {
			t.Errorf("the work was done %d times, the second gave %v", done, err)
		}
	})
}

// A key with another request is refused, whichever checks first: Find before the work, or
// the transaction of the work. Neither does the work.
func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		key := func(request string) *idempotency.Key {
			return &idempotency.Key{Name: "k", Request: []byte(request), IsAnswer: func(any) bool { return true }}
		}
		out := 1
		if err := idempotency.Do(idempotency.With(t.Context(), key("first")), h, &out, func(*db.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := key("second").Find(t.Context(), h); !fault.Is(err, fault.IdempotencyMismatch) {
			t.Errorf("the look gave %v", err)
		}
		none := 0
		err := idempotency.Do(idempotency.With(t.Context(), key("second")), h, &none, func(*db.Tx) error {
			t.Error("the work was done")
			return nil
		})
		if !fault.Is(err, fault.IdempotencyMismatch) {
			t.Errorf("the transaction gave %v", err)
		}
	})
}
