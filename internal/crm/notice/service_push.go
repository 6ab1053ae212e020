package notice

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/secret"
	"konak/internal/kit/webpush"
)

// PushKey returns the public key of the workspace, which is created on first use.
func (s *Service) PushKey(ctx context.Context) (PushKey, error) {
	public, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (string, error) {
		public, _, err := findKey(r)
		return public, err
	})
	if !db.IsNoRow(err) {
		return PushKey{public}, err
	}
	public, sealed, err := s.newKey(caller.From(ctx).TenantID)
	if err != nil {
		return PushKey{}, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := putKey(tx, public, sealed); err != nil {
			return err
		}
		public, _, err = findKey(&tx.Reader) // another request may have been first
		return err
	})
	return PushKey{public}, err
}

func (s *Service) newKey(tenant uuid.UUID) (public string, sealed []byte, err error) {
	key, err := webpush.NewKey()
	if err != nil {
		return "", nil, fmt.Errorf("notice: new key: %w", err)
	}
	private, err := key.Bytes()
	if err != nil {
		return "", nil, fmt.Errorf("notice: new key: %w", err)
	}
	public, err = key.Public()
	return public, s.Box.Seal(tenant, sealedKey, private), err
}

// key returns the decrypted key of the reader's workspace.
func (s *Service) key(r *db.Reader) (webpush.Key, error) {
	_, sealed, err := findKey(r)
	if err != nil {
		return webpush.Key{}, fmt.Errorf("notice: find key: %w", err)
	}
	private, err := s.Box.Open(r.Tenant(), sealedKey, sealed)
	if err != nil {
		return webpush.Key{}, fmt.Errorf("notice: open key: %w", err)
	}
	return webpush.ParseKey(private)
}

// Subscribe makes a browser receive the caller's pushes for as long as the caller's session
// lasts. It returns validation_failed for an address inside the network and for keys that
// cannot be used.
func (s *Service) Subscribe(ctx context.Context, n NewSubscription) (out Subscription, err error) {
	service, err := n.check(s.Out)
	if err != nil {
		return out, err
	}
	plain, err := json.Marshal(n)
	if err != nil {
		return out, fmt.Errorf("notice: encode subscription: %w", err)
	}
	who := caller.From(ctx)
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		d := device{id: tx.NewID(), agent: who.ID, session: who.SessionID, service: service}
		d.sealed = s.Box.Seal(tx.Tenant(), d.sealedAs(), plain)
		if err := putDevice(tx, d, secret.Hash(n.Endpoint)); err != nil {
			return err
		}
		if err := dropOldest(tx, who.ID, maxSubscriptions); err != nil {
			return err
		}
		out = Subscription{ID: d.id, CreatedAt: clock.At(tx.Now())}
		return audit.Write(tx, "push_subscription.created", d.id.String(), nil)
	})
	return out, err
}

// Unsubscribe removes one of the caller's subscriptions. It returns not_found for
// somebody else's.
func (s *Service) Unsubscribe(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		found, err := dropDevice(tx, id, &caller.From(ctx).ID)
		if err != nil {
			return err
		}
		if !found {
			return fault.New(fault.NotFound)
		}
		return audit.Write(tx, "push_subscription.deleted", id.String(), nil)
	})
}
