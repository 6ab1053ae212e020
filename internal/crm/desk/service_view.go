package desk

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// Views lists the shared views and the caller's own, the oldest first.
func (s *Service) Views(ctx context.Context, p db.Page) (db.List[View], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[View], error) {
		return views(r, caller.From(ctx).ID, p)
	})
}

// View returns one view.
func (s *Service) View(ctx context.Context, id uuid.UUID) (View, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (View, error) {
		v, err := viewByID(r, caller.From(ctx).ID, id)
		return v, db.NotFound(err)
	})
}

// ViewCounts counts the conversations of each view, up to a limit.
func (s *Service) ViewCounts(ctx context.Context) (out []ViewCount, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		list, err := views(r, caller.From(ctx).ID, db.Page{Limit: 2 * maxViews, After: db.Before})
		if err != nil {
			return err
		}
		out = make([]ViewCount, 0, len(list.Rows))
		for _, v := range list.Rows {
			n, err := s.Conversations.CountUpTo(r, v.Filter, countLimit+1)
			if err != nil {
				return err
			}
			out = append(out, ViewCount{ViewID: v.ID, Count: min(n, countLimit), More: n > countLimit})
		}
		return nil
	})
	return out, err
}

// NewView is the input for a view.
type NewView struct {
	Shared bool
	Name   string
	Filter conversation.Query
}

// AddView creates a view.
func (s *Service) AddView(ctx context.Context, n NewView) (v View, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &v, func(tx *db.Tx) error {
		v = View{ID: tx.NewID(), CreatedAt: clock.At(tx.Now())}
		scope, err := s.fillView(tx, &v, n)
		if err != nil {
			return err
		}
		if err := checkViewCount(tx, scope); err != nil {
			return err
		}
		if free, err := putView(tx, v, scope, nameKey(v.Name)); err != nil {
			return err
		} else if !free {
			return nameTaken("name")
		}
		return s.note(tx, "view.created", v.ID, v.Shared, v.Name)
	})
	return v, err
}

// checkViewCount returns limit_reached if a scope already has maxViews views.
func checkViewCount(tx *db.Tx, scope uuid.UUID) error {
	n, err := viewsOf(&tx.Reader, scope)
	if err == nil && n >= maxViews {
		return fault.New(fault.LimitReached, maxViews)
	}
	return err
}

// fillView checks the input and copies it into a view; it returns the scope, the owner's id
// or the nil UUID if shared.
func (s *Service) fillView(tx *db.Tx, v *View, n NewView) (scope uuid.UUID, err error) {
	who := caller.From(tx.Context())
	if n.Shared {
		if f := checkPermission(who, perm.ViewsManage); f != nil {
			return scope, f
		}
	} else {
		scope = who.ID
	}
	v.Shared, v.OwnerID = owner(scope)
	v.Name, v.Filter, v.UpdatedAt = strings.TrimSpace(n.Name), n.Filter, clock.At(tx.Now())
	if nameKey(v.Name) == "" {
		return scope, fault.Invalid("name", "required")
	}
	if v.Filter.Sort == "" {
		v.Filter.Sort = "-last_activity"
	}
	err = s.Conversations.CheckQuery(tx.Context(), v.Filter)
	if f, ok := fault.As(err); ok {
		inside := fault.New(f.Code)
		for field, codes := range f.Fields {
			for _, code := range codes {
				inside.Field("filter."+field, code)
			}
		}
		return scope, inside
	}
	return scope, err
}

// myView returns a view that the caller may change.
func (s *Service) myView(tx *db.Tx, id uuid.UUID) (View, error) {
	who := caller.From(tx.Context())
	v, err := viewByID(&tx.Reader, who.ID, id)
	if err != nil {
		return v, db.NotFound(err)
	}
	if v.Shared {
		if f := checkPermission(who, perm.ViewsManage); f != nil {
			return v, f
		}
	}
	return v, nil
}

// ChangeView replaces a view.
func (s *Service) ChangeView(ctx context.Context, id uuid.UUID, n NewView) (v View, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if v, err = s.myView(tx, id); err != nil {
			return err
		}
		was := v.Shared
		scope, err := s.fillView(tx, &v, n)
		if err != nil {
			return err
		}
		if was != v.Shared {
			if err := checkViewCount(tx, scope); err != nil {
				return err
			}
		}
		if free, err := saveView(tx, v, scope, nameKey(v.Name)); err != nil {
			return err
		} else if !free {
			return nameTaken("name")
		}
		return s.note(tx, "view.changed", id, was || v.Shared, v.Name)
	})
	return v, orTaken(err, "name")
}

// DeleteView removes a view.
func (s *Service) DeleteView(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		v, err := s.myView(tx, id)
		if err != nil {
			return err
		}
		if err := dropView(tx, id); err != nil {
			return err
		}
		return s.note(tx, "view.deleted", id, v.Shared, v.Name)
	})
}
