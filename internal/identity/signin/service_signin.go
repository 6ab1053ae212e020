package signin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// perEmail limits the tries at one address from unknown devices, wherever they are. It is
// the same for an address that nobody has. A device on which the person signed in before
// has its own tries, so that strangers who use theirs up do not lock the person out.
var (
	perEmail  = limit.Policy{Name: "credentials-email", Burst: 30, Window: time.Hour, Strict: true}
	perDevice = limit.Policy{Name: "credentials-device", Burst: 30, Window: time.Hour, Strict: true}
)

// SignIn checks a password. It opens a session in the person's workspace, or returns a
// ticket if a second step is on.
func (s *Service) SignIn(ctx context.Context, in Proof) (SignInAnswer, error) {
	key := address.Fold(strings.TrimSpace(in.Email))
	// Only a try that passed the robot check counts: otherwise anybody could use up the
	// tries of somebody else's address.
	if err := s.cfg.Captcha.Require(ctx, in.Captcha, in.Device.IP, key); err != nil {
		return SignInAnswer{}, err
	}
	policy, of := perEmail, limit.OfText(key)
	if device, ok := s.knownDevice(in.DeviceToken, key); ok {
		policy, of = perDevice, device
	}
	if r := s.cfg.Limits.Take(ctx, policy, of); !r.Allowed {
		return SignInAnswer{}, api.RateLimited(r)
	}
	a, err := s.findAccount(ctx, key, in)
	if fault.Is(err, fault.WrongCredentials) {
		if err := s.cfg.Captcha.CountFailure(ctx, in.Device.IP, key); err != nil {
			return SignInAnswer{}, err
		}
	}
	if err != nil {
		return SignInAnswer{}, err
	}
	if a.User.TwoFactor {
		return s.giveTicket(ctx, a, in.Device)
	}
	out, err := s.openSession(ctx, a, in.Device, "password")
	return answerOf(out), err
}

// findAccount finds the account of an address and password. An unknown address takes as
// long as a wrong password and gets the same answer.
func (s *Service) findAccount(ctx context.Context, emailKey string, in Proof) (identity.Account, error) {
	var a identity.Account
	err := s.db.System("sign-in").Read(ctx, func(r *db.Reader) (err error) {
		a, err = identity.FindAccountByEmail(r, emailKey, in.Slug)
		if db.IsNoRow(err) {
			// A person who knows the password of a sign-up may be told that it waits for
			// verification.
			a.PasswordHash, err = findSignUpHash(r, emailKey)
		}
		return err
	})
	if err != nil && !db.IsNoRow(err) {
		return identity.Account{}, fmt.Errorf("signin: find account: %w", err)
	}
	if a.PasswordHash == "" {
		a.PasswordHash = s.cfg.Passwords.Dummy()
	}
	ok, err := s.cfg.Passwords.Verify(ctx, a.PasswordHash, in.Password)
	switch {
	case err != nil:
		return identity.Account{}, err
	case !ok:
		return identity.Account{}, fault.New(fault.WrongCredentials)
	case a.User.ID == uuid.Nil:
		return identity.Account{}, fault.New(fault.EmailNotVerified)
	}
	return a, nil
}

// openSession opens a panel session for a person who has completed every step.
func (s *Service) openSession(ctx context.Context, a identity.Account, d identity.Device, method string) (identity.SignedIn, error) {
	var out identity.SignedIn
	err := s.db.Tenant(a.Workspace.ID).InTx(a.ActIn(ctx, d.IP), func(tx *db.Tx) (err error) {
		out, err = s.identity.OpenPanelSession(tx, a, d, method)
		return err
	})
	return out, err
}

// Reauth checks the password again, and a code if two-factor sign-in is on. The session may
// then use what needs a fresh proof for 15 minutes.
func (s *Service) Reauth(ctx context.Context, password, code string) (Reauthenticated, error) {
	a, err := s.proveOwnPassword(ctx, password, "password")
	if err != nil {
		return Reauthenticated{}, err
	}
	if a.User.TwoFactor && code == "" {
		return Reauthenticated{}, fault.New(fault.WrongCode).Field("code", "required")
	}
	who := caller.From(ctx)
	var at time.Time
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if a.User.TwoFactor {
			if ok, err := s.useCode(tx, a.User.ID, code); err != nil {
				return err
			} else if !ok {
				return fault.New(fault.WrongCode).Field("code", "wrong")
			}
		}
		at = tx.Now()
		if err := s.identity.VerifySession(tx, who.SessionID); err != nil {
			return err
		}
		return audit.Write(tx, "session.verified", who.SessionID.String(), nil)
	})
	return Reauthenticated{clock.At(at), clock.At(at.Add(api.StepUpAge))}, err
}

// Reauthenticated tells how long the fresh proof is valid.
type Reauthenticated struct {
	VerifiedAt clock.Time `json:"verified_at"`
	ValidUntil clock.Time `json:"valid_until"`
}
