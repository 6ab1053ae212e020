package oauth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Apps lists the workspace's apps, newest first.
func (s *Service) Apps(ctx context.Context, p db.Page) (db.List[App], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[App], error) {
		return listApps(r, p)
	})
}

// App returns one of the workspace's apps.
func (s *Service) App(ctx context.Context, id uuid.UUID) (App, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (App, error) {
		a, err := appByID(r, id)
		return a, db.NotFound(err)
	})
}

// AddApp is the gate for registering an app.
func (s *Service) AddApp(ctx context.Context, a App) (App, error) {
	a.Name = strings.TrimSpace(a.Name)
	if a.Name == "" {
		return App{}, fault.Invalid("name", "required")
	}
	var err error
	if a.Scopes, err = checkScopes(a.Scopes); err != nil {
		return App{}, err
	}
	if err := checkRedirects(a.RedirectURIs); err != nil {
		return App{}, err
	}
	err = idempotency.Do(ctx, s.db.TenantOf(ctx), &a, func(tx *db.Tx) error {
		if n, err := countApps(&tx.Reader); err != nil {
			return err
		} else if n >= maxApps {
			return fault.New(fault.LimitReached, maxApps)
		}
		a.ID, a.ClientID, a.CreatedAt = tx.NewID(), secret.NewToken(secret.ClientPrefix), clock.At(tx.Now())
		a.CreatedBy = caller.From(ctx).Actor()
		if err := putApp(tx, a); err != nil {
			return fmt.Errorf("oauth: put app: %w", err)
		}
		return audit.Write(tx, "app.created", a.ID.String(), a.facts())
	})
	return a, err
}

// ChangeApp is the gate for changing an app. Its sessions keep what people granted them.
func (s *Service) ChangeApp(ctx context.Context, id uuid.UUID, c AppChange) (App, error) {
	if c.Scopes != nil {
		var err error
		if c.Scopes, err = checkScopes(c.Scopes); err != nil {
			return App{}, err
		}
	}
	if err := checkRedirects(c.RedirectURIs); err != nil {
		return App{}, err
	}
	var a App
	err := s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) (err error) {
		if a, err = appByID(&tx.Reader, id); err != nil {
			return db.NotFound(err)
		}
		before := a.facts()
		if c.Name != nil {
			if a.Name = strings.TrimSpace(*c.Name); a.Name == "" {
				return fault.Invalid("name", "required")
			}
		}
		if c.RedirectURIs != nil {
			a.RedirectURIs = c.RedirectURIs
		}
		if c.Scopes != nil {
			a.Scopes = c.Scopes
		}
		if c.Public != nil {
			a.Public = *c.Public
		}
		if err := saveApp(tx, a); err != nil {
			return fmt.Errorf("oauth: save app: %w", err)
		}
		return audit.Write(tx, "app.changed", id.String(), map[string]any{"before": before, "after": a.facts()})
	})
	return a, err
}

// DeleteApp is the gate for removing an app. Its sessions end with it.
func (s *Service) DeleteApp(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := dropApp(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		closed, err := s.identity.CloseAppSessions(tx, id, "app_deleted")
		if err != nil {
			return err
		}
		return audit.Write(tx, "app.deleted", id.String(), map[string]any{"name": a.Name, "sessions_closed": closed})
	})
}

// facts returns what the audit log records about an app.
func (a *App) facts() map[string]any {
	return map[string]any{"name": a.Name, "redirect_uris": a.RedirectURIs, "scopes": a.Scopes, "public": a.Public}
}

// checkScopes sorts the scopes that an app may ask for and refuses unknown ones.
// Registering gives the app no rights: it gets what a person grants and may do themselves.
func checkScopes(scopes []string) ([]string, error) {
	for _, name := range scopes {
		if !perm.KnownScope(name) {
			return nil, fault.Invalid("scopes", "unknown_scope")
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(scopes))), nil
}
