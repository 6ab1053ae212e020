package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// switchGrace is how long the token of a session that was switched away from
// may still turn up without alarm: requests that were on their way.
const switchGrace = time.Minute

// SwitchWorkspace opens a session in another of the person's workspaces and
// closes the one that asks, in one statement. The new one joins the family and
// keeps the ceiling: switching does not make a sign-in last longer.
func (s *Service) SwitchWorkspace(ctx context.Context, workspace uuid.UUID, ip string) (SignedIn, error) {
	return s.switchTo(ctx, workspace, ip, func(*db.Tx) error { return nil })
}

// switchTo is the gate for a switch of the caller's session; may has a say in
// its transaction.
func (s *Service) switchTo(ctx context.Context, workspace uuid.UUID, ip string, may func(*db.Tx) error) (SignedIn, error) {
	who := caller.From(ctx)
	token := secret.NewToken(secret.SessionPrefix)
	var out SignedIn
	err := s.db.Tenant(workspace).InTx(ctx, func(tx *db.Tx) error {
		if err := may(tx); err != nil {
			return err
		}
		next, old, err := switchSession(tx, who.SessionID, workspace, tx.NewID(), secret.Hash(token), ip)
		if db.IsNoRow(err) {
			return s.notSwitched(tx, who.SessionID)
		}
		if db.IsUnique(err) {
			return fault.New(fault.Unauthenticated).Wrap(err) // another switch was first
		}
		if err != nil {
			return fmt.Errorf("identity: switch workspace: %w", err)
		}
		s.forgetTokens(tx, old)
		a, err := accountByMember(&tx.Reader, next.membershipID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		out = SignedIn{Token: token, Session: next.info, User: a.user, Workspace: a.workspace}
		return auditAs(tx, next.membershipID, "session.switched", next.info.ID.String(), map[string]any{"from": who.SessionID})
	})
	return out, err
}

// notSwitched tells a session that was closed meanwhile from a workspace that
// is not the person's.
func (s *Service) notSwitched(tx *db.Tx, session uuid.UUID) error {
	open, err := sessionOpen(&tx.Reader, session)
	if err != nil {
		return fmt.Errorf("identity: switch workspace: %w", err)
	}
	if !open {
		return fault.New(fault.Unauthenticated)
	}
	return fault.New(fault.NotFound)
}

// auditAs writes a line in a workspace where the caller is another member.
func auditAs(tx *db.Tx, membership uuid.UUID, action, object string, details any) error {
	who := *caller.From(tx.Context())
	who.TenantID, who.ID = tx.Tenant(), membership
	return audit.WriteAs(tx, &who, action, object, details)
}

// checkReuse looks at a token that opens nothing. One that was switched away
// from a while ago should be nowhere any more: whoever shows it copied it, or
// the one who switched did, so the whole family ends.
func (s *Service) checkReuse(ctx context.Context, hash []byte) error {
	now := s.db.Clock().Now()
	var live []familyMember
	err := s.db.System("credential look-up").Read(ctx, func(r *db.Reader) (err error) {
		live, err = liveFamily(r, hash, now.Add(-switchGrace), now)
		return err
	})
	if err != nil {
		return fmt.Errorf("identity: look up family: %w", err)
	}
	for _, m := range live {
		who := &caller.Caller{Kind: caller.System, TenantID: m.tenant, IP: api.ClientIP(ctx)}
		err := s.db.Tenant(m.tenant).InTx(caller.With(ctx, who), func(tx *db.Tx) error { return s.endFamily(tx, m) })
		if err != nil {
			return fmt.Errorf("identity: end family: %w", err)
		}
	}
	return nil
}

func (s *Service) endFamily(tx *db.Tx, m familyMember) error {
	hash, err := revokeSession(tx, m.user.ID, m.session)
	if db.IsNoRow(err) {
		return nil // closed meanwhile
	}
	if err != nil {
		return err
	}
	s.forgetTokens(tx, hash)
	if err := s.mailer.Send(tx, familyLetter.to(m.user, s.page(pageSignIn, ""))); err != nil {
		return err
	}
	return audit.Write(tx, "session.reuse_detected", m.session.String(), map[string]any{"family": m.family})
}

// Reauth proves the password again, and a code where the second step is on, and
// stamps the session: what needs a fresh proof is open for 15 minutes.
func (s *Service) Reauth(ctx context.Context, password, code string) (Reauthenticated, error) {
	a, err := s.proveOwnPassword(ctx, password, "password")
	if err != nil {
		return Reauthenticated{}, err
	}
	if a.user.TwoFactor && code == "" {
		return Reauthenticated{}, fault.New(fault.WrongCode).Field("code", "required")
	}
	who := caller.From(ctx)
	var at time.Time
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if a.user.TwoFactor {
			if ok, err := s.spendCode(tx, a.user.ID, code); err != nil {
				return err
			} else if !ok {
				return fault.New(fault.WrongCode).Field("code", "wrong")
			}
		}
		at = tx.Now()
		hash, err := stampSession(tx, who.SessionID)
		if db.IsNoRow(err) {
			return fault.New(fault.Unauthenticated) // closed meanwhile
		}
		if err != nil {
			return fmt.Errorf("identity: stamp session: %w", err)
		}
		s.forgetTokens(tx, hash)
		return audit.Write(tx, "session.verified", who.SessionID.String(), nil)
	})
	return Reauthenticated{clock.At(at), clock.At(at.Add(api.StepUpAge))}, err
}

// Reauthenticated says how long the fresh proof counts.
type Reauthenticated struct {
	VerifiedAt clock.Time `json:"verified_at"`
	ValidUntil clock.Time `json:"valid_until"`
}
