package db_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A transaction inside a transaction is refused at once, whichever context it gets, and so
// is a separate read. Code that runs after the commit may do both.
func TestNestedTransactionIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		nothing := func(*db.Tx) error { return nil }
		refuse := func(what string, err error) {
			if !errors.Is(err, db.ErrNested) {
				t.Errorf("%s gave %v", what, err)
			}
		}
		err := h.InTx(t.Context(), func(tx *db.Tx) error {
			refuse("InTx", h.InTx(t.Context(), nothing))
			refuse("InTx with the transaction's context", h.InTx(tx.Context(), nothing))
			refuse("InTx of the system", d.System("test").InTx(context.Background(), nothing))
			refuse("Read", h.Read(t.Context(), func(*db.Reader) error { return nil }))
			tx.AfterCommit(func() {
				if err := h.InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "after@example.com") }); err != nil {
					t.Error(err)
				}
			})
			return add(tx, "outer@example.com")
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"after@example.com", "outer@example.com"}, emails(t, h)); diff != "" {
			t.Error(diff)
		}
	})
}

// A function that ignores the failure of a statement gets the real result of its
// transaction: PostgreSQL has rolled it back, SQLite has kept it.
func TestInTxReturnsRealOutcome(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		for _, last := range []func(tx *db.Tx) error{
			func(*db.Tx) error { return nil },
			func(tx *db.Tx) error {
				return tx.ExecDeferred(`UPDATE dlp_exception SET note = '' WHERE tenant_id = $1`, tx.Tenant())
			},
		} {
			err := h.InTx(t.Context(), func(tx *db.Tx) error {
				if err := add(tx, "a@example.com"); err != nil {
					return err
				}
				if add(tx, "a@example.com") == nil {
					t.Error("a duplicate was taken")
				}
				return last(tx)
			})
			if kept := len(emails(t, h)) == 1; kept != (err == nil) {
				t.Errorf("the row is there: %v, and the transaction gave %v", kept, err)
			}
			if err := h.InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`DELETE FROM dlp_exception WHERE tenant_id = $1`, tx.Tenant())
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// records passes on what is logged.
type records chan slog.Record

func (records) Enabled(context.Context, slog.Level) bool { return true }

func (c records) Handle(_ context.Context, r slog.Record) error { c <- r; return nil }

func (c records) WithAttrs([]slog.Attr) slog.Handler { return c }

func (c records) WithGroup(string) slog.Handler { return c }

// A transaction that exceeds its time limit is logged with its stack while it is still
// running.
func TestStuckTransactionIsLogged(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			logged := make(records, 8)
			d, err := db.Open(t.Context(), db.Options{URL: dbtest.URL(t, dialect), Log: slog.New(logged), RowSecurity: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			h := d.Tenant(dbtest.Tenant(t, d, "a"))
			d.SetCap(10 * time.Millisecond)
			stuckHere := func() {
				select {
				case r := <-logged:
					var stacks string
					r.Attrs(func(a slog.Attr) bool {
						if a.Key == "stacks" {
							stacks = a.Value.String()
						}
						return true
					})
					if !strings.Contains(stacks, "TestStuckTransactionIsLogged") {
						t.Errorf("the stack is not in %q: %s", r.Message, stacks)
					}
				case <-time.After(time.Minute):
					t.Error("nothing was logged")
				}
			}
			_ = h.InTx(t.Context(), func(*db.Tx) error { stuckHere(); return nil })
		})
	}
}
