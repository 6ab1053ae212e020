package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// resetFor is how long the link to a new password is good.
const resetFor = 30 * time.Minute

// Forgot mails the link to a new password, if the address has an account.
func (s *Service) Forgot(ctx context.Context, in AddressRequest) error {
	return s.later(ctx, JobForgot, in)
}

func (s *Service) forgot(tx *db.Tx, emailKey string) error {
	u, err := userByEmail(&tx.Reader, emailKey)
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("identity: find account: %w", err)
	}
	token := secret.NewToken(secret.ResetPrefix)
	if err := putReset(tx, u.ID, secret.Hash(token), tx.Now().Add(resetFor)); err != nil {
		return fmt.Errorf("identity: put reset: %w", err)
	}
	return s.mailer.Send(tx, resetLetter.to(u, s.page(pageReset, token)))
}

// Reset sets a new password for whoever holds the mailed link, and closes every
// session. It opens none: the second step is still to come.
func (s *Service) Reset(ctx context.Context, token, password, ip string) error {
	if !secret.WellFormed(token, secret.ResetPrefix) {
		return fault.New(fault.LinkExpired)
	}
	hash := secret.Hash(token)
	var a account
	err := s.db.System("password reset").Read(ctx, func(r *db.Reader) (err error) {
		a, err = accountByReset(r, hash, s.db.Clock().Now())
		return err
	})
	if db.IsNoRow(err) {
		return fault.New(fault.LinkExpired)
	}
	if err != nil {
		return fmt.Errorf("identity: find reset: %w", err)
	}
	if err := checkPassword("password", password, a.user.TwoFactor, a.user.Email, a.user.Name); err != nil {
		return err
	}
	encoded, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.Tenant(a.workspace.ID).InTx(a.acting(ctx, ip), func(tx *db.Tx) error {
		if ok, err := takeReset(tx, hash); err != nil {
			return fmt.Errorf("identity: take reset: %w", err)
		} else if !ok {
			return fault.New(fault.LinkExpired)
		}
		return s.setPassword(tx, a.user, encoded, uuid.Nil, "password.reset")
	})
}

// ChangePassword sets a new password for the caller, who proves the old one,
// and closes their other sessions.
func (s *Service) ChangePassword(ctx context.Context, current, password string) error {
	a, err := s.proveOwnPassword(ctx, current, "current_password")
	if err != nil {
		return err
	}
	if err := checkPassword("new_password", password, a.user.TwoFactor, a.user.Email, a.user.Name); err != nil {
		return err
	}
	encoded, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	who := caller.From(ctx)
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		return s.setPassword(tx, a.user, encoded, who.SessionID, "password.changed")
	})
}

// setPassword is the gate for a new password.
func (s *Service) setPassword(tx *db.Tx, u User, encoded string, keep uuid.UUID, action string) error {
	if err := updatePassword(tx, u.ID, encoded); err != nil {
		return fmt.Errorf("identity: set password: %w", err)
	}
	if err := dropResets(tx, u.ID); err != nil {
		return err
	}
	closed, err := s.closeOthers(tx, u.ID, keep, "password_changed")
	if err != nil {
		return err
	}
	if err := s.mailer.Send(tx, passwordLetter.to(u, s.page(pageForgot, ""))); err != nil {
		return err
	}
	return audit.Write(tx, action, u.ID.String(), map[string]any{"sessions_closed": closed})
}

// proveOwnPassword checks the caller's password. A wrong one is a 422: a 401
// would make clients throw the session away.
func (s *Service) proveOwnPassword(ctx context.Context, password, field string) (account, error) {
	var a account
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		a, err = accountByMember(r, caller.From(ctx).ID)
		return err
	})
	if err != nil {
		return account{}, fmt.Errorf("identity: find account: %w", err)
	}
	ok, err := s.hasher.verify(ctx, a.passwordHash, password)
	if err == nil && !ok {
		err = fault.New(fault.WrongPassword).Field(field, "wrong")
	}
	return a, err
}
