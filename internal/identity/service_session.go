package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// OpenPanelSession opens a panel session for a person who has completed every step. method
// names the way of signing in, for the audit log.
func (s *Service) OpenPanelSession(tx *db.Tx, a Account, d Device, method string) (SignedIn, error) {
	out := SignedIn{User: a.User, Workspace: a.Workspace}
	var err error
	out.Token, out.Session, err = s.OpenSession(tx, NewSession{
		TenantID: a.Workspace.ID, MembershipID: a.Membership.ID, UserID: a.User.ID, Kind: SessionPanel, Device: d,
	})
	if err != nil {
		return SignedIn{}, err
	}
	return out, audit.Write(tx, "session.opened", out.Session.ID.String(), map[string]any{"method": method})
}

// OpenSession is the gate for a session that starts a family. It returns the token, which
// is shown once.
func (s *Service) OpenSession(tx *db.Tx, n NewSession) (string, SessionInfo, error) {
	token := secret.NewToken(secret.SessionPrefix)
	now := tx.Now()
	info := SessionInfo{
		ID: tx.NewID(), Kind: n.Kind, DeviceName: n.Device.Name, Platform: n.Device.Platform,
		CreatedAt: clock.At(now), ExpiresAt: clock.At(n.endsAt(now)), VerifiedAt: provenAt(n.verifiedAt(now)),
	}
	if err := putSession(tx, info.ID, n, secret.Hash(token), info.ExpiresAt.Time); err != nil {
		return "", SessionInfo{}, fmt.Errorf("identity: open session: %w", err)
	}
	return token, info, nil
}

// SignOut ends the caller's session.
func (s *Service) SignOut(ctx context.Context) error {
	who := caller.From(ctx)
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.CloseSession(tx, who.SessionID, "signed_out"); err != nil {
			return err
		}
		return audit.Write(tx, "session.closed", who.SessionID.String(), map[string]any{"reason": "signed_out"})
	})
}

// CloseSession ends a session, no matter whose, and records the reason.
func (s *Service) CloseSession(tx *db.Tx, id uuid.UUID, reason string) error {
	hash, err := closeSession(tx, id, reason)
	if err != nil {
		return fmt.Errorf("identity: close session: %w", err)
	}
	s.forgetTokens(tx, hash)
	return nil
}

// VerifySession records that the password was proven now for an open session. It returns
// fault.Unauthenticated if the session was closed meanwhile.
func (s *Service) VerifySession(tx *db.Tx, id uuid.UUID) error {
	hash, err := stampSession(tx, id)
	if err != nil {
		return db.IfNoRow(fmt.Errorf("identity: verify session: %w", err), fault.New(fault.Unauthenticated))
	}
	s.forgetTokens(tx, hash)
	return nil
}

// CloseAppSessions ends the sessions of an OAuth app in every workspace and returns their
// number.
func (s *Service) CloseAppSessions(tx *db.Tx, app uuid.UUID, reason string) (int, error) {
	hashes, err := closeAppSessions(tx, app, reason)
	if err != nil {
		return 0, fmt.Errorf("identity: close app's sessions: %w", err)
	}
	s.forgetTokens(tx, hashes...)
	return len(hashes), nil
}

// CloseGrantedSessions ends the sessions that a member of the transaction's workspace gave
// to an OAuth app and returns their number.
func (s *Service) CloseGrantedSessions(tx *db.Tx, app, membership uuid.UUID, reason string) (int, error) {
	hashes, err := closeGrantedSessions(tx, app, membership, reason)
	if err != nil {
		return 0, fmt.Errorf("identity: close app's sessions: %w", err)
	}
	s.forgetTokens(tx, hashes...)
	return len(hashes), nil
}

// forgetTokens drops cached sessions once the transaction that closes or changes them is
// committed.
func (s *Service) forgetTokens(tx *db.Tx, hashes ...[]byte) {
	tx.AfterCommit(func() {
		s.epoch.Add(1)
		for _, h := range hashes {
			s.cache.Remove([sha256.Size]byte(h))
		}
		s.cfg.Streams.Recheck(func(credential [sha256.Size]byte, _ *caller.Caller) bool {
			return slices.ContainsFunc(hashes, func(h []byte) bool { return bytes.Equal(h, credential[:]) })
		})
	})
}

// Sessions lists the caller's own open sessions in every workspace, newest first.
func (s *Service) Sessions(ctx context.Context, p db.Page) (db.List[OwnSession], error) {
	who := caller.From(ctx)
	list, err := db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[OwnSession], error) {
		return listSessions(r, who.UserID, s.db.Clock().Now(), p)
	})
	for i := range list.Rows {
		list.Rows[i].Current = list.Rows[i].ID == who.SessionID
	}
	return list, err
}

// RevokeSession ends one of the caller's own sessions.
func (s *Service) RevokeSession(ctx context.Context, id uuid.UUID) error {
	who := caller.From(ctx)
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		hash, err := revokeSession(tx, who.UserID, id)
		if err != nil {
			return db.NotFound(err)
		}
		s.forgetTokens(tx, hash)
		return audit.Write(tx, "session.closed", id.String(), map[string]any{"reason": "revoked"})
	})
}

// RevokeOthers ends every session of the caller except the current one.
func (s *Service) RevokeOthers(ctx context.Context) (n int, err error) {
	who := caller.From(ctx)
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		n, err = s.CloseOtherSessions(tx, who.UserID, who.SessionID, "revoked")
		if err != nil || n == 0 {
			return err
		}
		return audit.Write(tx, "session.others_closed", who.SessionID.String(), map[string]any{"closed": n})
	})
	return n, err
}

// CloseOtherSessions ends a person's sessions except one and returns their number. The zero
// id spares none.
func (s *Service) CloseOtherSessions(tx *db.Tx, user, but uuid.UUID, reason string) (int, error) {
	hashes, err := closeSessions(tx, user, but, reason)
	if err != nil {
		return 0, fmt.Errorf("identity: close sessions: %w", err)
	}
	s.forgetTokens(tx, hashes...)
	return len(hashes), nil
}
