package channel

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

const (
	trialJob = "channel.inbound_test"
	// TrialFor is how long a code is valid.
	TrialFor = 15 * time.Minute
	// trialPrefix distinguishes a code from other text that customers write.
	trialPrefix = "KONAK-"

	trialDigits = 6
)

// States of an inbound test.
const (
	TrialNone     = "none"
	TrialWaiting  = "waiting"
	TrialVerified = "verified"
	TrialExpired  = "expired"
)

// Trial is an inbound test: it shows whether a message sent to the account arrives.
type Trial struct {
	State      string      `json:"state" enum:"none,waiting,verified,expired" example:"waiting"`
	Code       *string     `json:"code" nullable:"true" example:"KONAK-482913" doc:"Code to send to the account as a customer would; null if no test is waiting"`
	Number     string      `json:"number" example:"+90 212 123 45 67" doc:"Where to send the code: a number, an address or the account's name"`
	StartedAt  *clock.Time `json:"started_at" nullable:"true"`
	ExpiresAt  *clock.Time `json:"expires_at" nullable:"true" doc:"When the code expires"`
	VerifiedAt *clock.Time `json:"verified_at" nullable:"true" doc:"When a code last arrived; not changed by later codes that did not arrive"`
	Warnings   []string    `json:"warnings" nullable:"false" doc:"Problems with the account: inbound_test_expired, token_expired, number_flagged, webhook_missing"`
}

// Reachable is a kind whose customers write to an address other than the account's name.
type Reachable interface {
	// InboundAddress returns the address that customers write to, "" if they cannot.
	InboundAddress(a Account) string
}

// Jobs returns the kinds of this package's jobs.
func (s *Service) Jobs() []jobs.Kind {
	kind := jobs.Kind{Name: trialJob, Handler: jobs.WithPayload(s.runTrial), PerNode: 16, PerTenant: 4, MaxAttempts: 20}
	before := kind // WhatsApp's tests of 0.1.0
	before.Name = "whatsapp.trial"
	return []jobs.Kind{kind, before}
}

// trialState is a test as it is stored.
type trialState struct {
	Code              *string
	Started, Verified *clock.Time
}

// shown returns the current state of an account's test.
func (t trialState) shown(a Account, address string, now time.Time) Trial {
	out := Trial{State: TrialNone, Number: address, StartedAt: t.Started, VerifiedAt: t.Verified, Warnings: []string{}}
	switch {
	case t.Code != nil:
		out.State, out.Code, out.ExpiresAt = TrialWaiting, t.Code, clock.Ptr(t.Started.Add(TrialFor))
		if !now.Before(out.ExpiresAt.Time) {
			out.State, out.Code = TrialExpired, nil
			out.Warnings = append(out.Warnings, InboundTestExpired)
		}
	case t.Verified != nil:
		out.State = TrialVerified
	}
	if a.Reason != nil && (out.State != TrialExpired || *a.Reason != InboundTestExpired) {
		out.Warnings = append(out.Warnings, *a.Reason)
	}
	return out
}

// trialCode returns the code that a text contains, or "".
func trialCode(text string) string {
	upper := strings.ToUpper(text)
	at := strings.Index(upper, trialPrefix)
	if at < 0 || len(upper) < at+len(trialPrefix)+trialDigits {
		return ""
	}
	return upper[at : at+len(trialPrefix)+trialDigits]
}

// Trial returns the state of an account's inbound test. It returns a conflict if customers
// cannot write to the account's kind.
func (s *Service) Trial(ctx context.Context, id uuid.UUID) (out Trial, err error) {
	a, err := s.tested(ctx, id)
	if err != nil {
		return out, err
	}
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Trial, error) { return s.trial(r, a) })
}

// tested returns an account for which an inbound test is possible.
func (s *Service) tested(ctx context.Context, id uuid.UUID) (Account, error) {
	a, err := s.Get(ctx, "", id)
	if err != nil {
		return a, err
	}
	if _, known := s.cfg.Kinds[a.Kind]; !known || s.inboundAddress(a) == "" {
		return a, fault.New(fault.Conflict).Because("no_inbound_test")
	}
	return a, nil
}

func (s *Service) inboundAddress(a Account) string {
	if kind, ok := s.cfg.Kinds[a.Kind].(Reachable); ok {
		return kind.InboundAddress(a)
	}
	if a.ExternalID != nil && strings.Contains(*a.ExternalID, "@") {
		return *a.ExternalID
	}
	return a.Name
}

func (s *Service) trial(r *db.Reader, a Account) (Trial, error) {
	t, err := trialOf(r, a.ID)
	return t.shown(a, s.inboundAddress(a), s.cfg.DB.Clock().Now()), db.IgnoreNoRow(err)
}

// StartTrial creates a new code; the previous one becomes invalid.
func (s *Service) StartTrial(ctx context.Context, id uuid.UUID) (out Trial, err error) {
	if _, err := s.tested(ctx, id); err != nil {
		return out, err
	}
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.Lock(tx, "", id)
		if err != nil {
			return err
		}
		if !a.Works() {
			return fault.New(fault.ChannelUnavailable).Because(a.Status)
		}
		code := trialPrefix + secret.NewDigits(trialDigits)
		if err := putTrial(tx, id, code); err != nil {
			return fmt.Errorf("channel: put test: %w", err)
		}
		if _, err := jobs.Enqueue(tx, trialJob, tx.Now().Add(TrialFor), waitingTrial{id, code}); err != nil {
			return err
		}
		if err := audit.Write(tx, "channel.inbound_test", id.String(), nil); err != nil {
			return err
		}
		out, err = s.trial(&tx.Reader, a)
		return err
	})
	return out, err
}

// MessageArrived implements inbound.Tests: a message that contains the expected code passes
// the test.
func (s *Service) MessageArrived(tx *db.Tx, account uuid.UUID, text string) error {
	_, err := s.passTrial(tx, account, text)
	return err
}

// PassTrial is MessageArrived for a kind that does not pass the code on as a message: it
// reports whether a text contains the expected code.
func (s *Service) PassTrial(ctx context.Context, account uuid.UUID, text string) (passed bool, err error) {
	if trialCode(text) == "" {
		return false, nil
	}
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		passed, err = s.passTrial(tx, account, text)
		return err
	})
	return passed, err
}

func (s *Service) passTrial(tx *db.Tx, account uuid.UUID, text string) (bool, error) {
	code := trialCode(text)
	if code == "" {
		return false, nil
	}
	passed, err := passTrial(tx, account, code, clock.At(tx.Now().Add(-TrialFor)))
	if err == nil && passed {
		err = IgnoreDeleted(s.ClearAttention(tx, account, InboundTestExpired))
	}
	return passed, err
}

// waitingTrial is the payload of trialJob.
type waitingTrial struct {
	AccountID uuid.UUID `json:"account_id"`
	Code      string    `json:"code"`
}

// runTrial is the handler of trialJob: if the code did not arrive in time, the account
// needs attention.
func (s *Service) runTrial(ctx context.Context, j *jobs.Job, w waitingTrial) error {
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		t, err := trialOf(&tx.Reader, w.AccountID)
		if db.IsNoRow(err) || err == nil && (t.Code == nil || *t.Code != w.Code) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.HoldAccount(tx, w.AccountID, InboundTestExpired)
	})
}
