package number

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
)

// licence is the module that a workspace must have licensed.
const licence = "telephony"

// Wallet pays for numbers.
type Wallet interface {
	// Hold sets an amount aside for ref; no_credit if less is available.
	Hold(tx *db.Tx, ref uuid.UUID, purpose string, amount int64) error
	// Settle spends an amount of what is set aside for ref.
	Settle(tx *db.Tx, ref uuid.UUID, amount int64) error
	// Release makes what is set aside for ref available again.
	Release(tx *db.Tx, ref uuid.UUID) error
	// Charge spends an amount at once; no_credit if less is available.
	Charge(tx *db.Tx, purpose string, amount int64) error
}

// Config is the configuration of a Service.
type Config struct {
	DB     *db.DB
	Wallet Wallet
	// Provider rents the numbers; nil if none is configured.
	Provider Provider
	// MonthlyFee is the operator's price of a number.
	MonthlyFee int64
}

// Service manages the workspace's numbers.
type Service struct{ Config }

// New returns the service.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Wallet == nil || c.MonthlyFee <= 0 {
		return nil, errors.New("number: the database, the wallet and a fee are needed")
	}
	return &Service{c}, nil
}

// Numbers lists the workspace's numbers, newest first.
func (s *Service) Numbers(ctx context.Context, p db.Page) (db.List[Number], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Number], error) { return listNumbers(r, p) })
}

// Available lists some numbers that can be bought.
func (s *Service) Available(ctx context.Context, search Search) ([]Offer, error) {
	if s.Provider == nil {
		return nil, fault.New(fault.NotConfigured)
	}
	offers, err := s.Provider.Available(ctx, search)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return nil, fault.New(fault.ProviderRejected, refusal.Message).Wrap(err)
	}
	if err != nil {
		f := fault.New(fault.Unavailable).Wrap(err)
		f.RetryAfter = 10
		return nil, f
	}
	// The provider offers a number until it knows that we are buying it.
	held, err := db.Read(ctx, s.DB.TenantOf(ctx), heldNumbers)
	if err != nil {
		return nil, err
	}
	offers = slices.DeleteFunc(offers, func(o Offer) bool { return slices.Contains(held, o.E164) })
	for i := range offers {
		offers[i].MonthlyFee = s.MonthlyFee
	}
	return offers, nil
}

// Buy sets the fee aside and starts the purchase of a number. The number it returns is
// pending until the provider has answered. Buy returns conflict if the number is taken, and
// no_credit if the credit does not suffice.
func (s *Service) Buy(ctx context.Context, e164, label string) (n Number, err error) {
	if s.Provider == nil {
		return n, fault.New(fault.NotConfigured)
	}
	parsed, ok := address.ParsePhone(e164)
	if !ok || !strings.HasPrefix(strings.TrimSpace(e164), "+") {
		return n, fault.Invalid("e164", "invalid_phone")
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &n, func(tx *db.Tx) error {
		n = Number{
			ID: tx.NewID(), E164: parsed, Label: strings.TrimSpace(label), Type: "local", Capabilities: []string{}, Status: StatusPending,
			MonthlyFee: s.MonthlyFee, CreatedAt: clock.At(tx.Now()),
		}
		if free, err := putNumber(tx, n); err != nil {
			return err
		} else if !free {
			return fault.New(fault.Conflict).Field("e164", "taken")
		}
		if err := s.Wallet.Hold(tx, n.ID, wallet.PurposeNumbers, n.MonthlyFee); err != nil {
			return err
		}
		if _, err := jobs.Enqueue(tx, buyJob, tx.Now(), n.ID); err != nil {
			return err
		}
		return writeAudit(tx, "number.bought", n)
	})
	return n, err
}

func writeAudit(tx *db.Tx, action string, n Number) error {
	return audit.Write(tx, action, n.ID.String(), map[string]any{"e164": n.E164, "label": n.Label})
}

// change locks a number of the workspace, lets fn change it and stores it; not_found if the
// number does not exist or was given back.
func (s *Service) change(ctx context.Context, id uuid.UUID, fn func(*db.Tx, *Number) error) (n Number, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if n, err = lockNumber(tx, id); err != nil {
			return db.NotFound(err)
		}
		if n.Status == StatusReleased {
			return fault.New(fault.NotFound)
		}
		if err := fn(tx, &n); err != nil {
			return err
		}
		return saveNumber(tx, n)
	})
	return n, err
}

// Rename changes the label of a number.
func (s *Service) Rename(ctx context.Context, id uuid.UUID, label string) (Number, error) {
	return s.change(ctx, id, func(tx *db.Tx, n *Number) error {
		n.Label = strings.TrimSpace(label)
		return writeAudit(tx, "number.renamed", *n)
	})
}

