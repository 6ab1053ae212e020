package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

const insert = `INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at) VALUES ($1, $2, $3, $3, '', $4)`

func add(tx *db.Tx, email string) error {
	return tx.Exec(insert, tx.Tenant(), tx.NewID(), email, clock.At(tx.Now()))
}

func emails(t *testing.T, h db.Handle) []string {
	t.Helper()
	var out []string
	err := h.Read(t.Context(), func(r *db.Reader) (err error) {
		out, err = db.All(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 ORDER BY email`, r.Tenant())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInTx(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		var committed bool
		err := h.InTx(t.Context(), func(tx *db.Tx) error {
			tx.AfterCommit(func() { committed = true })
			return add(tx, "kept@example.com")
		})
		if err != nil || !committed {
			t.Fatalf("err %v, after-commit ran %v", err, committed)
		}
		boom := errors.New("boom")
		err = h.InTx(t.Context(), func(tx *db.Tx) error {
			tx.AfterCommit(func() { t.Error("after-commit of a failed transaction ran") })
			if err := add(tx, "gone@example.com"); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			t.Fatalf("got %v", err)
		}
		if diff := cmp.Diff([]string{"kept@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
		err = h.InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "kept@example.com") })
		if !db.IsUnique(err) {
			t.Errorf("a duplicate gave %v", err)
		}
	})
}

// Statements and queries whose result is a single fact return just that.
func TestShortForms(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		const note = `UPDATE dlp_exception SET note = $3 WHERE tenant_id = $1 AND email = $2`
		changed, err := db.Write(t.Context(), h, func(tx *db.Tx) (out [2]bool, err error) {
			if err := tx.Exec(insert, tx.Tenant(), tx.NewID(), "a@example.com", clock.At(tx.Now())); err != nil {
				return out, err
			}
			if out[0], err = tx.ExecAny(note, tx.Tenant(), "a@example.com", "first"); err != nil {
				return out, err
			}
			out[1], err = tx.ExecAny(note, tx.Tenant(), "b@example.com", "second")
			return out, err
		})
		if want := [2]bool{true, false}; err != nil || changed != want {
			t.Errorf("changed %v, %v, want %v", changed, err, want)
		}
		notes, err := db.Read(t.Context(), h, func(r *db.Reader) (map[string]string, error) {
			return db.Map[string, string](r, `SELECT email, note FROM dlp_exception WHERE tenant_id = $1`, r.Tenant())
		})
		if diff := cmp.Diff(map[string]string{"a@example.com": "first"}, notes); diff != "" || err != nil {
			t.Error(diff, err)
		}
		for email, want := range map[string]string{"a@example.com": "first", "b@example.com": "none"} {
			got, err := db.Read(t.Context(), h, func(r *db.Reader) (string, error) {
				return db.OneOr(r, "none", db.Scalar[string], `SELECT note FROM dlp_exception WHERE tenant_id = $1 AND email = $2`, r.Tenant(), email)
			})
			if got != want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", email, got, err, want)
			}
		}
		boom := errors.New("boom")
		if _, err := db.Write(t.Context(), h, func(tx *db.Tx) (bool, error) {
			return true, errors.Join(boom, tx.Exec(insert, tx.Tenant(), tx.NewID(), "gone@example.com", clock.At(tx.Now())))
		}); !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff([]string{"a@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPanicReachesOnlyItsCaller(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		func() {
			defer func() {
				if recover() != "oops" {
					t.Error("the panic did not reach its caller")
				}
			}()
			_ = h.InTx(t.Context(), func(tx *db.Tx) error {
				if err := add(tx, "gone@example.com"); err != nil {
					return err
				}
				panic("oops")
			})
		}()
		if err := h.InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "kept@example.com") }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"kept@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
	})
}

// Many writers at once: each write is acknowledged only when it is readable, and a failing
// one does not affect the others.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		var wg sync.WaitGroup
		var kept atomic.Int64
		for i := range 16 {
			wg.Go(func() {
				for j := range 20 {
					err := h.InTx(t.Context(), func(tx *db.Tx) error {
						if err := add(tx, fmt.Sprintf("%d-%d@example.com", i, j)); err != nil {
							return err
						}
						if j%4 == 3 {
							return errors.New("changed my mind")
						}
						return nil
					})
					if err == nil {
						kept.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if got := len(emails(t, h)); got != 16*15 || kept.Load() != 16*15 {
			t.Errorf("%d rows, %d acknowledged, want %d", got, kept.Load(), 16*15)
		}
	})
}

// A caller that leaves while its transaction runs must neither roll back the others of its
// group nor get a wrong result for its own.
func TestCancelledCallerDoesNotAffectGroup(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		inside, release := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() { // the first of the group; the others queue up behind it
			if err := h.InTx(t.Context(), func(tx *db.Tx) error {
				close(inside)
				<-release
				return add(tx, "first@example.com")
			}); err != nil {
				t.Error(err)
			}
		})
		<-inside
		ctx, cancel := context.WithCancel(t.Context())
		started := make(chan struct{})
		wg.Go(func() {
			err := h.InTx(ctx, func(tx *db.Tx) error {
				if err := add(tx, "leaver@example.com"); err != nil {
					return err
				}
				cancel() // the caller goes away in the middle
				return tx.Exec(`UPDATE dlp_exception SET note = 'whole' WHERE tenant_id = $1 AND email = 'leaver@example.com'`, tx.Tenant())
			})
			if err != nil {
				t.Errorf("a transaction that had begun was cancelled: %v", err)
			}
		})
		wg.Go(func() {
			close(started)
			if err := h.InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "last@example.com") }); err != nil {
				t.Error(err)
			}
		})
		<-started
		close(release)
		wg.Wait()
		want := []string{"first@example.com", "last@example.com", "leaver@example.com"}
		if diff := cmp.Diff(want, emails(t, h)); diff != "" {
			t.Error(diff)
		}
		if err := h.InTx(ctx, func(*db.Tx) error { t.Error("ran for a caller who had left"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// A query that forgets its tenant is caught by PostgreSQL's row security; the test database
// has it on, with a role that cannot bypass it.
func TestRowSecurity(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.Postgres, clock.NewFake(dbtest.Start))
	a, b := dbtest.Tenant(t, d, "a"), dbtest.Tenant(t, d, "b")
	if err := d.Tenant(a).InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "a@example.com") }); err != nil {
		t.Fatal(err)
	}
	count := func(h db.Handle) (n int) {
		err := h.Read(t.Context(), func(r *db.Reader) (err error) {
			n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM dlp_exception`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(d.Tenant(b)); n != 0 {
		t.Errorf("tenant b sees %d rows of tenant a", n)
	}
	if n := count(d.Tenant(a)); n != 1 {
		t.Errorf("tenant a sees %d of its rows", n)
	}
	if n := count(d.System("test")); n != 1 {
		t.Errorf("the system sees %d rows", n)
	}
	err := d.Tenant(b).InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(insert, a, tx.NewID(), "forged@example.com", clock.At(tx.Now()))
	})
	if err == nil {
		t.Error("tenant b wrote a row of tenant a")
	}
	if err := d.Tenant(uuid.Nil).Read(t.Context(), func(*db.Reader) error { return nil }); err == nil {
		t.Error("a handle without a tenant could read")
	}
}

// A member of a group that fails after it wrote leaves nothing, the others are committed,
// and each caller gets the right result for its own.
func TestFailedTransactionDoesNotFailItsGroup(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		changedMind := errors.New("changed my mind")
		for _, fail := range []func() error{
			func() error { return changedMind },
			func() error { panic(changedMind) },
		} {
			var wg sync.WaitGroup
			inside, release := make(chan struct{}), make(chan struct{})
			var once sync.Once
			wg.Go(func() {
				if err := h.InTx(t.Context(), func(tx *db.Tx) error {
					once.Do(func() { close(inside); <-release }) // hold the group open while others queue up
					return add(tx, "first@example.com")
				}); err != nil {
					t.Error(err)
				}
			})
			<-inside
			for i := range 8 {
				queued := make(chan struct{})
				wg.Go(func() {
					defer func() {
						if p := recover(); p != nil && p != any(changedMind) {
							t.Errorf("panicked with %v", p)
						}
					}()
					close(queued)
					err := h.InTx(t.Context(), func(tx *db.Tx) error {
						if err := add(tx, fmt.Sprintf("%d@example.com", i)); err != nil || i%3 != 1 {
							return err
						}
						return fail()
					})
					if i%3 == 1 && !errors.Is(err, changedMind) || i%3 != 1 && err != nil {
						t.Errorf("%d: got %v", i, err)
					}
				})
				<-queued
			}
			close(release)
			wg.Wait()
			want := []string{"0@example.com", "2@example.com", "3@example.com", "5@example.com", "6@example.com", "first@example.com"}
			if diff := cmp.Diff(want, emails(t, h)); diff != "" {
				t.Error(diff)
			}
			if err := h.InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`DELETE FROM dlp_exception WHERE tenant_id = $1`, tx.Tenant())
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A deferred statement runs before the next query, and with the commit at the latest; its
// failure fails the transaction.
func TestExecDeferred(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		later := func(tx *db.Tx, email string) error {
			return tx.ExecDeferred(`INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at)
				VALUES ($1, $2, $3, $3, '', 0)`, tx.Tenant(), tx.NewID(), email)
		}
		err := h.InTx(t.Context(), func(tx *db.Tx) error {
			if err := later(tx, "a@example.com"); err != nil {
				return err
			}
			n, err := db.One(&tx.Reader, db.Scalar[int64], `SELECT count(*) FROM dlp_exception WHERE tenant_id = $1`, tx.Tenant())
			if err != nil || n != 1 {
				t.Errorf("saw %d rows, %v", n, err)
			}
			return later(tx, "b@example.com")
		})
		if err != nil {
			t.Fatal(err)
		}
		err = h.InTx(t.Context(), func(tx *db.Tx) error {
			return errors.Join(later(tx, "c@example.com"), later(tx, "a@example.com"))
		})
		if !db.IsUnique(err) {
			t.Errorf("a duplicate gave %v", err)
		}
		if diff := cmp.Diff([]string{"a@example.com", "b@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
	})
}
