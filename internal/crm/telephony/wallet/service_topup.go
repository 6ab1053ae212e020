package wallet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
)

// NewTopUp is a request for a card payment.
type NewTopUp struct {
	Amount int64
	Card   Card
	// Buyer is nil to use the buyer that was given before.
	Buyer *Buyer
}

// StartTopUp begins a card payment and returns the bank's page.
func (s *Service) StartTopUp(ctx context.Context, n NewTopUp) (out Challenge, err error) {
	if s.Bank == nil {
		return out, fault.New(fault.NotConfigured)
	}
	if n.Amount%topUpStep != 0 {
		return out, fault.Invalid("amount_micros", "invalid_step")
	}
	if err := n.Card.check(s.DB.Clock().Now()); err != nil {
		return out, err
	}
	t := TopUp{Amount: n.Amount, Currency: s.Currency, State: StateCreated}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		if n.Buyer, err = s.keepBuyer(tx, n.Buyer); err != nil {
			return err
		}
		// A wallet keeps the currency that it was opened with.
		if w, err := findWallet(&tx.Reader); err == nil {
			t.Currency = w.Currency
		} else if !db.IsNoRow(err) {
			return err
		}
		t.ID, t.CreatedAt, t.ExpiresAt = tx.NewID(), clock.At(tx.Now()), clock.At(tx.Now().Add(challengeTime))
		out = Challenge{ID: t.ID, ExpiresAt: t.ExpiresAt}
		if err := putTopUp(tx, t); err != nil {
			return err
		}
		return audit.Write(tx, "wallet.topup_started", t.ID.String(), map[string]any{"amount_micros": t.Amount, "currency": t.Currency})
	})
	if err != nil {
		return out, err
	}
	p := s.payment(caller.From(ctx).TenantID, t)
	p.IP = caller.From(ctx).IP
	started, failure := s.Bank.Start(ctx, p, n.Card, *n.Buyer)
	out.HTML = started.HTML
	// The person may have disconnected meanwhile; the bank's answer is stored anyway.
	err = s.change(context.WithoutCancel(ctx), caller.From(ctx).TenantID, t.ID, func(tx *db.Tx, t *TopUp) error {
		if failure != nil {
			return s.failStart(ctx, tx, t, failure)
		}
		t.State, t.paymentID = StateChallenged, started.PaymentID
		return nil
	})
	if err == nil {
		err = startFault(failure)
	}
	return out, err
}

// failStart ends a top-up that the bank did not begin. The request can be sent
// again under its Idempotency-Key.
func (s *Service) failStart(ctx context.Context, tx *db.Tx, t *TopUp, failure error) error {
	if err := idempotency.Forget(ctx, tx); err != nil {
		return err
	}
	if refusal, ok := errors.AsType[*Refusal](failure); ok {
		t.fail(tx.Now(), reasonRefused, refusal.Message)
	} else {
		t.fail(tx.Now(), reasonUnavailable, "")
	}
	return audit.Write(tx, "wallet.topup_failed", t.ID.String(), map[string]any{"reason": t.Reason})
}

// startFault returns the error for the caller of a payment that did not begin; nil if it
// did.
func startFault(failure error) error {
	if failure == nil {
		return nil
	}
	if refusal, ok := errors.AsType[*Refusal](failure); ok {
		return fault.New(fault.PaymentRefused, cleanDetail(refusal.Message)).Because(refusal.Code)
	}
	f := fault.New(fault.Unavailable).Wrap(failure)
	f.RetryAfter = 10
	return f
}

// keepBuyer seals and stores the given buyer, or reads the one that was given before. It
// returns a field error if there is neither.
func (s *Service) keepBuyer(tx *db.Tx, given *Buyer) (*Buyer, error) {
	const place = "wallet_buyer"
	if given != nil {
		text, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		return given, putBuyer(tx, s.Box.Seal(tx.Tenant(), place, text))
	}
	sealed, err := findBuyer(&tx.Reader)
	if db.IsNoRow(err) {
		return nil, fault.Invalid("buyer", "required")
	}
	if err != nil {
		return nil, err
	}
	text, err := s.Box.Open(tx.Tenant(), place, sealed)
	if err != nil {
		return nil, fmt.Errorf("wallet: cannot decrypt the buyer: %w", err)
	}
	var b Buyer
	return &b, json.Unmarshal(text, &b)
}

func (s *Service) payment(tenant uuid.UUID, t TopUp) Payment {
	return Payment{
		ID: t.ID, Amount: t.Amount, Currency: t.Currency, PaymentID: t.paymentID,
		CallbackURL: s.BaseURL + callbackPath + "/" + s.sealIntent(tenant, t.ID),
	}
}

// TopUp returns a top-up.
func (s *Service) TopUp(ctx context.Context, id uuid.UUID) (TopUp, error) {
	t, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (TopUp, error) { return findTopUp(r, id) })
	if err == nil && t.expired(s.DB.Clock().Now()) {
		t.State = StateExpired
	}
	return t, db.NotFound(err)
}

// change locks a top-up, lets fn change it and stores it.
func (s *Service) change(ctx context.Context, tenant, id uuid.UUID, fn func(*db.Tx, *TopUp) error) error {
	return s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		t, err := lockTopUp(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := fn(tx, &t); err != nil {
			return err
		}
		return saveTopUp(tx, t)
	})
}

// topUpJob is the kind of the jobs that take the money.
const topUpJob = "wallet.topup"

