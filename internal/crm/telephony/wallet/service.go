package wallet

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// licence is the module that a workspace must have licensed.
const licence = "telephony"

// Config is the configuration of a Service.
type Config struct {
	DB  *db.DB
	Box *secret.Box
	Log *slog.Logger
	// Bank takes card payments; nil if none is configured.
	Bank Bank
	// Currency is the currency of every wallet.
	Currency string
	// BaseURL is the installation's public address, to which a bank sends the
	// browser back.
	BaseURL string
}

// Service manages the wallets.
type Service struct {
	Config
	intentKey []byte
}

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Box == nil || c.Log == nil || c.Currency == "" || c.BaseURL == "" {
		return nil, errors.New("wallet: the database, the box, the log, the currency and the address are needed")
	}
	return &Service{Config: c, intentKey: c.Box.Derive("wallet top-up")}, nil
}

// Wallet reads a workspace's wallet.
func (s *Service) Wallet(ctx context.Context, tenant uuid.UUID) (w Wallet, err error) {
	err = s.DB.Tenant(tenant).Read(ctx, func(r *db.Reader) error {
		w, err = findWallet(r)
		if db.IsNoRow(err) {
			w, err = Wallet{ID: r.Tenant(), Currency: s.Currency, LowThreshold: lowThreshold}, nil
		}
		if err != nil {
			return err
		}
		_, err = findBuyer(r)
		w.HasBuyer, err = db.Found(err)
		return err
	})
	return w, err
}

// ErrNotHeld means that nothing is set aside for an id, or no longer.
var ErrNotHeld = errors.New("wallet: no amount is set aside for this")

// Hold sets an amount aside for ref. It returns no_credit and changes nothing if less is
// available.
func (s *Service) Hold(tx *db.Tx, ref uuid.UUID, purpose string, amount int64) error {
	return s.hold(tx, ref, purpose, amount, nil)
}

// HoldForCall sets an amount aside for a part of a call, as Hold does.
func (s *Service) HoldForCall(tx *db.Tx, ref, call uuid.UUID, amount int64) error {
	return s.hold(tx, ref, PurposeCalls, amount, &call)
}

func (s *Service) hold(tx *db.Tx, ref uuid.UUID, purpose string, amount int64, call *uuid.UUID) error {
	if amount <= 0 {
		return fmt.Errorf("wallet: %d cannot be set aside", amount)
	}
	w, err := changeWallet(tx, -amount, amount)
	if db.IsNoRow(err) {
		return fault.New(fault.NoCredit)
	}
	if err != nil {
		return err
	}
	fresh, err := putReservation(tx, ref, purpose, amount, call)
	if err == nil && fresh {
		fresh, err = putEntry(tx, kindHold, purpose, ref, []posting{{accountAvailable, -amount}, {accountHeld, amount}})
	}
	if err == nil && !fresh {
		err = fmt.Errorf("wallet: an amount is already set aside for %s", ref)
	}
	if err != nil {
		return err
	}
	return tellLow(tx, w, amount)
}

// tellLow announces a low wallet if the amount just taken brought it below the threshold.
func tellLow(tx *db.Tx, w Wallet, taken int64) error {
	if w.Available >= lowThreshold || w.Available+taken < lowThreshold {
		return nil
	}
	_, err := event.Emit(tx, event.Change{Type: Low, Object: w})
	return err
}

// Charge spends an amount at once. It returns no_credit if less is available.
func (s *Service) Charge(tx *db.Tx, purpose string, amount int64) error {
	ref := tx.NewID()
	if err := s.Hold(tx, ref, purpose, amount); err != nil {
		return err
	}
	return s.Settle(tx, ref, amount)
}

