package mail

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Service is mail administration.
type Service struct{ db *db.DB }

// New makes the service.
func New(d *db.DB) *Service { return &Service{db: d} }

// Exceptions lists the newest first.
func (s *Service) Exceptions(ctx context.Context, p db.Page) (db.List[Exception], error) {
	return db.Read(ctx, s.tenant(ctx), func(r *db.Reader) (db.List[Exception], error) {
		return listExceptions(r, p)
	})
}

// AddException is the gate for a new exception.
func (s *Service) AddException(ctx context.Context, email, note string) (Exception, error) {
	addr, ok := address.ParseEmail(email)
	if !ok {
		return Exception{}, fault.Invalid("email", "invalid_address")
	}
	var e Exception
	err := idempotency.Do(ctx, s.tenant(ctx), &e, func(tx *db.Tx) error {
		e = Exception{ID: tx.NewID(), Email: addr.Address, Note: strings.TrimSpace(note), CreatedAt: clock.At(tx.Now())}
		if who := caller.From(ctx); who.ID != uuid.Nil {
			e.CreatedBy = &who.ID
		}
		if err := putException(tx, e, addr.Key, fault.New(fault.Conflict).Field("email", "taken")); err != nil {
			return fmt.Errorf("mail: put exception: %w", err)
		}
		return s.announce(tx, ExceptionCreated, e)
	})
	return e, err
}

// DeleteException is the gate for removing one.
func (s *Service) DeleteException(ctx context.Context, id uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		e, err := dropException(tx, id)
		if db.IsNoRow(err) {
			return fault.New(fault.NotFound)
		}
		if err != nil {
			return fmt.Errorf("mail: drop exception: %w", err)
		}
		return s.announce(tx, ExceptionDeleted, e)
	})
}

// announce writes the audit line and the event of a change, in its
// transaction.
func (s *Service) announce(tx *db.Tx, name string, e Exception) error {
	if err := audit.Write(tx, name, e.ID.String(), map[string]string{"email": e.Email}); err != nil {
		return err
	}
	_, err := event.Emit(tx, event.Change{Type: name, Object: e})
	return err
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.db.Tenant(caller.From(ctx).TenantID)
}
