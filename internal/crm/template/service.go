package template

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Provider sends templates to their reviewers. Its errors are faults that callers can be
// shown. It is never called inside a transaction, except for the methods that take a
// reader.
type Provider interface {
	// Keeps refuses an account that does not exist or has no templates.
	Keeps(r *db.Reader, account uuid.UUID) error
	Submit(ctx context.Context, account uuid.UUID, t *Template) (Given, error)
	Edit(ctx context.Context, account uuid.UUID, t *Template) (Given, error)
	// Delete removes every language of a name. An unknown name is no error.
	Delete(ctx context.Context, account uuid.UUID, name string) error
	List(ctx context.Context, account uuid.UUID) ([]Given, error)
	// Upload uploads a sample file and returns the handle for a header.
	Upload(ctx context.Context, account uuid.UUID, f Sample) (handle string, err error)
	// Accounts lists the accounts that a sync covers if it is given none.
	Accounts(r *db.Reader) ([]uuid.UUID, error)
}

// Sample is a file for the example of a header.
type Sample struct {
	Name    string
	Type    string
	Size    int64
	Content io.Reader
}

// Service manages message templates.
type Service struct{ Config }

// Config holds what the Service needs.
type Config struct {
	DB *db.DB
	// Provider sends templates to their reviewers.
	Provider Provider
}

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// List returns templates, newest first.
func (s *Service) List(ctx context.Context, f Filter, p db.Page) (db.List[Template], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Template], error) {
		return s.Page(r, f, p)
	})
}

// Page is List with the caller's reader.
func (s *Service) Page(r *db.Reader, f Filter, p db.Page) (db.List[Template], error) {
	out, err := list(r, f, p)
	for i := range out.Rows {
		out.Rows[i].show(s.now())
	}
	return out, err
}

// Get returns one template.
func (s *Service) Get(ctx context.Context, id uuid.UUID) (Template, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Template, error) {
		return s.Find(r, id)
	})
}

// Find returns one template; not_found if it does not exist.
func (s *Service) Find(r *db.Reader, id uuid.UUID) (Template, error) {
	t, err := byID(r, id)
	t.show(s.now())
	return t, db.NotFound(err)
}

// NewTemplate is the input for creating a template.
type NewTemplate struct {
	AccountID       uuid.UUID
	Name            string
	Language        string
	Category        string
	ParameterFormat string
	Components      []Component
	// Draft keeps the template as a draft, without a review.
	Draft bool
}

// Create submits a template for review, or keeps it as a draft.
func (s *Service) Create(ctx context.Context, n NewTemplate) (t Template, err error) {
	t = Template{
		AccountID: n.AccountID, Name: strings.TrimSpace(n.Name), Language: strings.TrimSpace(n.Language), Category: n.Category,
		Status: Draft, Quality: "UNKNOWN", ParameterFormat: n.ParameterFormat, Components: n.Components,
	}
	if t.ParameterFormat == "" {
		t.ParameterFormat = Positional
	}
	if err := t.check(); err != nil {
		return t, err
	}
	if !n.Draft {
		t.Status = Pending
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &t, func(tx *db.Tx) error {
		if err := s.free(&tx.Reader, &t); err != nil {
			return err
		}
		return s.add(tx, &t)
	})
	if err != nil || n.Draft {
		return t, err
	}
	if t, err = s.submit(ctx, t, t, s.Provider.Submit); fault.Is(err, fault.NotFound) {
		return t, fault.New(fault.Conflict).Because("deleted").Wrap(err)
	} else if err != nil {
		return t, err
	}
	return t, idempotency.Amend(context.WithoutCancel(ctx), s.DB.TenantOf(ctx), t)
}

// free refuses a name that is barred, or already used in this language.
func (s *Service) free(r *db.Reader, t *Template) error {
	if err := s.Provider.Keeps(r, t.AccountID); err != nil {
		return err
	}
	if _, err := byName(r, t.AccountID, t.Name, t.Language); err == nil {
		return fault.New(fault.Conflict).Field("name", "taken")
	} else if !db.IsNoRow(err) {
		return err
	}
	until, err := barredUntil(r, t.AccountID, t.Name, clock.At(s.now()))
	if err == nil {
		return fault.New(fault.NameBarred, until.Format("2006-01-02")).Field("name", "barred").Because(until.Format(time.RFC3339))
	}
	return db.IgnoreNoRow(err)
}