// MakeDefault makes a number the default. It returns number_not_active for a number that is
// pending or suspended.
func (s *Service) MakeDefault(ctx context.Context, id uuid.UUID) (n Number, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		// All numbers are locked, so that two concurrent choices run one after the other.
		if n, err = lockAmongAll(tx, id); err != nil {
			return err
		}
		if n.Status != StatusActive {
			return fault.New(fault.NumberNotActive)
		}
		if err := clearDefault(tx); err != nil {
			return err
		}
		n.IsDefault = true
		if err := saveNumber(tx, n); err != nil {
			return err
		}
		return writeAudit(tx, "number.made_default", n)
	})
	return n, err
}

// Release gives a number back. It returns number_not_active while its purchase is still
// under way. The fee of the current month is not refunded. If the number was the default,
// the oldest other active number becomes it.
func (s *Service) Release(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		// All numbers are locked, since another may become the default.
		n, err := lockAmongAll(tx, id)
		if err != nil {
			return err
		}
		if n.Status == StatusPending {
			return fault.New(fault.NumberNotActive)
		}
		if err := giveBack(tx, &n); err != nil {
			return err
		}
		return saveNumber(tx, n)
	})
}

// lockAmongAll locks all numbers of the workspace and returns one of them; not_found if it
// is not among them.
func lockAmongAll(tx *db.Tx, id uuid.UUID) (Number, error) {
	all, err := lockNumbers(tx)
	if err != nil {
		return Number{}, err
	}
	i := slices.IndexFunc(all, func(n Number) bool { return n.ID == id })
	if i < 0 {
		return Number{}, fault.New(fault.NotFound)
	}
	return all[i], nil
}

// passDefaultOn unsets the default on a number that calls can no longer show, and makes the
// oldest other active number the default, if there is one. The caller has locked all
// numbers.
func passDefaultOn(tx *db.Tx, from *Number) error {
	if !from.IsDefault {
		return nil
	}
	from.IsDefault = false
	if err := clearDefault(tx); err != nil {
		return err
	}
	next, err := oldestActive(&tx.Reader, from.ID)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	next.IsDefault = true
	if err := saveNumber(tx, next); err != nil {
		return err
	}
	return writeAudit(tx, "number.made_default", next)
}

// giveBack marks a number as released and schedules telling the provider.
func giveBack(tx *db.Tx, n *Number) error {
	if err := passDefaultOn(tx, n); err != nil {
		return err
	}
	n.Status, n.RenewsAt = StatusReleased, nil
	if _, err := jobs.Enqueue(tx, releaseJob, tx.Now(), n.providerID); err != nil {
		return err
	}
	return writeAudit(tx, "number.released", *n)
}

// SetupState returns the state of the default number, or of the newest number that is not
// active yet if no default is set. An active number that is not the default is not enough
// for calling.
func (s *Service) SetupState(ctx context.Context) (state, detail string, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		n, err := activeNumber(r, nil)
		if db.IsNoRow(err) {
			n, err = newestWaiting(r)
		}
		if db.IsNoRow(err) {
			n, err = Number{Status: "none"}, nil
		}
		state, detail = n.Status, n.LastError
		return err
	})
	return state, detail, err
}

// FindActive returns an active number that calls can show: the one with this id, or the
// default if id is nil. It returns db.ErrNoRow if there is none.
func (s *Service) FindActive(r *db.Reader, id *uuid.UUID) (Number, error) { return activeNumber(r, id) }

// FindForHelp returns a number for an emergency call: the same as FindActive, or else any
// other, even one suspended for lack of credit. It returns db.ErrNoRow if the workspace has
// none.
func (s *Service) FindForHelp(r *db.Reader, id *uuid.UUID) (Number, error) {
	n, err := activeNumber(r, id)
	if db.IsNoRow(err) {
		return anyNumber(r)
	}
	return n, err
}

// FindDialled returns the active number that was dialled. It returns db.ErrNoRow if the
// workspace has no such number.
func (s *Service) FindDialled(r *db.Reader, dialled string) (Number, error) {
	e164, ok := parseDialled(dialled)
	if !ok {
		return Number{}, db.ErrNoRow
	}
	return activeNumberOf(r, e164)
}

// FindOwner returns the workspace whose active number was dialled. It returns db.ErrNoRow
// if nobody has it.
func (s *Service) FindOwner(ctx context.Context, dialled string) (uuid.UUID, error) {
	e164, ok := parseDialled(dialled)
	if !ok {
		return uuid.Nil, db.ErrNoRow
	}
	return db.Read(ctx, s.DB.System("dialled number"), func(r *db.Reader) (uuid.UUID, error) { return ownerOf(r, e164) })
}

// parseDialled parses a number as carriers write it, with or without the plus.
func parseDialled(dialled string) (string, bool) {
	if !strings.HasPrefix(dialled, "+") {
		dialled = "+" + strings.TrimPrefix(dialled, "00")
	}
	return address.ParsePhone(dialled)
}
