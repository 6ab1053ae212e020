package block

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Service manages blocked numbers.
type Service struct{ db *db.DB }

// New returns the service.
func New(d *db.DB) (*Service, error) {
	if d == nil {
		return nil, errors.New("block: the database is needed")
	}
	return &Service{d}, nil
}

// Entries lists the blocked numbers and prefixes, newest first.
func (s *Service) Entries(ctx context.Context, p db.Page) (db.List[Entry], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Entry], error) { return listEntries(r, p) })
}

// Add blocks a number or a prefix. It returns conflict if it is blocked already.
func (s *Service) Add(ctx context.Context, e164, prefix, note string) (e Entry, err error) {
	if e, err = newEntry(strings.TrimSpace(e164), strings.TrimSpace(prefix), strings.TrimSpace(note)); err != nil {
		return e, err
	}
	pattern, isPrefix := e.pattern()
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &e, func(tx *db.Tx) error {
		if n, err := countEntries(&tx.Reader); err != nil {
			return err
		} else if n >= maxEntries {
			return fault.New(fault.LimitReached, maxEntries)
		}
		e.ID, e.CreatedAt = tx.NewID(), clock.At(tx.Now())
		if free, err := putEntry(tx, e); err != nil {
			return err
		} else if !free {
			field := "e164"
			if isPrefix {
				field = "prefix"
			}
			return fault.New(fault.Conflict).Field(field, "taken")
		}
		return audit.Write(tx, "phone_block.added", e.ID.String(), map[string]any{"pattern": pattern, "prefix": isPrefix})
	})
	return e, err
}

// Delete unblocks a number or a prefix.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		e, err := deleteEntry(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		pattern, isPrefix := e.pattern()
		return audit.Write(tx, "phone_block.deleted", id.String(), map[string]any{"pattern": pattern, "prefix": isPrefix})
	})
}

// IsBlocked reports whether a number may not call.
func (s *Service) IsBlocked(r *db.Reader, e164 string) (bool, error) { return isBlocked(r, e164) }
