package wallet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// ledger is a wallet with credit, without a bank.
type ledger struct {
	t      *testing.T
	s      *wallet.Service
	db     *db.DB
	tenant uuid.UUID
}

func newLedger(t *testing.T, d *db.DB, credit int64) *ledger {
	t.Helper()
	box, err := secret.NewBox(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := wallet.New(wallet.Config{DB: d, Box: box, Log: slog.New(slog.DiscardHandler), Currency: "TRY", BaseURL: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{t, s, d, dbtest.Tenant(t, d, "demo")}
	if err := l.adjust(credit); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *ledger) inTx(fn func(*db.Tx) error) error {
	return l.db.Tenant(l.tenant).InTx(context.Background(), fn)
}

func (l *ledger) adjust(amount int64) error {
	return l.s.Adjust(context.Background(), l.tenant, amount, "test")
}

// check checks the balances against the postings and returns them.
func (l *ledger) check() (available, held int64) {
	l.t.Helper()
	err := l.db.Tenant(l.tenant).Read(context.Background(), func(r *db.Reader) error {
		uneven, err := db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM (SELECT 1 FROM wallet_posting WHERE tenant_id = $1
			GROUP BY entry_id HAVING SUM(amount) <> 0) uneven`, l.tenant)
		if err != nil {
			return err
		}
		if uneven != 0 {
			l.t.Errorf("the postings of %d entries do not sum to zero", uneven)
		}
		sum := func(account string) int64 {
			n, err := db.One(r, db.Scalar[int64], `SELECT CAST(COALESCE(SUM(amount), 0) AS bigint) FROM wallet_posting WHERE tenant_id = $1 AND account = $2`, l.tenant, account)
			if err != nil {
				l.t.Fatal(err)
			}
			return n
		}
		type balances struct{ available, held int64 }
		b, err := db.One(r, func(row db.Row) (b balances, err error) {
			err = row.Scan(&b.available, &b.held)
			return b, err
		}, `SELECT available, held FROM wallet WHERE tenant_id = $1`, l.tenant)
		if err != nil {
			return err
		}
		available, held = b.available, b.held
		if available != sum("available") || held != sum("held") || available < 0 || held < 0 {
			l.t.Errorf("available %d and held %d, by the postings %d and %d", available, held, sum("available"), sum("held"))
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return available, held
}

// Whatever is set aside, spent, released and paid in, in any order and any number of times,
// the ledger balances and nothing is below zero.
func TestLedgerStaysBalanced(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		random := rand.New(rand.NewPCG(19, 1))
		l := newLedger(t, d, 100)
		available, open, closed := int64(100), map[uuid.UUID]int64{}, []uuid.UUID{}
		pick := func() (uuid.UUID, bool) { // an open one, one that was closed, or none
			if len(closed) > 0 && random.IntN(4) == 0 {
				return closed[random.IntN(len(closed))], false
			}
			for id := range open {
				return id, true
			}
			return uuid.New(), false
		}
		for step := range 300 {
			switch random.IntN(4) {
			case 0:
				n := 1 + random.Int64N(40)
				if err := l.adjust(n); err != nil {
					t.Fatal(err)
				}
				available += n
			case 1:
				id, n := uuid.New(), 1+random.Int64N(80)
				err := l.inTx(func(tx *db.Tx) error { return l.s.Hold(tx, id, wallet.PurposeNumbers, n) })
				if n > available {
					if !fault.Is(err, fault.NoCredit) {
						t.Fatalf("step %d: %d of %d could be set aside: %v", step, n, available, err)
					}
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				available -= n
				open[id] = n
			case 2:
				id, is := pick()
				n := random.Int64N(90)
				err := l.inTx(func(tx *db.Tx) error { return l.s.Settle(tx, id, n) })
				if is && n <= open[id] {
					if err != nil {
						t.Fatal(err)
					}
					available += open[id] - n
					delete(open, id)
					closed = append(closed, id)
				} else if err == nil {
					t.Fatalf("step %d: %d of %d was spent", step, n, open[id])
				}
			case 3:
				id, is := pick()
				err := l.inTx(func(tx *db.Tx) error { return l.s.Release(tx, id) })
				if is != (err == nil) {
					t.Fatalf("step %d: release of what is open=%v: %v", step, is, err)
				}
				if is {
					available += open[id]
					delete(open, id)
					closed = append(closed, id)
				}
			}
			held := int64(0)
			for _, n := range open {
				held += n
			}
			if a, h := l.check(); a != available || h != held {
				t.Fatalf("step %d: available %d and held %d, want %d and %d", step, a, h, available, held)
			}
		}
	})
}

// The operator gives and takes credit, but takes no more than there is.
func TestOperatorAdjustsCredit(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t, d, 100)
		if err := l.adjust(-101); !fault.Is(err, fault.NoCredit) {
			t.Errorf("more was taken than there is: %v", err)
		}
		if a, _ := l.check(); a != 100 {
			t.Errorf("available %d after a refusal", a)
		}
		if err := l.adjust(-30); err != nil {
			t.Fatal(err)
		}
		if a, _ := l.check(); a != 70 {
			t.Errorf("available %d", a)
		}
		n, err := db.Read(t.Context(), d.Tenant(l.tenant), func(r *db.Reader) (int64, error) {
			return db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM audit_log WHERE tenant_id = $1 AND action = 'wallet.adjusted'`, l.tenant)
		})
		if err != nil || n != 2 {
			t.Errorf("%d lines in the audit log, %v", n, err)
		}
	})
}

