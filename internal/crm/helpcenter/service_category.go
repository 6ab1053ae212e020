package helpcenter

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Categories returns the categories in their order.
func (s *Service) Categories(ctx context.Context, p db.Page) (db.List[Category], error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Category], error) { return categories(r, p) })
}

// Category returns one category; not_found if it does not exist.
func (s *Service) Category(ctx context.Context, id uuid.UUID) (Category, error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Category, error) {
		c, err := categoryByID(r, id)
		return c, db.NotFound(err)
	})
}

// AddCategory is the gate for a new category. It returns a conflict if its slug is taken.
func (s *Service) AddCategory(ctx context.Context, in CategoryInput) (c Category, err error) {
	err = idempotency.Do(ctx, s.cfg.DB.TenantOf(ctx), &c, func(tx *db.Tx) error {
		c, err = s.addCategory(tx, in)
		return err
	})
	return c, err
}

func (s *Service) addCategory(tx *db.Tx, in CategoryInput) (Category, error) {
	c := Category{ID: tx.NewID(), CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now())}
	if err := in.applyTo(&c); err != nil {
		return c, err
	}
	if n, err := countCategories(&tx.Reader); err != nil {
		return c, err
	} else if n >= maxCategories {
		return c, fault.New(fault.LimitReached, maxCategories)
	}
	if free, err := putCategory(tx, &c); err != nil {
		return c, err
	} else if !free {
		return c, slugTaken()
	}
	return c, s.noteCategory(tx, "help_category.created", &c)
}

func slugTaken() error { return fault.New(fault.Conflict).Field("slug", "taken") }

// noteCategory writes the audit line of a change to a category, and increases the site's
// revision.
func (s *Service) noteCategory(tx *db.Tx, action string, c *Category) error {
	if err := audit.Write(tx, action, c.ID.String(), map[string]any{"slug": c.Slug}); err != nil {
		return err
	}
	return s.siteChanged(tx)
}

// ChangeCategory is the gate that replaces a category's data.
func (s *Service) ChangeCategory(ctx context.Context, id uuid.UUID, in CategoryInput) (c Category, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if c, err = lockCategory(tx, id); err != nil {
			return db.NotFound(err)
		}
		if err := in.applyTo(&c); err != nil {
			return err
		}
		c.UpdatedAt = clock.At(tx.Now())
		if free, err := saveCategory(tx, &c); err != nil {
			return err
		} else if !free {
			return slugTaken()
		}
		return s.noteCategory(tx, "help_category.changed", &c)
	})
	if _, known := fault.As(err); !known && db.IsUnique(err) {
		return c, slugTaken() // another request took it at the same time
	}
	return c, err
}

// DeleteCategory is the gate that removes an empty category; one with articles
// is a conflict.
func (s *Service) DeleteCategory(ctx context.Context, id uuid.UUID) error {
	return s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := lockCategory(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if empty, err := dropCategory(tx, id); err != nil {
			return err
		} else if !empty {
			return fault.New(fault.Conflict).Because("has_articles")
		}
		return s.noteCategory(tx, "help_category.deleted", &c)
	})
}
