package template

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// submit submits a record that is already saved as submitted, because the provider's
// webhook may be faster than its answer. If the provider refuses, the record returns to its
// previous state, or is removed if it is new.
func (s *Service) submit(ctx context.Context, want, was Template, hand func(context.Context, uuid.UUID, *Template) (Given, error)) (t Template, err error) {
	g, refused := hand(ctx, want.AccountID, &want)
	// If the caller stops waiting, the record must still be corrected.
	ctx = context.WithoutCancel(ctx)
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if t, err = lock(tx, want.ID); err != nil {
			return db.NotFound(err)
		}
		if t.Status != Pending {
			g.Status = "" // the review result came first
		}
		switch {
		case refused == nil:
			return s.change(tx, &t, "template.submitted", func(t *Template) bool { return t.take(g) })
		case was.Status == Pending && was.ProviderID == nil:
			if err := idempotency.Forget(ctx, tx); err != nil {
				return err
			}
			return s.remove(tx, &t)
		case t.Status == Pending:
			return s.change(tx, &t, "template.refused", func(t *Template) bool {
				t.Status, t.Reason, t.Detail, t.Category, t.Components, t.edits = was.Status, was.Reason, was.Detail, was.Category, was.Components, was.edits
				return true
			})
		}
		return nil
	})
	switch {
	case refused != nil:
		return t, refused
	case fault.Is(err, fault.NotFound):
		return t, errors.Join(err, s.takeBack(ctx, want.AccountID, want.Name))
	}
	t.show(s.now())
	return t, err
}

// takeBack deletes a name at the provider if its record was deleted while the provider
// accepted it, unless another language of the name is stored here.
func (s *Service) takeBack(ctx context.Context, account uuid.UUID, name string) error {
	kept := false
	err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		all, err := listByName(tx, account, name)
		kept = slices.ContainsFunc(all, func(t Template) bool { return t.Status != Draft })
		return err
	})
	if err != nil || kept {
		return err
	}
	return s.Provider.Delete(ctx, account, name)
}
