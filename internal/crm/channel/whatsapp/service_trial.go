package whatsapp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

const trialJob = "whatsapp.trial"

// Trial is whether a message that somebody sends to the number arrives.
type Trial = channel.Trial

var _ channel.Trials = (*Service)(nil)

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
	return channel.TrialState{Code: t.code, Started: t.started, Verified: t.verified}.Shown(a, set.Display, s.DB.Clock().Now()), nil
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
		code, err := channel.NewTrialCode()
		if err != nil {
			return err
		}
		if err := putTrial(tx, id, code); err != nil {
			return fmt.Errorf("whatsapp: put trial: %w", err)
		}
		if _, err := jobs.Enqueue(tx, trialJob, tx.Now().Add(channel.TrialFor), trialParcel{id, code}); err != nil {
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
	code := channel.TrialCode(text)
	if code == "" {
		return false, nil
	}
	err = s.accounts.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		t, err := trialOf(&tx.Reader, a.ID)
		if err != nil || t.started == nil || !tx.Now().Before(t.started.Add(channel.TrialFor)) {
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
