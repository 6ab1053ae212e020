package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// SignedIn is the answer to a sign-in.
type SignedIn struct {
	Token     string      `json:"session_token" example:"ses_…" doc:"Shown once"`
	Session   SessionInfo `json:"session"`
	User      User        `json:"user"`
	Workspace Workspace   `json:"workspace"`
}

// SignIn proves a password and opens a session in the person's workspace: the
// one of the host, or the first.
func (s *Service) SignIn(ctx context.Context, email, password, device, slug, ip string) (SignedIn, error) {
	var a account
	key := address.Fold(strings.TrimSpace(email))
	err := s.db.System("sign-in").Read(ctx, func(r *db.Reader) (err error) {
		a, err = accountByEmail(r, key, slug)
		return err
	})
	unknown := db.IsNoRow(err)
	if err != nil && !unknown {
		return SignedIn{}, fmt.Errorf("identity: find account: %w", err)
	}
	if unknown {
		a.passwordHash = s.hasher.dummy
	}
	ok, err := s.hasher.verify(ctx, a.passwordHash, password)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok || unknown {
		return SignedIn{}, fault.New(fault.WrongCredentials)
	}
	out := SignedIn{User: a.user, Workspace: a.workspace}
	err = s.db.System("sign-in").InTx(ctx, func(tx *db.Tx) (err error) {
		out.Token, out.Session, err = s.openSession(tx, opening{
			tenantID: a.workspace.ID, membershipID: a.membership.ID, userID: a.user.ID,
			kind: SessionPanel, device: device, ip: ip,
		})
		return err
	})
	return out, err
}

// openSession is the gate for a session that begins a family. It gives the
// token, which is shown once.
func (s *Service) openSession(tx *db.Tx, o opening) (string, SessionInfo, error) {
	token := secret.NewToken(secret.SessionPrefix)
	now := tx.Now()
	info := SessionInfo{
		ID: tx.NewID(), Kind: o.kind, DeviceName: o.device, Platform: o.platform,
		CreatedAt: clock.At(now), ExpiresAt: clock.At(now.Add(SessionCeiling)), VerifiedAt: clock.At(now),
	}
	if err := putSession(tx, info.ID, o, secret.Hash(token), info.ExpiresAt.Time); err != nil {
		return "", SessionInfo{}, fmt.Errorf("identity: open session: %w", err)
	}
	return token, info, nil
}

// SignOut ends the caller's session.
func (s *Service) SignOut(ctx context.Context) error {
	who := caller.From(ctx)
	var hash []byte
	err := s.db.System("sign-out").InTx(ctx, func(tx *db.Tx) (err error) {
		hash, err = closeSession(tx, who.SessionID, "signed_out")
		return err
	})
	if err != nil {
		return fmt.Errorf("identity: sign out: %w", err)
	}
	s.cache.Invalidate([sha256.Size]byte(hash))
	return nil
}

// Me is who is signed in and what they may do.
type Me struct {
	User        User              `json:"user"`
	Workspace   Workspace         `json:"workspace"`
	Membership  Membership        `json:"membership"`
	Permissions []perm.Permission `json:"permissions"`
	Licences    []string          `json:"licences"`
}

// Me tells the caller about themselves.
func (s *Service) Me(ctx context.Context) (Me, error) {
	who := caller.From(ctx)
	var a account
	err := s.db.Tenant(who.TenantID).Read(ctx, func(r *db.Reader) (err error) {
		a, err = userAndWorkspace(r, who.ID)
		return err
	})
	if err != nil {
		return Me{}, fmt.Errorf("identity: me: %w", err)
	}
	me := Me{User: a.user, Workspace: a.workspace, Membership: a.membership, Permissions: who.Perms.Sorted(), Licences: []string{}}
	for _, l := range AllLicences {
		if who.Licences[l] {
			me.Licences = append(me.Licences, l)
		}
	}
	return me, nil
}
