package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// A ticket for the second step is valid for five minutes and five tries.
const (
	ticketFor   = 5 * time.Minute
	ticketTries = 5
)

// ticket is a sign-in whose password was right and whose second step is pending.
type ticket struct {
	id, user, tenant, membership uuid.UUID
	device                       string
	challenge                    *string
}

// giveTicket answers a right password if a second step must follow.
func (s *Service) giveTicket(ctx context.Context, a identity.Account, d identity.Device) (SignInAnswer, error) {
	token := secret.NewToken(secret.TicketPrefix)
	out := SignInAnswer{MFARequired: true, MFAToken: token}
	err := s.db.System("sign-in").InTx(ctx, func(tx *db.Tx) error {
		out.Methods, out.Passkey = []string{MethodTOTP, MethodRecovery}, nil
		owner, err := s.findPasskeyOwner(&tx.Reader, a.User)
		if err != nil {
			return err
		}
		t := ticket{id: tx.NewID(), user: a.User.ID, tenant: a.Workspace.ID, membership: a.Membership.ID, device: d.Name}
		if len(owner.credentials) > 0 {
			options, challenge, err := s.beginAssertion(ctx, &owner)
			if err != nil {
				return err
			}
			out.Methods, out.Passkey, t.challenge = append(out.Methods, MethodPasskey), options, &challenge
		}
		return putTicket(tx, t, secret.Hash(token), tx.Now().Add(ticketFor))
	})
	if err != nil {
		return SignInAnswer{}, fmt.Errorf("signin: give ticket: %w", err)
	}
	return out, nil
}

// SecondStep is the proof given for the second step.
type SecondStep struct {
	Token, Method, Code string
	Credential          json.RawMessage
	Device              identity.Device
}

// FinishSignIn checks the second step and opens the session. Every try counts, even if it
// fails otherwise.
func (s *Service) FinishSignIn(ctx context.Context, in SecondStep) (identity.SignedIn, error) {
	if !secret.WellFormed(in.Token, secret.TicketPrefix) {
		return identity.SignedIn{}, fault.New(fault.SignInExpired)
	}
	t, err := db.Write(ctx, s.db.System("sign-in"), func(tx *db.Tx) (ticket, error) { return tryTicket(tx, secret.Hash(in.Token)) })
	if err != nil {
		return identity.SignedIn{}, db.IfNoRow(fmt.Errorf("signin: try ticket: %w", err), fault.New(fault.SignInExpired))
	}
	in.Device.Name = t.device
	var out identity.SignedIn
	err = s.db.Tenant(t.tenant).InTx(t.account().ActIn(ctx, in.Device.IP), func(tx *db.Tx) error {
		a, err := identity.FindAccountByMember(&tx.Reader, t.membership)
		if err != nil {
			return fault.New(fault.SignInExpired).Wrap(err) // suspended meanwhile
		}
		if ok, err := s.checkSecondStep(tx, &a, &t, in); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.WrongCode).Field("code", "wrong")
		}
		if ok, err := dropTicket(tx, t.id); err != nil {
			return err
		} else if !ok {
			return fault.New(fault.SignInExpired)
		}
		out, err = s.identity.OpenPanelSession(tx, a, in.Device, "password+"+in.Method)
		return err
	})
	if fault.Is(err, fault.WrongCode) {
		err = cmp.Or(s.cfg.Captcha.CountFailure(ctx, in.Device.IP, ""), err)
	}
	return out, err
}

// account returns the person of the ticket, as far as the ticket knows them.
func (t *ticket) account() identity.Account {
	return identity.Account{
		User:      identity.User{ID: t.user},
		Workspace: identity.Workspace{ID: t.tenant}, Membership: identity.Membership{ID: t.membership},
	}
}

// checkSecondStep reports whether the given proof is right. A wrong passkey is
// fault.PasskeyRefused.
func (s *Service) checkSecondStep(tx *db.Tx, a *identity.Account, t *ticket, in SecondStep) (bool, error) {
	switch in.Method {
	case MethodTOTP:
		return s.useTOTPCode(tx, t.user, in.Code)
	case MethodRecovery:
		return s.useRecoveryCode(tx, t.user, in.Code)
	}
	if t.challenge == nil {
		return false, fault.Invalid("method", "not_allowed")
	}
	owner, err := s.findPasskeyOwner(&tx.Reader, a.User)
	if err != nil {
		return false, err
	}
	return true, s.checkAssertion(tx, &owner, *t.challenge, in.Credential)
}
