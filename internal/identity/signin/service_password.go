package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/identity/notice"
	"konak/internal/identity/password"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// resetFor is how long the link to a new password is valid.
const resetFor = 30 * time.Minute

// RequestPasswordReset mails the link to a new password, if the address has an account.
func (s *Service) RequestPasswordReset(ctx context.Context, in AddressRequest) error {
	return s.enqueue(ctx, JobForgot, in)
}

// mailResetLink mails the link to a new password, if the address has an account.
func (s *Service) mailResetLink(tx *db.Tx, emailKey string) error {
	u, err := identity.FindUserByEmail(&tx.Reader, emailKey)
	if err != nil {
		return db.IfNoRow(fmt.Errorf("signin: find account: %w", err), nil)
	}
	token := secret.NewToken(secret.ResetPrefix)
	if err := putReset(tx, u.ID, secret.Hash(token), tx.Now().Add(resetFor)); err != nil {
		return fmt.Errorf("signin: put reset: %w", err)
	}
	return s.cfg.Mailer.Send(tx, notice.ResetPassword.For(u.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageResetPassword, token)))
}

// Reset sets a new password for the holder of the mailed link, and closes every session. It
// opens none: the second step is still to come.
func (s *Service) Reset(ctx context.Context, token, chosen, ip string) error {
	if !secret.WellFormed(token, secret.ResetPrefix) {
		return fault.New(fault.LinkExpired)
	}
	hash := secret.Hash(token)
	var a identity.Account
	err := s.db.System("password reset").Read(ctx, func(r *db.Reader) (err error) {
		user, err := userByReset(r, hash, s.db.Clock().Now())
		if err == nil {
			a, err = identity.FindAccountByUser(r, user, "")
		}
		return err
	})
	if err != nil {
		return db.IfNoRow(fmt.Errorf("signin: find reset: %w", err), fault.New(fault.LinkExpired))
	}
	if err := password.Check("password", chosen, a.User.TwoFactor, a.User.Email, a.User.Name); err != nil {
		return err
	}
	encoded, err := s.cfg.Passwords.Hash(ctx, chosen)
	if err != nil {
		return err
	}
	return s.db.Tenant(a.Workspace.ID).InTx(a.ActIn(ctx, ip), func(tx *db.Tx) error {
		if ok, err := takeReset(tx, hash); err != nil {
			return fmt.Errorf("signin: take reset: %w", err)
		} else if !ok {
			return fault.New(fault.LinkExpired)
		}
		return s.setPassword(tx, a.User, encoded, uuid.Nil, "password.reset")
	})
}

// ChangePassword sets a new password for the caller, who proves the old one, and closes
// their other sessions.
func (s *Service) ChangePassword(ctx context.Context, current, chosen string) error {
	a, err := s.proveOwnPassword(ctx, current, "current_password")
	if err != nil {
		return err
	}
	if err := password.Check("new_password", chosen, a.User.TwoFactor, a.User.Email, a.User.Name); err != nil {
		return err
	}
	encoded, err := s.cfg.Passwords.Hash(ctx, chosen)
	if err != nil {
		return err
	}
	who := caller.From(ctx)
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return s.setPassword(tx, a.User, encoded, who.SessionID, "password.changed")
	})
}

// setPassword is the gate for a new password.
func (s *Service) setPassword(tx *db.Tx, u identity.User, encoded string, keep uuid.UUID, action string) error {
	if err := identity.UpdatePassword(tx, u.ID, encoded); err != nil {
		return fmt.Errorf("signin: set password: %w", err)
	}
	if err := dropResets(tx, u.ID); err != nil {
		return err
	}
	closed, err := s.identity.CloseOtherSessions(tx, u.ID, keep, "password_changed")
	if err != nil {
		return err
	}
	if err := s.cfg.Mailer.Send(tx, notice.PasswordChanged.For(u.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageForgotPassword, ""))); err != nil {
		return err
	}
	return audit.Write(tx, action, u.ID.String(), map[string]any{"sessions_closed": closed})
}

// findOwnAccount finds the account of the caller.
func findOwnAccount(r *db.Reader) (identity.Account, error) {
	a, err := identity.FindAccountByMember(r, caller.From(r.Context()).ID)
	if err != nil {
		return identity.Account{}, fmt.Errorf("signin: find account: %w", err)
	}
	return a, nil
}

// proveOwnPassword checks the caller's password and returns their account. A wrong one is a
// 422: a 401 would make clients discard the session.
func (s *Service) proveOwnPassword(ctx context.Context, password, field string) (identity.Account, error) {
	a, err := db.Read(ctx, s.db.TenantOf(ctx), findOwnAccount)
	if err != nil {
		return identity.Account{}, err
	}
	ok, err := s.cfg.Passwords.Verify(ctx, a.PasswordHash, password)
	if err == nil && !ok {
		err = fault.New(fault.WrongPassword).Field(field, "wrong")
	}
	return a, err
}