// Settle spends an amount of what is set aside for ref and releases the rest. It returns
// ErrNotHeld if nothing is set aside, and an error if the amount is larger.
func (s *Service) Settle(tx *db.Tx, ref uuid.UUID, amount int64) error {
	v, err := s.closeHold(tx, ref)
	if err != nil {
		return err
	}
	if amount < 0 || amount > v.amount {
		return fmt.Errorf("wallet: cannot spend %d of %d", amount, v.amount)
	}
	rest := v.amount - amount
	return enter(tx, kindSettle, v.purpose, ref, rest, -v.amount,
		posting{accountAvailable, rest}, posting{accountHeld, -v.amount}, posting{accountRevenue + v.purpose, amount})
}

// Release makes what is set aside for ref available again. It returns ErrNotHeld if nothing
// is.
func (s *Service) Release(tx *db.Tx, ref uuid.UUID) error {
	v, err := s.closeHold(tx, ref)
	if err != nil {
		return err
	}
	return enter(tx, kindRelease, v.purpose, ref, v.amount, -v.amount, posting{accountAvailable, v.amount}, posting{accountHeld, -v.amount})
}

func (s *Service) closeHold(tx *db.Tx, ref uuid.UUID) (reservation, error) {
	v, err := closeReservation(tx, ref)
	if db.IsNoRow(err) {
		err = ErrNotHeld
	}
	return v, err
}

// enter changes the balances and writes the entry that explains the change. It returns
// db.ErrNoRow if a balance would fall below zero.
func enter(tx *db.Tx, kind, purpose string, ref uuid.UUID, available, held int64, postings ...posting) error {
	fresh, err := putEntry(tx, kind, purpose, ref, postings)
	if err == nil && !fresh {
		err = fmt.Errorf("wallet: %s of %s was already entered", kind, ref)
	}
	if err != nil {
		return err
	}
	_, err = changeWallet(tx, available, held)
	return err
}

// Adjust lets the operator give a workspace credit, or take credit away if the amount is
// negative. It returns no_credit if less is available.
func (s *Service) Adjust(ctx context.Context, tenant uuid.UUID, amount int64, note string) error {
	return s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		if err := openWallet(tx, s.Currency); err != nil {
			return err
		}
		ref := tx.NewID()
		err := enter(tx, kindAdjust, purposeOperator, ref, amount, 0, posting{accountAvailable, amount}, posting{accountAdjust, -amount})
		if db.IsNoRow(err) {
			return fault.New(fault.NoCredit)
		}
		if err != nil {
			return err
		}
		w, err := findWallet(&tx.Reader)
		if err == nil {
			err = tellLow(tx, w, -amount)
		}
		if err != nil {
			return err
		}
		return audit.Write(tx, "wallet.adjusted", ref.String(), map[string]any{"amount_micros": amount, "note": note})
	})
}

// Entries lists the ledger, newest first.
func (s *Service) Entries(ctx context.Context, p db.Page) (db.List[Entry], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Entry], error) { return listEntries(r, p) })
}

// statementBatch is the number of entries read at once.
const statementBatch = 500

// statementHead are the columns of a statement.
var statementHead = []string{"at", "kind", "purpose", "ref", "available_micros", "held_micros", "currency", "entry_id", "call_id"}

func textOf(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// WriteStatement writes the entries of a period as CSV, oldest first.
func (s *Service) WriteStatement(ctx context.Context, from, to time.Time, w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(statementHead) // Flush reports errors
	currency := s.Currency
	if own, err := db.Read(ctx, s.DB.TenantOf(ctx), findWallet); err == nil {
		currency = own.Currency
	} else if !db.IsNoRow(err) {
		return err
	}
	after, before := clock.FirstID(from), clock.FirstID(to)
	for {
		rows, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) ([]Entry, error) {
			return entriesBetween(r, after, before, statementBatch)
		})
		if err != nil {
			return err
		}
		for _, e := range rows {
			_ = out.Write([]string{
				e.At.Format(time.RFC3339), e.Kind, e.Purpose, e.Ref.String(),
				strconv.FormatInt(e.Available, 10), strconv.FormatInt(e.Held, 10), currency, e.ID.String(), textOf(e.CallID),
			})
			after = e.ID
		}
		if out.Flush(); out.Error() != nil || len(rows) < statementBatch {
			return out.Error()
		}
	}
}
