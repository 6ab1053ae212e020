package db_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// put asks nothing, so that PostgreSQL commits it together with others.
func put(tx *db.Tx, email string, taken error) error {
	return tx.Must(taken, insert+` ON CONFLICT DO NOTHING`, tx.Tenant(), tx.NewID(), email, clock.At(tx.Now()))
}

var errTaken = errors.New("taken")

// A statement that must touch a row and does not fails its transaction with
// the reason that was given, whatever came before and after it.
func TestMust(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		if err := h.InTx(t.Context(), func(tx *db.Tx) error { return put(tx, "kept@example.com", errTaken) }); err != nil {
			t.Fatal(err)
		}
		for name, ask := range map[string]bool{"asks nothing": false, "asks": true} {
			err := h.InTx(t.Context(), func(tx *db.Tx) error {
				if err := put(tx, "before@example.com", nil); err != nil {
					return err
				}
				if err := put(tx, "kept@example.com", errTaken); err != nil {
					return err
				}
				if ask {
					if _, err := db.One(&tx.Reader, db.Scalar[int], `SELECT 1`); err != nil {
						return err
					}
				}
				return put(tx, "after@example.com", nil)
			})
			if !errors.Is(err, errTaken) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if diff := cmp.Diff([]string{"kept@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
	})
}

// A statement that must touch so many rows fails its transaction where it
// touches fewer, also where that is committed by itself.
func TestMustAll(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		if err := h.InTx(t.Context(), func(tx *db.Tx) error {
			return errors.Join(put(tx, "one@example.com", nil), put(tx, "two@example.com", nil))
		}); err != nil {
			t.Fatal(err)
		}
		for rows, want := range map[int]error{1: errTaken, 2: nil, 3: errTaken} {
			err := h.InTx(t.Context(), func(tx *db.Tx) error {
				tx.Promptly()
				return tx.MustAll(rows, errTaken, `UPDATE dlp_exception SET note = note || $2 WHERE tenant_id = $1`, tx.Tenant(), "x")
			})
			if !errors.Is(err, want) {
				t.Errorf("%d rows: got %v", rows, err)
			}
		}
		notes, err := db.Read(t.Context(), h, func(r *db.Reader) ([]string, error) {
			return db.All(r, db.Scalar[string], `SELECT note FROM dlp_exception WHERE tenant_id = $1`, r.Tenant())
		})
		if diff := cmp.Diff([]string{"x", "x"}, notes); err != nil || diff != "" {
			t.Error(err, diff)
		}
	})
}

// Transactions that are committed together fail each for itself, with their
// own reason.
func TestTogether(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		var wg sync.WaitGroup
		var mu sync.Mutex
		outcomes := map[string]int{}
		for i := range 12 {
			wg.Go(func() {
				for j := range 20 {
					err := h.InTx(t.Context(), func(tx *db.Tx) error {
						switch j % 4 {
						case 1: // somebody has had this one, or will
							return put(tx, fmt.Sprintf("shared-%d@example.com", j), errTaken)
						case 2: // refused by a rule of the table
							if err := put(tx, fmt.Sprintf("half-%d-%d@example.com", i, j), nil); err != nil {
								return err
							}
							return tx.Later(insert, tx.Tenant(), tx.NewID(), nil, clock.At(tx.Now()))
						}
						return put(tx, fmt.Sprintf("%d-%d@example.com", i, j), errTaken)
					})
					outcome := "failed"
					switch {
					case err == nil:
						outcome = "kept"
					case errors.Is(err, errTaken):
						outcome = "taken"
					}
					mu.Lock()
					outcomes[outcome]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		want := map[string]int{"kept": 12*10 + 5, "taken": 11 * 5, "failed": 12 * 5}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Error(diff)
		}
		if n := len(emails(t, h)); n != want["kept"] {
			t.Errorf("%d rows, %d acknowledged", n, want["kept"])
		}
	})
}

// A transaction that waits for a row goes alone, so that nobody waits with it.
func TestWaitingForARowHoldsUpNobody(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.Postgres, clock.NewFake(dbtest.Start))
	h := d.Tenant(dbtest.Tenant(t, d, "a"))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(h.InTx(t.Context(), func(tx *db.Tx) error { return put(tx, "row@example.com", errTaken) }))
	note := func(tx *db.Tx, text string) error {
		return tx.Must(errTaken, `UPDATE dlp_exception SET note = note || $3 WHERE tenant_id = $1 AND email = $2`,
			tx.Tenant(), "row@example.com", text)
	}
	var wg sync.WaitGroup
	must(h.InTx(t.Context(), func(tx *db.Tx) error {
		if err := note(tx, "holder"); err != nil {
			return err
		}
		if _, err := db.One(&tx.Reader, db.Scalar[int], `SELECT 1`); err != nil { // it has the row now
			return err
		}
		for range 4 { // more than there are lanes
			wg.Go(func() { must(h.InTx(t.Context(), func(tx *db.Tx) error { return note(tx, "+") })) })
		}
		for i := range 20 {
			done := make(chan error)
			go func() {
				done <- h.InTx(t.Context(), func(tx *db.Tx) error {
					return put(tx, fmt.Sprintf("%d@example.com", i), errTaken)
				})
			}()
			if err := <-done; err != nil {
				return err
			}
		}
		return nil
	}))
	wg.Wait()
	got, err := db.Read(t.Context(), h, func(r *db.Reader) (string, error) {
		return db.One(r, db.Scalar[string], `SELECT note FROM dlp_exception WHERE tenant_id = $1 AND email = 'row@example.com'`, r.Tenant())
	})
	if must(err); got != "holder++++" {
		t.Errorf("the row says %q", got)
	}
}