// add is the gate for a new record.
func (s *Service) add(tx *db.Tx, t *Template) error {
	t.ID, t.CreatedAt, t.UpdatedAt = tx.NewID(), clock.At(tx.Now()), clock.At(tx.Now())
	var by *uuid.UUID
	if who := caller.From(tx.Context()); who.ID != uuid.Nil {
		by = &who.ID
	}
	if ok, err := put(tx, t, by); err != nil {
		return fmt.Errorf("template: put: %w", err)
	} else if !ok {
		return fault.New(fault.Conflict).Field("name", "taken")
	}
	t.show(tx.Now())
	if err := audit.Write(tx, "template.created", t.ID.String(), t.line()); err != nil {
		return err
	}
	return announce(tx, t, nil)
}

func (t *Template) line() map[string]any {
	return map[string]any{"name": t.Name, "language": t.Language, "category": t.Category, "status": t.Status}
}

func announce(tx *db.Tx, t *Template, was *previous) error {
	change := event.Change{Type: StatusChanged, Object: t}
	if was != nil {
		change.Previous = was
	}
	_, err := event.Emit(tx, change)
	return err
}

// change is the gate for the changes that fn makes to a locked record; if fn returns false,
// nothing is saved.
func (s *Service) change(tx *db.Tx, t *Template, action string, fn func(*Template) bool) error {
	was := previous{t.Status, t.Category, t.Quality}
	if !fn(t) {
		return nil
	}
	t.UpdatedAt = clock.At(tx.Now())
	if err := save(tx, t); err != nil {
		return fmt.Errorf("template: save: %w", err)
	}
	t.show(tx.Now())
	if err := audit.Write(tx, action, t.ID.String(), t.line()); err != nil {
		return err
	}
	if was == (previous{t.Status, t.Category, t.Quality}) {
		return nil
	}
	return announce(tx, t, &was)
}

// remove is the gate for deleting a record.
func (s *Service) remove(tx *db.Tx, t *Template) error {
	was := previous{t.Status, t.Category, t.Quality}
	if err := drop(tx, t.ID); err != nil {
		return fmt.Errorf("template: drop: %w", err)
	}
	t.Status, t.UpdatedAt = Deleted, clock.At(tx.Now())
	t.show(tx.Now())
	if err := audit.Write(tx, "template.deleted", t.ID.String(), t.line()); err != nil {
		return err
	}
	return announce(tx, t, &was)
}

// Change is a change of a template; nil fields stay unchanged. Name and language cannot
// change.
type Change struct {
	Category   *string
	Components *[]Component
	// Submit sends a draft for review.
	Submit bool
}

// Update changes a template. A submitted template is reviewed again.
func (s *Service) Update(ctx context.Context, id uuid.UUID, ch Change) (t Template, err error) {
	was, err := s.Get(ctx, id)
	if err != nil {
		return was, err
	}
	if !was.Editable {
		return was, notEditable(&was)
	}
	want := was
	if ch.Category != nil {
		want.Category = *ch.Category
	}
	if ch.Components != nil {
		want.Components = *ch.Components
	}
	if err := want.check(); err != nil {
		return was, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if t, err = lock(tx, id); err != nil {
			return db.NotFound(err)
		}
		if t.show(tx.Now()); !t.Editable || t.Status != was.Status {
			return notEditable(&t)
		}
		if err := s.Provider.Keeps(&tx.Reader, t.AccountID); err != nil && (was.Status != Draft || ch.Submit) {
			return err
		}
		was = t
		return s.change(tx, &t, "template.changed", func(t *Template) bool {
			t.Category, t.Components = want.Category, want.Components
			if t.Status == Approved {
				t.edits = append(recent(t.edits, tx.Now()), clock.At(tx.Now()))
			}
			if t.Status != Draft || ch.Submit {
				t.Status, t.Reason, t.Detail = Pending, nil, nil
			}
			return true
		})
	})
	switch {
	case err != nil || t.Status == Draft:
		return t, err
	case was.Status == Draft:
		return s.submit(ctx, t, was, s.Provider.Submit)
	}
	return s.submit(ctx, t, was, s.Provider.Edit)
}

// recent returns the edits that still count towards the limit.
func recent(edits []clock.Time, now time.Time) []clock.Time {
	return slices.DeleteFunc(slices.Clone(edits), func(at clock.Time) bool { return !at.Add(month).After(now) })
}

