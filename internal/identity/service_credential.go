package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Authenticate implements api.Authenticator.
func (s *Service) Authenticate(ctx context.Context, token string) (*caller.Caller, error) {
	return s.authenticate(ctx, token, cacheFor)
}

// Recheck implements api.Authenticator.
func (s *Service) Recheck(ctx context.Context, token string) (*caller.Caller, error) {
	return s.authenticate(ctx, token, recheckCacheFor)
}

// authenticate accepts a cached look-up that is younger than maxAge.
func (s *Service) authenticate(ctx context.Context, token string, maxAge time.Duration) (*caller.Caller, error) {
	isKey := secret.WellFormed(token, secret.KeyLivePrefix) || secret.WellFormed(token, secret.KeyTestPrefix)
	if !isKey && !secret.WellFormed(token, secret.SessionPrefix) {
		return nil, fault.New(fault.Unauthenticated)
	}
	hash := sha256.Sum256([]byte(token))
	now := s.db.Clock().Now()
	if p, ok := s.cache.Get(hash); ok && p.isRecent(now, maxAge) {
		return p.caller, nil
	}
	epoch := s.epoch.Load()
	find, build := sessionByHash, sessionCaller
	if isKey {
		find, build = keyByHash, keyCaller
	}
	row, err := db.Read(ctx, s.db.System("credential look-up"), func(r *db.Reader) (credentialRow, error) { return find(r, hash[:]) })
	if db.IsNoRow(err) && !isKey {
		if err := s.checkReuse(ctx, hash[:]); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, db.IfNoRow(fmt.Errorf("identity: look up credential: %w", err), fault.New(fault.Unauthenticated))
	}
	p := build(row)
	if !p.valid(now) {
		return nil, fault.New(fault.Unauthenticated)
	}
	if isKey && now.Sub(row.lastSeenAt) >= usedEvery {
		err := s.db.System("key last used").InTx(ctx, func(tx *db.Tx) error { return touchKey(tx, row.id) })
		if err != nil {
			return nil, fmt.Errorf("identity: touch key: %w", err)
		}
	}
	if !isKey && now.Sub(row.lastSeenAt) >= seenEvery {
		err := s.db.System("session last seen").InTx(ctx, func(tx *db.Tx) error { return touchSession(tx, row.id) })
		if err != nil {
			return nil, fmt.Errorf("identity: touch session: %w", err)
		}
		p = build(row)
		p.expires = earlier(now.Add(idleOf(row.kind)), row.expiresAt)
	}
	p.readAt = now
	s.remember(hash, p, epoch)
	return p.caller, nil
}

// SessionCaller returns the caller that a session of the reader's workspace belongs to and
// their language, for work that runs while the session lasts and without its token. It
// returns unauthenticated if the session is over.
func (s *Service) SessionCaller(r *db.Reader, id uuid.UUID) (who *caller.Caller, language string, err error) {
	row, err := sessionByID(r, id)
	if err != nil {
		return nil, "", db.IfNoRow(fmt.Errorf("identity: find session: %w", err), fault.New(fault.Unauthenticated))
	}
	p := sessionCaller(row)
	if !p.valid(s.db.Clock().Now()) {
		return nil, "", fault.New(fault.Unauthenticated)
	}
	return p.caller, row.user.Language, nil
}

// SessionHash returns the hash of a session's token, which identifies its streams when it
// is closed. It returns db.ErrNoRow if there is no such session.
func (s *Service) SessionHash(r *db.Reader, id uuid.UUID) ([]byte, error) { return sessionHash(r, id) }

// remember caches a look-up unless something was forgotten since it began: it may have read
// what was just revoked.
func (s *Service) remember(hash [sha256.Size]byte, p *proven, epoch uint64) {
	s.cache.Set(hash, p)
	if s.epoch.Load() != epoch {
		s.cache.Remove(hash)
	}
}

// forget drops cached credentials, so that a change takes effect at once on
// this node.
func (s *Service) forget(is func(*caller.Caller) bool) {
	s.epoch.Add(1)
	for hash, p := range s.cache.All() {
		if is(p.caller) {
			s.cache.Remove(hash)
		}
	}
	s.cfg.Streams.Recheck(func(_ [sha256.Size]byte, who *caller.Caller) bool { return is(who) })
}

// ForgetUser drops the cached sessions of a person in every workspace.
func (s *Service) ForgetUser(id uuid.UUID) {
	s.forget(func(c *caller.Caller) bool { return c.UserID == id })
}

// forgetActor drops the cached sessions of a membership, or an API key.
func (s *Service) forgetActor(id uuid.UUID) {
	s.forget(func(c *caller.Caller) bool { return c.ID == id })
}

// forgetTenant drops every cached credential of a workspace.
func (s *Service) forgetTenant(id uuid.UUID) {
	s.forget(func(c *caller.Caller) bool { return c.TenantID == id })
}

func sessionCaller(row credentialRow) *proven {
	perms := permissionsOf(row.role, row.ownRole)
	if row.scopes != nil {
		// An app acts for a person: within what they granted and may do themselves.
		perms = perm.Expand(row.scopes).Within(perms)
	}
	who := &caller.Caller{
		Kind: caller.Agent, TenantID: row.tenantID, Slug: row.slug, ID: row.membershipID,
		UserID: row.userID, SessionID: row.id, VerifiedAt: row.verifiedAt,
		Perms: perms, Licences: licenceSet(row.licences), Delegated: row.kind == SessionApp || row.bound && row.verifiedAt.UnixMicro() == 0,
		MustEnrol: row.requiresTwoFactor && !row.user.TwoFactor, Resource: row.resource,
	}
	if row.kind == SessionApp {
		who.App = row.device
	}
	who.Kept = newMe(row, who)
	return &proven{
		caller:  who,
		expires: earlier(row.lastSeenAt.Add(idleOf(row.kind)), row.expiresAt),
	}
}

func keyCaller(row credentialRow) *proven {
	return &proven{
		caller: &caller.Caller{
			Kind: caller.APIKey, TenantID: row.tenantID, Slug: row.slug, ID: row.id,
			Perms: perm.Expand(row.scopes), Licences: licenceSet(row.licences), Test: row.environment == "test",
		},
		expires: row.expiresAt,
	}
}