// completion is the payload of the job that takes the money.
type completion struct {
	ID    uuid.UUID `json:"id"`
	Proof Proof     `json:"proof"`
}

// Return handles what the bank sent with the returning browser. It reports whether the
// payment goes on, and returns not_found for an intent that is not ours. A repeat or a late
// return changes nothing.
func (s *Service) Return(ctx context.Context, intent string, proof Proof) (passed bool, err error) {
	tenant, id, ok := s.openIntent(intent)
	if !ok {
		return false, fault.New(fault.NotFound)
	}
	err = s.change(ctx, tenant, id, func(tx *db.Tx, t *TopUp) error {
		if t.State != StateChallenged || t.expired(tx.Now()) {
			passed = t.State == StateAuthenticated || t.State == StateCompleting || t.State == StateSucceeded
			return nil
		}
		if t.paymentID == "" {
			t.paymentID = proof.PaymentID
		}
		switch {
		case !proof.Passed:
			t.fail(tx.Now(), reasonNotAuthenticated, proof.Status)
		case proof.PaymentID != t.paymentID:
			t.fail(tx.Now(), reasonMismatch, "")
		default:
			passed, t.State = true, StateAuthenticated
			_, err := jobs.Enqueue(tx, topUpJob, tx.Now(), completion{t.ID, proof})
			return err
		}
		return audit.Write(tx, "wallet.topup_failed", t.ID.String(), map[string]any{"reason": t.Reason})
	})
	return passed, err
}

// Jobs returns the kinds of this package's jobs.
func (s *Service) Jobs() []jobs.Kind {
	return []jobs.Kind{{
		Name: topUpJob, Handler: jobs.WithPayload(s.complete), PerNode: 8, PerTenant: 2, MaxAttempts: 20, Timeout: time.Minute, OnDead: s.giveUp,
	}}
}

// fraudCheck is the time between two queries about a payment that the bank is reviewing.
const fraudCheck = 10 * time.Minute

// complete takes the money of a top-up. The state completing is stored before the bank is
// asked: an attempt that finds this state first asks for the result of the earlier one.
func (s *Service) complete(ctx context.Context, j *jobs.Job, c completion) error {
	if s.Bank == nil {
		return errors.New("wallet: no bank is configured any longer")
	}
	var t TopUp
	fresh := false
	err := s.change(ctx, j.TenantID, c.ID, func(_ *db.Tx, now *TopUp) error {
		if fresh = now.State == StateAuthenticated; !now.ended() {
			now.State = StateCompleting
		}
		t = *now
		return nil
	})
	if err != nil || t.ended() {
		return err
	}
	o, err := s.askBank(ctx, s.payment(j.TenantID, t), c.Proof, fresh)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		o, err = Outcome{State: OutcomeFailed, Detail: refusal.Message}, nil
	}
	if err != nil {
		return err
	}
	if o.State == OutcomeWaiting {
		return jobs.Snooze(s.DB.Clock().Now().Add(fraudCheck))
	}
	return s.change(ctx, j.TenantID, c.ID, func(tx *db.Tx, t *TopUp) error { return s.finish(tx, t, o) })
}

// askBank takes the money. If an earlier attempt may have done so, it asks for the result
// first.
func (s *Service) askBank(ctx context.Context, p Payment, proof Proof, fresh bool) (Outcome, error) {
	if !fresh {
		if o, err := s.Bank.Query(ctx, p); err != nil || o.State != OutcomeAbsent {
			return o, err
		}
	}
	return s.Bank.Complete(ctx, p, proof)
}

// finish enters the result of a payment. A payment of another amount, or one that the bank
// knows for something else, fails the top-up.
func (s *Service) finish(tx *db.Tx, t *TopUp, o Outcome) error {
	if t.ended() {
		return nil
	}
	same := o.ID == t.ID && o.PaymentID == t.paymentID && o.Amount == t.Amount && o.Currency == t.Currency
	switch {
	case o.State != OutcomePaid:
		t.fail(tx.Now(), reasonRefused, o.Detail)
	case !same:
		s.Log.ErrorContext(tx.Context(), "a bank's answer is about another payment; check it at the bank", "topup", t.ID, "payment", o.PaymentID)
		t.fail(tx.Now(), reasonMismatch, "")
	default:
		at := clock.At(tx.Now())
		t.State, t.CompletedAt = StateSucceeded, &at
		if err := s.creditWallet(tx, t); err != nil {
			return err
		}
		return audit.Write(tx, "wallet.topup_succeeded", t.ID.String(), map[string]any{"amount_micros": t.Amount, "currency": t.Currency})
	}
	return audit.Write(tx, "wallet.topup_failed", t.ID.String(), map[string]any{"reason": t.Reason})
}

func (s *Service) creditWallet(tx *db.Tx, t *TopUp) error {
	if err := openWallet(tx, t.Currency); err != nil {
		return err
	}
	return enter(tx, kindTopUp, purposeCard, t.ID, t.Amount, 0,
		posting{accountAvailable, t.Amount}, posting{accountClearing + s.Bank.Name(), -t.Amount})
}

// giveUp marks a top-up as unknown because the bank does not report its result.
func (s *Service) giveUp(ctx context.Context, j *jobs.Job, _ string) error {
	var c completion
	if err := json.Unmarshal(j.Payload, &c); err != nil {
		return nil // complete dropped the job for the same reason
	}
	return s.change(ctx, j.TenantID, c.ID, func(_ *db.Tx, t *TopUp) error {
		if !t.ended() {
			t.State = StateUnknown
		}
		return nil
	})
}
