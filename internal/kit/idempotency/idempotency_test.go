package idempotency_test

import (
	"context"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// A repeat waits for the first no longer than its request has left, and is told
// to come again.
func TestWaitEndsWithTheRequest(t *testing.T) {
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
