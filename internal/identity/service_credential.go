package identity

import (
	"context"
	"crypto/sha256"
	"fmt"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Authenticate implements api.Authenticator.
func (s *Service) Authenticate(ctx context.Context, token string) (*caller.Caller, error) {
	isKey := secret.WellFormed(token, secret.KeyLivePrefix) || secret.WellFormed(token, secret.KeyTestPrefix)
	if !isKey && !secret.WellFormed(token, secret.SessionPrefix) {
		return nil, fault.New(fault.Unauthenticated)
	}
	hash := sha256.Sum256([]byte(token))
	now := s.db.Clock().Now()
	if p, ok := s.cache.GetIfPresent(hash); ok && p.valid(now) {
		return p.caller, nil
	}
	find, make := sessionByHash, sessionCaller
	if isKey {
		find, make = keyByHash, keyCaller
	}
	var row credentialRow
	err := s.db.System("credential look-up").Read(ctx, func(r *db.Reader) (err error) {
		row, err = find(r, hash[:])
		return err
	})
	if db.IsNoRow(err) {
		return nil, fault.New(fault.Unauthenticated)
	}
	if err != nil {
		return nil, fmt.Errorf("identity: look up credential: %w", err)
	}
	p := make(row)
	if !p.valid(now) {
		return nil, fault.New(fault.Unauthenticated)
	}
	if !isKey && now.Sub(row.lastSeenAt) >= seenEvery {
		err := s.db.System("session last seen").InTx(ctx, func(tx *db.Tx) error { return touchSession(tx, row.id) })
		if err != nil {
			return nil, fmt.Errorf("identity: touch session: %w", err)
		}
		p = make(row)
		p.expires = earlier(now.Add(idleOf(row.kind)), row.expiresAt)
	}
	s.cache.Set(hash, p)
	return p.caller, nil
}

func sessionCaller(row credentialRow) *proven {
	return &proven{
		caller: &caller.Caller{
			Kind: caller.Agent, TenantID: row.tenantID, Slug: row.slug, ID: row.membershipID,
			UserID: row.userID, SessionID: row.id, VerifiedAt: row.verifiedAt,
			Perms: rolePermissions[row.role], Licences: licenceSet(row.licences),
		},
		expires: earlier(row.lastSeenAt.Add(idleOf(row.kind)), row.expiresAt),
	}
}

func keyCaller(row credentialRow) *proven {
	return &proven{
		caller: &caller.Caller{
			Kind: caller.APIKey, TenantID: row.tenantID, Slug: row.slug, ID: row.id,
			Perms: perm.NewSet(row.scopes...), Licences: licenceSet(row.licences), Test: row.environment == "test",
		},
		expires: row.expiresAt,
	}
}
