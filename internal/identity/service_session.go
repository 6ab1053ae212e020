package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// SignedIn is a session that was just opened.
type SignedIn struct {
	Token     string      `json:"session_token" example:"ses_…" doc:"Shown once"`
	Session   SessionInfo `json:"session"`
	User      User        `json:"user"`
	Workspace Workspace   `json:"workspace"`
}

// Proof is what somebody shows to sign in.
type Proof struct {
	Email, Password, Captcha string
	Device                   Device
	// Slug is the workspace of the host; empty for the person's first one.
	Slug string
	// DeviceToken is what an earlier sign-in left on the device, if any.
	DeviceToken string
}

// Device is where somebody signs in from.
type Device struct{ Name, Platform, IP string }

// perEmail bounds the tries at one address from devices that nobody signed in
// on with it, wherever they are. It is the same for an address that nobody has.
// A device that the person signed in on before has tries of its own, so that
// strangers who use theirs up do not lock the person out.
var (
	perEmail  = limit.Policy{Name: "credentials-email", Burst: 30, Window: time.Hour, Strict: true}
	perDevice = limit.Policy{Name: "credentials-device", Burst: 30, Window: time.Hour, Strict: true}
)

// SignIn proves a password. It opens a session in the person's workspace, or
// gives a ticket for the second step where that is on.
func (s *Service) SignIn(ctx context.Context, in Proof) (SignInAnswer, error) {
	key := address.Fold(strings.TrimSpace(in.Email))
	// Only a try that passed the robot check counts: without one, anybody could
	// use up the tries at somebody else's address.
	if err := s.human(ctx, in.Captcha, in.Device.IP, key); err != nil {
		return SignInAnswer{}, err
	}
	policy, of := perEmail, limit.OfText(key)
	if device, ok := s.knownDevice(in.DeviceToken, key); ok {
		policy, of = perDevice, device
	}
	if r := s.cfg.Limits.Take(ctx, policy, of); !r.Allowed {
		return SignInAnswer{}, api.RateLimited(r)
	}
	a, err := s.provePassword(ctx, key, in)
	if fault.Is(err, fault.WrongCredentials) {
		if err := s.suspicion.failed(ctx, in.Device.IP, key); err != nil {
			return SignInAnswer{}, err
		}
	}
	if err != nil {
		return SignInAnswer{}, err
	}
	if a.user.TwoFactor {
		return s.giveTicket(ctx, a, in.Device)
	}
	out, err := s.enter(ctx, a, in.Device, "password")
	return out.answer(), err
}

// provePassword finds the account of an address and password. An unknown
// address takes as long as a wrong password and reads the same.
func (s *Service) provePassword(ctx context.Context, emailKey string, in Proof) (account, error) {
	var a account
	err := s.db.System("sign-in").Read(ctx, func(r *db.Reader) (err error) {
		a, err = accountByEmail(r, emailKey, in.Slug)
		if db.IsNoRow(err) {
			// Whoever knows the password of a sign-up that waits for its
			// verification may be told so.
			a.passwordHash, err = pendingHash(r, emailKey)
		}
		return err
	})
	if err != nil && !db.IsNoRow(err) {
		return account{}, fmt.Errorf("identity: find account: %w", err)
	}
	if a.passwordHash == "" {
		a.passwordHash = s.hasher.dummy
	}
	ok, err := s.hasher.verify(ctx, a.passwordHash, in.Password)
	switch {
	case err != nil:
		return account{}, err
	case !ok:
		return account{}, fault.New(fault.WrongCredentials)
	case a.user.ID == uuid.Nil:
		return account{}, fault.New(fault.EmailNotVerified)
	}
	return a, nil
}

// enter opens the panel's session for a person who has proven everything.
func (s *Service) enter(ctx context.Context, a account, d Device, method string) (SignedIn, error) {
	var out SignedIn
	err := s.db.Tenant(a.workspace.ID).InTx(a.acting(ctx, d.IP), func(tx *db.Tx) (err error) {
		out, err = s.enterIn(tx, a, d, method)
		return err
	})
	return out, err
}

func (s *Service) enterIn(tx *db.Tx, a account, d Device, method string) (SignedIn, error) {
	out := SignedIn{User: a.user, Workspace: a.workspace}
	var err error
	out.Token, out.Session, err = s.openSession(tx, opening{
		tenantID: a.workspace.ID, membershipID: a.membership.ID, userID: a.user.ID,
		kind: SessionPanel, device: d.Name, platform: d.Platform, ip: d.IP,
	})
	if err != nil {
		return SignedIn{}, err
	}
	return out, audit.Write(tx, "session.opened", out.Session.ID.String(), map[string]any{"method": method})
}

