package lease_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"konak/internal/exchange/lease"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// Only one exchange has the lease. Another gets it once it has expired or was released.
func TestOneExchangeHoldsTheLease(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, c *clock.Fake) {
		first, second := uuid.New(), uuid.New()
		take := func(holder uuid.UUID, want error) {
			t.Helper()
			if err := lease.Take(t.Context(), d, holder); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		take(first, nil)
		take(second, lease.ErrHeld)
		c.Advance(lease.Renew)
		take(first, nil) // renewed, also after a crash
		c.Advance(lease.Life)
		take(second, lease.ErrHeld) // until the very end
		c.Advance(1)
		c.Advance(lease.Renew)
		take(second, nil)
		take(first, lease.ErrHeld)
		if err := lease.Release(t.Context(), d, first); err != nil { // not the holder's
			t.Fatal(err)
		}
		take(first, lease.ErrHeld)
		if err := lease.Release(t.Context(), d, second); err != nil {
			t.Fatal(err)
		}
		take(first, nil)
	})
}