// Many concurrent holds cannot set aside more than there is.
func TestConcurrentHoldsCannotExceedCredit(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t, d, 100)
		var wg sync.WaitGroup
		errs := make([]error, 10)
		for i := range errs {
			wg.Go(func() {
				errs[i] = l.inTx(func(tx *db.Tx) error { return l.s.Hold(tx, tx.NewID(), wallet.PurposeNumbers, 30) })
			})
		}
		wg.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else if !fault.Is(err, fault.NoCredit) {
				t.Error(err)
			}
		}
		if a, h := l.check(); done != 3 || a != 10 || h != 90 {
			t.Errorf("%d holds, available %d, held %d", done, a, h)
		}
	})
}

// The workspace is notified once when its credit falls below the threshold.
func TestLowCreditIsAnnounced(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t, d, 60*wallet.Micro)
		for _, want := range []int64{0, 1, 1} {
			if err := l.inTx(func(tx *db.Tx) error { return l.s.Hold(tx, tx.NewID(), wallet.PurposeNumbers, 8*wallet.Micro) }); err != nil {
				t.Fatal(err)
			}
			n, err := db.Read(t.Context(), d.Tenant(l.tenant), func(r *db.Reader) (int64, error) {
				return db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM outbox WHERE tenant_id = $1 AND type = $2`, l.tenant, wallet.Low)
			})
			if err != nil || n != want {
				t.Errorf("announced %d times, want %d (%v)", n, want, err)
			}
		}
	})
}

// It is also notified when the operator takes credit.
func TestLowCreditIsAnnouncedWhenOperatorTakesCredit(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		l := newLedger(t, d, 60*wallet.Micro)
		for i, amount := range []int64{-5 * wallet.Micro, -15 * wallet.Micro, -wallet.Micro, 2 * wallet.Micro} {
			if err := l.s.Adjust(t.Context(), l.tenant, amount, "test"); err != nil {
				t.Fatal(err)
			}
			n, err := db.Read(t.Context(), d.Tenant(l.tenant), func(r *db.Reader) (int64, error) {
				return db.One(r, db.Scalar[int64], `SELECT COUNT(*) FROM outbox WHERE tenant_id = $1 AND type = $2`, l.tenant, wallet.Low)
			})
			if want := min(int64(i), 1); err != nil || n != want {
				t.Errorf("announced %d times after %d, want %d (%v)", n, i+1, want, err)
			}
		}
	})
}

// However a card is printed or encoded, its number is not shown.
func TestCardNumberIsMasked(t *testing.T) {
	t.Parallel()
	c := wallet.Card{Holder: "Elif", Number: "5528790000000008", CVC: "123"}
	text, err := json.Marshal(map[string]any{"a": c, "b": &c})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		if got := fmt.Sprintf(verb, c) + fmt.Sprintf(verb, &c); got != "******" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
	if string(text) != `{"a":"***","b":"***"}` || c.LogValue().String() != "***" {
		t.Errorf("encoded as %s", text)
	}
}