// acting makes the account the one on whose behalf things happen, where no
// session says so yet.
func (a account) acting(ctx context.Context, ip string) context.Context {
	return caller.With(ctx, &caller.Caller{
		Kind: caller.Agent, TenantID: a.workspace.ID, Slug: a.workspace.Slug, ID: a.membership.ID, UserID: a.user.ID, IP: ip,
	})
}

// openSession is the gate for a session that begins a family. It gives the
// token, which is shown once.
func (s *Service) openSession(tx *db.Tx, o opening) (string, SessionInfo, error) {
	token := secret.NewToken(secret.SessionPrefix)
	now := tx.Now()
	info := SessionInfo{
		ID: tx.NewID(), Kind: o.kind, DeviceName: o.device, Platform: o.platform,
		CreatedAt: clock.At(now), ExpiresAt: clock.At(now.Add(SessionCeiling)), VerifiedAt: clock.At(o.verifiedAt(now)),
	}
	if err := putSession(tx, info.ID, o, secret.Hash(token), info.ExpiresAt.Time); err != nil {
		return "", SessionInfo{}, fmt.Errorf("identity: open session: %w", err)
	}
	return token, info, nil
}

// SignOut ends the caller's session.
func (s *Service) SignOut(ctx context.Context) error {
	who := caller.From(ctx)
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		hash, err := closeSession(tx, who.SessionID, "signed_out")
		if err != nil {
			return fmt.Errorf("identity: sign out: %w", err)
		}
		s.forgetTokens(tx, hash)
		return audit.Write(tx, "session.closed", who.SessionID.String(), map[string]any{"reason": "signed_out"})
	})
}

// forgetTokens drops cached sessions once the transaction that closes or
// changes them is durable.
func (s *Service) forgetTokens(tx *db.Tx, hashes ...[]byte) {
	tx.AfterCommit(func() {
		s.epoch.Add(1)
		for _, h := range hashes {
			s.cache.Invalidate([sha256.Size]byte(h))
		}
		s.cfg.Streams.Recheck(func(credential [sha256.Size]byte, _ *caller.Caller) bool {
			return slices.ContainsFunc(hashes, func(h []byte) bool { return bytes.Equal(h, credential[:]) })
		})
	})
}

// Sessions lists the caller's own open sessions in every workspace, the newest
// first.
func (s *Service) Sessions(ctx context.Context, p db.Page) (list db.List[OwnSession], err error) {
	who := caller.From(ctx)
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		list, err = listSessions(r, who.UserID, s.db.Clock().Now(), p)
		return err
	})
	for i := range list.Rows {
		list.Rows[i].Current = list.Rows[i].ID == who.SessionID
	}
	return list, err
}

// RevokeSession ends one of the caller's own sessions.
func (s *Service) RevokeSession(ctx context.Context, id uuid.UUID) error {
	who := caller.From(ctx)
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		hash, err := revokeSession(tx, who.UserID, id)
		if db.IsNoRow(err) {
			return fault.New(fault.NotFound)
		}
		if err != nil {
			return fmt.Errorf("identity: revoke session: %w", err)
		}
		s.forgetTokens(tx, hash)
		return audit.Write(tx, "session.closed", id.String(), map[string]any{"reason": "revoked"})
	})
}

// RevokeOthers ends every session of the caller but the one that asks.
func (s *Service) RevokeOthers(ctx context.Context) (n int, err error) {
	who := caller.From(ctx)
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		n, err = s.closeOthers(tx, who.UserID, who.SessionID, "revoked")
		if err != nil || n == 0 {
			return err
		}
		return audit.Write(tx, "session.others_closed", who.SessionID.String(), map[string]any{"closed": n})
	})
	return n, err
}

// closeOthers ends a person's sessions but one; the zero id spares none.
func (s *Service) closeOthers(tx *db.Tx, user, but uuid.UUID, reason string) (int, error) {
	hashes, err := closeSessions(tx, user, but, reason)
	if err != nil {
		return 0, fmt.Errorf("identity: close sessions: %w", err)
	}
	s.forgetTokens(tx, hashes...)
	return len(hashes), nil
}
