package number

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// The kinds of jobs.
const (
	buyJob     = "number.buy"
	releaseJob = "number.release"
	renewJob   = "number.renew"
)

const (
	// payAgain is the interval at which the fee of a suspended number is tried again.
	payAgain = time.Hour
	// keepUnpaid is how long a number is kept whose fee cannot be paid.
	keepUnpaid = 30 * 24 * time.Hour
)

// errNoProvider means that the operator no longer has a provider; jobs wait for one.
var errNoProvider = errors.New("number: no provider is configured")

// Jobs returns the kinds of this package's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{
		{Name: buyJob, Handler: jobs.WithPayload(s.buy), PerNode: 4, PerTenant: 1, MaxAttempts: 20, Timeout: time.Minute, OnDead: s.giveUp},
		{Name: releaseJob, Handler: jobs.WithPayload(s.release), PerNode: 4, PerTenant: 1, MaxAttempts: 50, Timeout: time.Minute},
		{Name: renewJob, Handler: s.renew, PerNode: 4, PerTenant: 1, MaxAttempts: 50},
	}
}

// buy buys a pending number from the provider. A number that the provider already has under
// our id was bought by an earlier attempt.
func (s *Service) buy(ctx context.Context, j *jobs.Job, id uuid.UUID) error {
	if s.Provider == nil {
		return errNoProvider
	}
	var n Number
	if err := s.changeIn(ctx, j.TenantID, id, func(_ *db.Tx, now *Number) error { n = *now; return nil }); err != nil || n.Status != StatusPending {
		return err
	}
	rented, err := s.rent(ctx, n)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return s.changeIn(ctx, j.TenantID, id, func(tx *db.Tx, n *Number) error { return s.refuse(tx, n, refusal) })
	}
	if err != nil {
		return err
	}
	return s.changeIn(ctx, j.TenantID, id, func(tx *db.Tx, n *Number) error { return s.activate(tx, n, rented) })
}

// rent rents a number, unless an earlier attempt did.
func (s *Service) rent(ctx context.Context, n Number) (Rented, error) {
	had, err := s.Provider.Find(ctx, n.E164)
	switch {
	case err != nil:
		return Rented{}, err
	case had == nil:
		return s.Provider.Buy(ctx, n.E164, n.ID.String())
	case had.Name != n.ID.String():
		return Rented{}, &Refusal{Message: "the number is rented for something else"}
	}
	return *had, nil
}

// changeIn locks a number in a job, lets fn change it and stores it. All others are
// locked too, since another may become the default.
func (s *Service) changeIn(ctx context.Context, tenant, id uuid.UUID, fn func(*db.Tx, *Number) error) error {
	return s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		if _, err := lockNumbers(tx); err != nil {
			return err
		}
		n, err := lockNumber(tx, id)
		if err != nil {
			return err
		}
		if err := fn(tx, &n); err != nil {
			return err
		}
		return saveNumber(tx, n)
	})
}

// activate makes a rented number active and spends its fee.
func (s *Service) activate(tx *db.Tx, n *Number, rented Rented) error {
	if n.Status != StatusPending {
		return nil
	}
	if err := s.Wallet.Settle(tx, n.ID, n.MonthlyFee); err != nil {
		return err
	}
	*n = n.renewed(tx.Now())
	n.providerID, n.Capabilities = rented.ProviderID, rented.Capabilities
	if err := defaultIfNone(tx, n); err != nil {
		return err
	}
	if rented.Type != "" {
		n.Type = rented.Type
	}
	return jobs.Restart(tx, renewJob, n.ID, n.RenewsAt.Time)
}

// defaultIfNone makes an active number the default if no other number is.
func defaultIfNone(tx *db.Tx, n *Number) error {
	chosen, err := hasDefault(&tx.Reader)
	n.IsDefault = n.IsDefault || err == nil && !chosen
	return err
}

// refuse marks a number as released because the provider refused it, and releases its fee.
func (s *Service) refuse(tx *db.Tx, n *Number, refusal *Refusal) error {
	if n.Status != StatusPending {
		return nil
	}
	n.Status, n.LastError = StatusReleased, errorRefused
	if err := s.Wallet.Release(tx, n.ID); err != nil {
		return err
	}
	return audit.Write(tx, "number.refused", n.ID.String(), map[string]any{"e164": n.E164, "reason": refusal.Message})
}

// giveUp marks a number whose provider does not answer. The fee stays set aside: the
// provider may have rented us the number, and an operator retries the job.
func (s *Service) giveUp(ctx context.Context, j *jobs.Job, _ string) error {
	var id uuid.UUID
	if err := json.Unmarshal(j.Payload, &id); err != nil {
		return nil // buy dropped the job for the same reason
	}
	return s.changeIn(ctx, j.TenantID, id, func(_ *db.Tx, n *Number) error {
		if n.Status == StatusPending {
			n.LastError = errorSilent
		}
		return nil
	})
}

// release tells the provider that a number was given back.
func (s *Service) release(ctx context.Context, _ *jobs.Job, providerID string) error {
	if s.Provider == nil {
		return errNoProvider
	}
	return s.Provider.Release(ctx, providerID)
}

// renew charges the monthly fee of a number. Without credit the number is suspended and the
// charge is tried again; after 30 days the number is given back.
func (s *Service) renew(ctx context.Context, j *jobs.Job) error {
	next := time.Time{}
	err := s.changeIn(ctx, j.TenantID, j.ID, func(tx *db.Tx, n *Number) error {
		if n.RenewsAt == nil {
			return nil // given back
		}
		if next = n.RenewsAt.Time; tx.Now().Before(next) {
			return nil
		}
		err := s.Wallet.Charge(tx, wallet.PurposeNumbers, n.MonthlyFee)
		if err == nil {
			*n = n.renewed(tx.Now())
			next = n.RenewsAt.Time
			return defaultIfNone(tx, n)
		}
		if !fault.Is(err, fault.NoCredit) {
			return err
		}
		if tx.Now().Sub(n.RenewsAt.Time) > keepUnpaid {
			next = time.Time{}
			return giveBack(tx, n)
		}
		next = tx.Now().Add(payAgain)
		n.Status, n.LastError = StatusSuspended, errorNoCredit
		return passDefaultOn(tx, n)
	})
	if err != nil || next.IsZero() {
		return err
	}
	return jobs.RunAgain(next)
}
