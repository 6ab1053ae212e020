package signin

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// What an operator does for a person who cannot help themselves. Each of these is recorded
// in the audit log of the person's first workspace, and returns the fault not_found if
// nobody has the address.

// ResetPassword gives a person a random password, which it returns and does not store, and
// ends their sessions.
func (s *Service) ResetPassword(ctx context.Context, email string) (secret.Text, error) {
	password := secret.Of(rand.Text())
	encoded, err := s.cfg.Passwords.Hash(ctx, password.Reveal())
	if err != nil {
		return secret.Text{}, err
	}
	return password, s.operate(ctx, email, func(tx *db.Tx, u identity.User) error {
		return s.setPassword(tx, u, encoded, uuid.Nil, "password.reset_by_operator")
	})
}

// ResetTwoFactor switches a person's second step off and ends their sessions. It returns
// the fault two_factor_off if it is already off.
func (s *Service) ResetTwoFactor(ctx context.Context, email string) error {
	return s.operate(ctx, email, func(tx *db.Tx, u identity.User) error {
		if err := s.removeTOTP(tx, u); err != nil {
			return err
		}
		if _, err := s.identity.CloseOtherSessions(tx, u.ID, uuid.Nil, "operator"); err != nil {
			return err
		}
		return audit.Write(tx, "two_factor.reset_by_operator", u.ID.String(), nil)
	})
}

// EndSessions ends all sessions of a person and returns their number.
func (s *Service) EndSessions(ctx context.Context, email string) (n int, err error) {
	err = s.operate(ctx, email, func(tx *db.Tx, u identity.User) error {
		if n, err = s.identity.CloseOtherSessions(tx, u.ID, uuid.Nil, "operator"); err != nil {
			return err
		}
		return audit.Write(tx, "sessions.ended_by_operator", u.ID.String(), map[string]any{"sessions_closed": n})
	})
	return n, err
}

// operate runs fn for the person with an address, in a transaction of their first
// workspace.
func (s *Service) operate(ctx context.Context, email string, fn func(*db.Tx, identity.User) error) error {
	addr, ok := address.ParseEmail(email)
	if !ok {
		return fault.New(fault.NotFound)
	}
	a, err := db.Read(ctx, s.db.System("sign-in"), func(r *db.Reader) (identity.Account, error) {
		u, err := identity.FindUserByEmail(r, addr.Key)
		if err != nil {
			return identity.Account{}, err
		}
		return identity.FindAccountByUser(r, u.ID, "")
	})
	if err != nil {
		return db.IfNoRow(fmt.Errorf("signin: find person: %w", err), fault.New(fault.NotFound))
	}
	return s.db.Tenant(a.Workspace.ID).InTx(ctx, func(tx *db.Tx) error {
		tx.AfterCommit(func() { s.identity.ForgetUser(a.User.ID) })
		return fn(tx, a.User)
	})
}
