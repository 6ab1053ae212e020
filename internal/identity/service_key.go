package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Keys lists the API keys that are not revoked, newest first.
func (s *Service) Keys(ctx context.Context, p db.Page) (db.List[APIKey], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[APIKey], error) {
		return listKeys(r, p)
	})
}

// AddKey is the gate for a new API key. Its rights never exceed those of its creator.
func (s *Service) AddKey(ctx context.Context, name, environment string, scopes []string, expires *clock.Time) (ShownKey, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return ShownKey{}, fault.Invalid("name", "required")
	}
	scopes, err := checkScopes(ctx, scopes)
	if err != nil {
		return ShownKey{}, err
	}
	token := secret.NewToken(keyPrefix(environment))
	var k APIKey
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &k, func(tx *db.Tx) error {
		if err := future(tx.Now(), expires); err != nil {
			return err
		}
		if n, err := countKeys(&tx.Reader); err != nil {
			return err
		} else if n >= maxKeys {
			return fault.New(fault.LimitReached, maxKeys)
		}
		k = APIKey{
			ID: tx.NewID(), Name: name, Environment: environment, Scopes: scopes, Last4: secret.Last4(token),
			CreatedBy: caller.From(ctx).Actor(), CreatedAt: clock.At(tx.Now()), ExpiresAt: expires,
		}
		if err := putKey(tx, tx.Tenant(), k, secret.Hash(token)); err != nil {
			return fmt.Errorf("identity: put key: %w", err)
		}
		return audit.Write(tx, "api_key.created", k.ID.String(), map[string]any{
			"name": name, "environment": environment, "scopes": scopes, "expires_at": expires,
		})
	})
	return ShownKey{k, token}, err
}

// ChangeKey is the gate for changing the name, scopes or expiry of a key.
func (s *Service) ChangeKey(ctx context.Context, id uuid.UUID, c KeyChange) (APIKey, error) {
	if c.Scopes != nil {
		var err error
		if c.Scopes, err = checkScopes(ctx, c.Scopes); err != nil {
			return APIKey{}, err
		}
	}
	var k APIKey
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		if k, err = keyByID(tx, id); err != nil {
			return db.NotFound(err)
		}
		before := map[string]any{"name": k.Name, "scopes": k.Scopes, "expires_at": k.ExpiresAt}
		if c.Name != nil {
			if k.Name = strings.TrimSpace(*c.Name); k.Name == "" {
				return fault.Invalid("name", "required")
			}
		}
		if c.Scopes != nil {
			k.Scopes = c.Scopes
		}
		if c.ExpiresAt != nil {
			if err := future(tx.Now(), c.ExpiresAt); err != nil {
				return err
			}
			k.ExpiresAt = c.ExpiresAt
		}
		if err := saveKey(tx, k); err != nil {
			return fmt.Errorf("identity: save key: %w", err)
		}
		tx.AfterCommit(func() { s.forgetActor(k.ID) })
		return audit.Write(tx, "api_key.changed", id.String(), map[string]any{"before": before, "after": map[string]any{
			"name": k.Name, "scopes": k.Scopes, "expires_at": k.ExpiresAt,
		}})
	})
	return k, err
}

// RotateKey is the gate for a new secret of the same key; the old one stops working at
// once. It gives the key's rights to the caller, so they must have them already.
func (s *Service) RotateKey(ctx context.Context, id uuid.UUID) (ShownKey, error) {
	var out ShownKey
	err := idempotency.Do(ctx, s.db.TenantOf(ctx), &out, func(tx *db.Tx) error {
		k, err := keyByID(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := mayGive(ctx, perm.Expand(k.Scopes).Sorted()); err != nil {
			return err
		}
		token := secret.NewToken(keyPrefix(k.Environment))
		if err := rotateKey(tx, id, secret.Hash(token), secret.Last4(token)); err != nil {
			return fmt.Errorf("identity: rotate key: %w", err)
		}
		k.Last4, k.RotatedAt = secret.Last4(token), clock.Ptr(tx.Now())
		out = ShownKey{k, token}
		tx.AfterCommit(func() { s.forgetActor(id) })
		return audit.Write(tx, "api_key.rotated", id.String(), map[string]any{"name": k.Name})
	})
	return out, err
}

// RevokeKey is the gate for revoking a key.
func (s *Service) RevokeKey(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		k, err := revokeKey(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		tx.AfterCommit(func() { s.forgetActor(id) })
		return audit.Write(tx, "api_key.revoked", id.String(), map[string]any{"name": k.Name})
	})
}

// CreateKey creates an API key for a workspace on behalf of the system, for the demo and
// for tests.
func (s *Service) CreateKey(ctx context.Context, tenant uuid.UUID, name string, test bool, scopes []perm.Permission) (secret.Text, error) {
	environment := EnvLive
	if test {
		environment = EnvTest
	}
	names := each.Map(scopes, func(p perm.Permission) string { return string(p) })
	token := secret.NewToken(keyPrefix(environment))
	err := s.db.System("create key").InTx(ctx, func(tx *db.Tx) error {
		return putKey(tx, tenant, APIKey{
			ID: tx.NewID(), Name: name, Environment: environment, Scopes: names,
			Last4: secret.Last4(token), CreatedAt: clock.At(tx.Now()),
		}, secret.Hash(token))
	})
	return secret.Of(token), err
}

func keyPrefix(environment string) string {
	if environment == EnvTest {
		return secret.KeyTestPrefix
	}
	return secret.KeyLivePrefix
}

// checkScopes sorts scopes and refuses unknown ones and those that the caller does not
// have.
func checkScopes(ctx context.Context, scopes []string) ([]string, error) {
	for _, name := range scopes {
		if !perm.KnownScope(name) {
			return nil, fault.Invalid("scopes", "unknown_scope")
		}
	}
	if err := mayGive(ctx, perm.Expand(scopes).Sorted()); err != nil {
		return nil, err
	}
	return sortedSet(scopes), nil
}

// sortedSet sorts a list and removes duplicates.
func sortedSet(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func future(now time.Time, at *clock.Time) error {
	if at != nil && !at.After(now) {
		return fault.Invalid("expires_at", "in_the_past")
	}
	return nil
}