func notEditable(t *Template) error {
	f := fault.New(fault.TemplateLocked).Because(t.Status)
	if t.EditableAt != nil {
		f = fault.New(fault.TemplateEditLimit, t.EditableAt.Format("2006-01-02 15:04")).Because(t.EditableAt.Format(time.RFC3339))
	}
	return f
}

// Delete deletes a template at the provider and here. The provider deletes by name, so all
// languages are deleted, and the name cannot be used for a while.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	t, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if t.Status == Disabled {
		return fault.New(fault.TemplateLocked).Because(Disabled)
	}
	if t.Status == Draft {
		return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
			t, err := lock(tx, id)
			if err != nil {
				return db.NotFound(err)
			}
			return s.remove(tx, &t)
		})
	}
	if err := s.Provider.Delete(ctx, t.AccountID, t.Name); err != nil {
		return err
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		all, err := listByName(tx, t.AccountID, t.Name)
		if err != nil {
			return err
		}
		for i := range all {
			if all[i].Status == Draft {
				continue // the provider knows nothing of it
			}
			if err := s.remove(tx, &all[i]); err != nil {
				return err
			}
		}
		return bar(tx, t.AccountID, t.Name, clock.At(tx.Now().Add(barred)))
	})
}

// ApplyReport handles the provider's report on one template (a webhook). An unknown template is
// left to the next sync.
func (s *Service) ApplyReport(tx *db.Tx, account uuid.UUID, g Given) error {
	t, err := byProvider(tx, account, g.ProviderID)
	if db.IsNoRow(err) && g.Name != "" {
		if t, err = byName(&tx.Reader, account, g.Name, g.Language); err == nil {
			t, err = lock(tx, t.ID)
		}
	}
	if db.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if g.Status == Deleted {
		return s.remove(tx, &t)
	}
	return s.change(tx, &t, "template.reviewed", func(t *Template) bool { return t.take(g) })
}

// Synced is the result of a sync.
type Synced struct {
	Added   int `json:"added" example:"2"`
	Changed int `json:"changed" example:"1"`
	Removed int `json:"removed" example:"0"`
	Total   int `json:"total" example:"14" doc:"Number of templates at the provider"`
}

// Sync makes the records of one account, or of all, match the provider's templates. Drafts
// stay.
func (s *Service) Sync(ctx context.Context, account *uuid.UUID) (out Synced, err error) {
	var accounts []uuid.UUID
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		if account == nil {
			accounts, err = s.Provider.Accounts(r)
			return err
		}
		accounts = []uuid.UUID{*account}
		return s.Provider.Keeps(r, *account)
	})
	if err != nil {
		return out, err
	}
	for _, a := range accounts {
		if err := s.syncAccount(ctx, a, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (s *Service) syncAccount(ctx context.Context, account uuid.UUID, out *Synced) error {
	asked := s.now()
	theirs, err := s.Provider.List(ctx, account)
	if err != nil {
		return err
	}
	var n Synced
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		n = Synced{Total: len(theirs)}
		ours, err := ofAccount(tx, account)
		if err != nil {
			return err
		}
		type key struct{ name, language string }
		have := map[key]*Template{}
		for i := range ours {
			have[key{ours[i].Name, ours[i].Language}] = &ours[i]
		}
		for _, g := range theirs {
			at := key{g.Name, g.Language}
			t := have[at]
			if t == nil {
				fresh := Template{AccountID: account, Name: g.Name, Language: g.Language, Quality: "UNKNOWN", ParameterFormat: Positional}
				fresh.take(g)
				if err := s.add(tx, &fresh); err != nil {
					return err
				}
				n.Added++
				continue
			}
			delete(have, at)
			err := s.change(tx, t, "template.synced", func(t *Template) bool {
				changed := t.take(g)
				if changed {
					n.Changed++
				}
				return changed
			})
			if err != nil {
				return err
			}
		}
		for _, t := range ours {
			// Templates submitted in the meantime are not in the list yet.
			if _, left := have[key{t.Name, t.Language}]; !left || t.Status == Draft || !t.CreatedAt.Before(asked) {
				continue
			}
			if err := s.remove(tx, &t); err != nil {
				return err
			}
			n.Removed++
		}
		return nil
	})
	out.Added, out.Changed, out.Removed, out.Total = out.Added+n.Added, out.Changed+n.Changed, out.Removed+n.Removed, out.Total+n.Total
	return err
}

func (s *Service) now() time.Time { return s.DB.Clock().Now() }
