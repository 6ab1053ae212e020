package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity/notice"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// switchGrace is how long the token of a session that was switched away from may still
// appear without alarm, for requests that were under way.
const switchGrace = time.Minute

// SwitchWorkspace opens a session in another of the person's workspaces and closes the
// current one, in one statement. The new one joins the family and keeps the ceiling:
// switching does not extend a sign-in.
func (s *Service) SwitchWorkspace(ctx context.Context, workspace uuid.UUID, ip string) (SignedIn, error) {
	return s.switchTo(ctx, workspace, ip, func(tx *db.Tx) error { return mayFollow(tx, workspace) })
}

// mayFollow keeps a delegated session in its workspace. An app's session may go to
// workspaces where the person granted it at least as much; for others it returns
// fault.NotFound, as for a workspace that does not exist.
func mayFollow(tx *db.Tx, workspace uuid.UUID) error {
	who := caller.From(tx.Context())
	if !who.Delegated {
		return nil
	}
	has, there, err := grantElsewhere(&tx.Reader, who.SessionID, workspace)
	if err != nil {
		return db.NotFound(err)
	}
	if !CoversScopes(there, has) {
		return fault.New(fault.NotFound)
	}
	return nil
}

// CoversScopes reports whether all scopes were granted. A nil granted means none.
func CoversScopes(granted, scopes []string) bool {
	for _, s := range scopes {
		if !slices.Contains(granted, s) {
			return false
		}
	}
	return granted != nil
}

// switchTo is the gate for switching the caller's session; may can refuse it inside its
// transaction.
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
		a, err := FindAccountByMember(&tx.Reader, next.membershipID)
		if err != nil {
			return fmt.Errorf("identity: find account: %w", err)
		}
		out = SignedIn{Token: token, Session: next.info, User: a.User, Workspace: a.Workspace}
		return auditAs(tx, next.membershipID, "session.switched", next.info.ID.String(), map[string]any{"from": who.SessionID})
	})
	return out, err
}

// notSwitched distinguishes a session that has ended meanwhile from a workspace that is not
// the person's.
func (s *Service) notSwitched(tx *db.Tx, session uuid.UUID) error {
	open, err := sessionOpen(tx, session)
	if err != nil {
		return fmt.Errorf("identity: switch workspace: %w", err)
	}
	if !open {
		return fault.New(fault.Unauthenticated)
	}
	return fault.New(fault.NotFound)
}

// auditAs writes an audit line in a workspace where the caller is another member.
func auditAs(tx *db.Tx, membership uuid.UUID, action, object string, details any) error {
	who := *caller.From(tx.Context())
	who.TenantID, who.ID = tx.Tenant(), membership
	return audit.WriteAs(tx, &who, action, object, details)
}

// checkReuse checks a token that opens nothing. If its session was switched away from a
// while ago, nobody should still have it: it was copied, or the session that replaced it
// was opened with a copy, so the whole family ends.
func (s *Service) checkReuse(ctx context.Context, hash []byte) error {
	now := s.db.Clock().Now()
	live, err := db.Read(ctx, s.db.System("credential look-up"), func(r *db.Reader) ([]familyMember, error) {
		return liveFamily(r, hash, now.Add(-switchGrace), now)
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
	if err != nil {
		return db.IgnoreNoRow(err) // closed meanwhile
	}
	s.forgetTokens(tx, hash)
	if err := s.cfg.Mailer.Send(tx, notice.SessionsClosed.For(m.user.Recipient(), notice.Link(s.cfg.BaseURL, notice.PageSignIn, ""))); err != nil {
		return err
	}
	return audit.Write(tx, "session.reuse_detected", m.session.String(), map[string]any{"family": m.family})
}
