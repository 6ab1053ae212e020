package channel

import (
	"fmt"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// ConnectAgain is Connect for an account that a provider has a name for. Where the
// workspace disconnected one of that name before, the newest of them comes back as again
// makes of it, and a is not used: the same id, with its conversations and its customers.
func (s *Service) ConnectAgain(tx *db.Tx, a Account, again func(*Account) error) (Account, error) {
	former, err := formerAccount(&tx.Reader, a.Kind, *a.ExternalID)
	if db.IsNoRow(err) {
		return s.Connect(tx, a)
	}
	if err != nil {
		return a, fmt.Errorf("channel: former: %w", err)
	}
	return s.reconnect(tx, former, again)
}

// reconnect is the gate for an account that was disconnected. Its credentials were taken
// then; the caller gives it new ones.
func (s *Service) reconnect(tx *db.Tx, former Account, again func(*Account) error) (Account, error) {
	// The configuration is locked before the account, as by SetAI.
	fits, err := s.fitsConfiguration(tx, &former)
	if err != nil {
		return former, err
	}
	a, err := lock(tx, former.ID)
	if err != nil {
		return a, db.NotFound(err)
	}
	if a.Status != Disconnected { // somebody was faster
		return a, errTaken()
	}
	if err := checkCount(tx); err != nil {
		return a, err
	}
	if !fits {
		a.AIConfigurationID = nil
	}
	if err := s.forgetGroup(&tx.Reader, &a); err != nil {
		return a, err
	}
	if err := again(&a); err != nil {
		return a, err
	}
	before := previous{Disconnected, a.Reason}
	a.Status, a.Reason, a.UpdatedAt = Active, nil, clock.At(tx.Now())
	if err := s.check(tx, &a); err != nil {
		return a, err
	}
	if err := save(tx, &a); err != nil {
		return a, fmt.Errorf("channel: save: %w", err)
	}
	if err := jobs.ResumeAccount(tx, a.ID); err != nil {
		return a, err
	}
	if kind, ok := s.kinds[a.Kind]; ok {
		if err := kind.Changed(tx, a, Disconnected); err != nil {
			return a, err
		}
	}
	if err := audit.Write(tx, "channel.connected", a.ID.String(), map[string]any{"kind": a.Kind, "name": a.Name, "again": true}); err != nil {
		return a, err
	}
	return a, announce(tx, &a, &before)
}

// forgetGroup takes a group out of an account that was deleted while the account was over.
func (s *Service) forgetGroup(r *db.Reader, a *Account) error {
	if a.GroupID == nil {
		return nil
	}
	there, err := s.groups.IsGroup(r, *a.GroupID)
	if err == nil && !there {
		a.GroupID = nil
	}
	return err
}

// fitsConfiguration says whether an account can keep the configuration of the assistant
// that it names, which may have been deleted or changed while the account was over, and
// keeps it until the transaction ends.
func (s *Service) fitsConfiguration(tx *db.Tx, a *Account) (bool, error) {
	if a.AIConfigurationID == nil {
		return true, nil
	}
	there, err := s.assistants.HoldConfiguration(tx, *a.AIConfigurationID)
	if err != nil || !there || a.Hours.V != nil {
		return there, err
	}
	needs, err := s.assistants.NeedsHours(&tx.Reader, *a.AIConfigurationID)
	return !needs, err
}

// checkCount returns limit_reached where the workspace has as many accounts as it may.
func checkCount(tx *db.Tx) error {
	n, err := count(&tx.Reader)
	if err == nil && n >= maxAccounts {
		err = fault.New(fault.LimitReached, maxAccounts)
	}
	return err
}

// errTaken is the refusal for a name at a provider that an account has.
func errTaken() error {
	return fault.New(fault.Conflict).Field("external_id", "taken").Because("account_taken")
}
