package channel

import (
	"fmt"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
)

// ConnectAgain is Connect for an account that the provider has a name for. If the workspace
// disconnected accounts of that name before, a is not used: the newest of them is
// reconnected, changed by again, and keeps its id, conversations and customers.
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

// reconnect is the gate for reconnecting a disconnected account. Its credentials were
// deleted when it was disconnected; the caller sets new ones.
func (s *Service) reconnect(tx *db.Tx, former Account, again func(*Account) error) (Account, error) {
	// The configuration is locked before the account, as in SetAI.
	fits, err := s.fitsConfiguration(tx, &former)
	if err != nil {
		return former, err
	}
	a, err := lock(tx, former.ID)
	if err != nil {
		return a, db.NotFound(err)
	}
	if a.Status != Disconnected { // reconnected by somebody else in the meantime
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
	if kind, ok := s.cfg.Kinds[a.Kind]; ok {
		if err := kind.AfterChange(tx, a, Disconnected); err != nil {
			return a, err
		}
	}
	if err := audit.Write(tx, "channel.connected", a.ID.String(), map[string]any{"kind": a.Kind, "name": a.Name, "again": true}); err != nil {
		return a, err
	}
	return a, announce(tx, &a, &before)
}

// forgetGroup removes the account's group if it was deleted while the account was
// disconnected.
func (s *Service) forgetGroup(r *db.Reader, a *Account) error {
	if a.GroupID == nil {
		return nil
	}
	there, err := s.cfg.Groups.IsGroup(r, *a.GroupID)
	if err == nil && !there {
		a.GroupID = nil
	}
	return err
}

// fitsConfiguration reports whether an account can keep its assistant configuration, which
// may have been deleted or changed while the account was disconnected, and locks it until
// the transaction ends.
func (s *Service) fitsConfiguration(tx *db.Tx, a *Account) (bool, error) {
	if a.AIConfigurationID == nil {
		return true, nil
	}
	there, err := s.cfg.Assistants.HoldConfiguration(tx, *a.AIConfigurationID)
	if err != nil || !there || a.Hours.V != nil {
		return there, err
	}
	needs, err := s.cfg.Assistants.NeedsHours(&tx.Reader, *a.AIConfigurationID)
	return !needs, err
}

// checkCount returns limit_reached if the workspace already has the maximum number of
// accounts.
func checkCount(tx *db.Tx) error {
	n, err := count(&tx.Reader)
	if err == nil && n >= maxAccounts {
		err = fault.New(fault.LimitReached, maxAccounts)
	}
	return err
}

// errTaken is the refusal if another account already has this name at the provider.
func errTaken() error {
	return fault.New(fault.Conflict).Field("external_id", "taken").Because("account_taken")
}
