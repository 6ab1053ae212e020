package wallet

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
)

// The states of a top-up. A top-up that is still created or challenged after its time is
// reported as expired; that state is not stored.
const (
	StateCreated       = "created"
	StateChallenged    = "challenged"
	StateAuthenticated = "authenticated"
	StateCompleting    = "completing"
	StateSucceeded     = "succeeded"
	StateFailed        = "failed"
	StateExpired       = "expired"
	StateUnknown       = "unknown"
)

// The reasons why a top-up failed.
const (
	reasonRefused          = "refused"
	reasonNotAuthenticated = "not_authenticated"
	reasonUnavailable      = "provider_unavailable"
	reasonMismatch         = "payment_mismatch"
)

// challengeTime is how long a person has for the bank's page.
const challengeTime = 15 * time.Minute

// The minimum and maximum amount of a payment, and its step: a hundredth of the unit, in
// which banks count.
const (
	minTopUp  = 10 * Micro
	maxTopUp  = 50_000 * Micro
	topUpStep = Micro / 100
)

// TopUp is a card payment.
type TopUp struct {
	ID          uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	Amount      int64       `json:"amount_micros" example:"100000000"`
	Currency    string      `json:"currency" example:"TRY"`
	State       string      `json:"state" enum:"created,challenged,authenticated,completing,succeeded,failed,expired,unknown" example:"succeeded" doc:"challenged: the person is at the bank's page; unknown: the bank does not report the outcome, and an operator checks it"`
	Reason      string      `json:"reason" enum:",refused,not_authenticated,provider_unavailable,payment_mismatch" example:"" doc:"Why the payment failed"`
	Detail      string      `json:"detail" example:"" doc:"The bank's message"`
	CreatedAt   clock.Time  `json:"created_at"`
	ExpiresAt   clock.Time  `json:"expires_at" doc:"Deadline for completing the bank's page"`
	CompletedAt *clock.Time `json:"completed_at" nullable:"true"`

	paymentID string
}

// expired reports whether the time for the bank's page is over.
func (t *TopUp) expired(now time.Time) bool {
	return (t.State == StateCreated || t.State == StateChallenged) && !now.Before(t.ExpiresAt.Time)
}

// ended reports whether the top-up can no longer change.
func (t *TopUp) ended() bool { return t.State == StateSucceeded || t.State == StateFailed }

// fail marks a top-up as failed.
func (t *TopUp) fail(now time.Time, reason, detail string) {
	at := clock.At(now)
	t.State, t.Reason, t.Detail, t.CompletedAt = StateFailed, reason, cleanDetail(detail), &at
}

// Challenge is the bank's page, which the person's browser shows.
type Challenge struct {
	ID        uuid.UUID  `json:"id" format:"uuid" doc:"Id of the top-up; poll it until it has ended"`
	HTML      string     `json:"html" doc:"The bank's page; show it in its own frame or window"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// RecordID implements idempotency.Named.
func (c Challenge) RecordID() uuid.UUID { return c.ID }

// Bank takes card payments with 3-D Secure.
type Bank interface {
	// Name is the name of the bank's account in the ledger.
	Name() string
	// Start begins a payment and returns the bank's page. It returns *Refusal if the bank
	// refuses the card.
	Start(ctx context.Context, p Payment, c Card, b Buyer) (Started, error)
	// Complete takes the money of a payment that the person confirmed. It returns *Refusal
	// if the bank refuses.
	Complete(ctx context.Context, p Payment, proof Proof) (Outcome, error)
	// Query returns the result of a payment.
	Query(ctx context.Context, p Payment) (Outcome, error)
}

// Payment is a top-up as it is presented to a bank.
type Payment struct {
	ID       uuid.UUID
	Amount   int64
	Currency string
	// PaymentID is the bank's own id; empty until it has given one.
	PaymentID string
	// CallbackURL is where the bank sends the browser.
	CallbackURL string
	// IP is the address of the person who pays.
	IP string
}

// Started is a payment that waits for the person's confirmation.
type Started struct {
	PaymentID string
	HTML      string
}

// Proof is what the bank sent with the returning browser.
type Proof struct {
	// Passed is set if the bank authenticated the person.
	Passed    bool   `json:"passed"`
	Status    string `json:"status"`
	PaymentID string `json:"payment_id"`
	Data      string `json:"data"`
}

// The outcomes of a payment.
const (
	OutcomePaid    = "paid"
	OutcomeFailed  = "failed"
	OutcomeWaiting = "waiting" // the bank is reviewing it
	OutcomeAbsent  = "absent"  // no money was asked for yet
)

// Outcome is the result of a payment.
type Outcome struct {
	State     string
	ID        uuid.UUID // our id, as the bank knows it
	PaymentID string
	Amount    int64
	Currency  string
	Detail    string
}

// Refusal is the error when a bank refuses.
type Refusal struct{ Code, Message string }

// Error implements error.
func (r *Refusal) Error() string {
	return "the bank refused (" + r.Code + "): " + cleanDetail(r.Message)
}

// sealIntent returns the part of the callback's address that identifies the top-up. The
// bank's page is on another site and sends no cookie, so the address itself must be proof.
func (s *Service) sealIntent(tenant, id uuid.UUID) string {
	ids := append(tenant[:], id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(ids, s.signIntent(ids)...))
}

func (s *Service) signIntent(ids []byte) []byte {
	m := hmac.New(sha256.New, s.intentKey)
	m.Write(ids)
	return m.Sum(nil)
}

// openIntent reads what sealIntent returned.
func (s *Service) openIntent(intent string) (tenant, id uuid.UUID, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(intent)
	if err != nil || len(b) != 32+sha256.Size || !hmac.Equal(b[32:], s.signIntent(b[:32])) {
		return tenant, id, false
	}
	return uuid.UUID(b[:16]), uuid.UUID(b[16:32]), true
}
