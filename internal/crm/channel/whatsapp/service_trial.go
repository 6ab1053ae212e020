package whatsapp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const trialJob = "whatsapp.trial"

// trialFor is how long a code is waited for.
const trialFor = 15 * time.Minute

// Where the test of the way in stands.
const (
	TrialNone     = "none"
	TrialWaiting  = "waiting"
	TrialVerified = "verified"
	TrialExpired  = "expired"
)

// Trial is whether a message that somebody sends to the number arrives.
type Trial struct {
	State      string      `json:"state" enum:"none,waiting,verified,expired" example:"waiting"`
	Code       *string     `json:"code" nullable:"true" example:"KONAK-482913" doc:"To be sent to the number from any phone; null where none is waited for"`
	Number     string      `json:"number" example:"+90 212 123 45 67" doc:"Where to send it"`
	StartedAt  *clock.Time `json:"started_at" nullable:"true"`
	ExpiresAt  *clock.Time `json:"expires_at" nullable:"true" doc:"Until when the code counts"`
	VerifiedAt *clock.Time `json:"verified_at" nullable:"true" doc:"When a code last arrived; a later one that did not changes nothing of it"`
	Warnings   []string    `json:"warnings" nullable:"false" doc:"What is wrong with the account: inbound_test_expired, token_expired, number_flagged, webhook_missing"`
}

// Trial reads where the test of a number stands.
func (s *Service) Trial(ctx context.Context, id uuid.UUID) (out Trial, err error) {
	err = s.accounts.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		out, err = s.trial(r, id)
		return err
	})
	return out, err
}

func (s *Service) trial(r *db.Reader, id uuid.UUID) (out Trial, err error) {
	a, err := s.Channels.Find(r, Name, id)
	if err != nil {
		return out, err
	}
	var set Settings
	if err := a.Read(&set); err != nil {
		return out, err
	}
	t, err := trialOf(r, id)
	if err != nil {
		return out, err
	}
	out = Trial{State: TrialNone, Number: set.Display, StartedAt: t.started, VerifiedAt: t.verified, Warnings: []string{}}
	switch {
	case t.code != nil:
		out.State, out.Code, out.ExpiresAt = TrialWaiting, t.code, clock.Ptr(t.started.Add(trialFor))
		if !s.DB.Clock().Now().Before(out.ExpiresAt.Time) {
			out.State, out.Code = TrialExpired, nil
			out.Warnings = append(out.Warnings, channel.InboundTestExpired)
		}
	case t.verified != nil:
		out.State = TrialVerified
	}
	if a.Reason != nil && (out.State != TrialExpired || *a.Reason != channel.InboundTestExpired) {
		out.Warnings = append(out.Warnings, *a.Reason)
	}
	return out, nil
}

// StartTrial makes a new code; the one before no longer counts.
func (s *Service) StartTrial(ctx context.Context, id uuid.UUID) (out Trial, err error) {
	err = s.accounts.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.Channels.Lock(tx, Name, id)
		if err != nil {
			return err
		}
		if !a.Works() {
			return fault.New(fault.ChannelUnavailable).Because(a.Status)
		}
		code, err := newCode()
		if err != nil {
			return err
		}
		if err := putTrial(tx, id, code); err != nil {
			return fmt.Errorf("whatsapp: put trial: %w", err)
		}
		if _, err := jobs.Enqueue(tx, trialJob, tx.Now().Add(trialFor), trialParcel{id, code}); err != nil {
			return err
		}
		if err := audit.Write(tx, "channel.inbound_test", id.String(), nil); err != nil {
			return err
		}
		out, err = s.trial(&tx.Reader, id)
		return err
	})
	return out, err
}

// codePrefix tells a code from what customers write.
const codePrefix = "KONAK-"

func newCode() (string, error) {
	digits, err := newDigits()
	return codePrefix + digits, err
}

// newDigits makes six digits that nobody can guess.
func newDigits() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", fmt.Errorf("whatsapp: digits: %w", err)
	}
	return fmt.Sprintf("%06d", n), nil
}

// passes says whether a message is the code that is waited for. It is for us
// and no customer's, so that no conversation begins with it.
func (s *Service) passes(ctx context.Context, a channel.Account, text string) (passed bool, err error) {
	at := strings.Index(strings.ToUpper(text), codePrefix)
	if at < 0 || len(text) < at+len(codePrefix)+6 {
		return false, nil
	}
	code := strings.ToUpper(text[at : at+len(codePrefix)+6])
	err = s.accounts.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		t, err := trialOf(&tx.Reader, a.ID)
		if err != nil || t.started == nil || !tx.Now().Before(t.started.Add(trialFor)) {
			return err
		}
		if passed, err = passTrial(tx, a.ID, code); err != nil || !passed {
			return err
		}
		if a.Reason != nil && *a.Reason == channel.InboundTestExpired {
			_, err = s.Channels.Set(tx, a.ID, channel.Active, nil)
		}
		return err
	})
	return passed, err
}

type trialParcel struct {
	AccountID uuid.UUID `json:"account_id"`
	Code      string    `json:"code"`
}

// runTrial is the handler of trialJob: a code that did not arrive in its time
// says that the number needs attention.
func (s *Service) runTrial(ctx context.Context, j *jobs.Job) error {
	var p trialParcel
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	return s.accounts.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := s.Channels.Find(&tx.Reader, Name, p.AccountID)
		if err != nil {
			return channel.IgnoreDeleted(err)
		}
		t, err := trialOf(&tx.Reader, p.AccountID)
		if err != nil || t.code == nil || *t.code != p.Code || a.Status != channel.Active {
			return err
		}
		why := channel.InboundTestExpired
		_, err = s.Channels.Set(tx, p.AccountID, channel.Attention, &why)
		return err
	})
}
