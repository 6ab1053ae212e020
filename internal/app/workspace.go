package app

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// WorkspaceID returns the id of a workspace, or an error that names it.
func (a *App) WorkspaceID(ctx context.Context, slug string) (uuid.UUID, error) {
	id, err := a.Identity.TenantBySlug(ctx, slug)
	if db.IsNoRow(err) {
		return uuid.Nil, fmt.Errorf("there is no workspace %q", slug)
	}
	return id, err
}

// SetLicences sets which modules a workspace has.
func (a *App) SetLicences(ctx context.Context, slug string, licences []string) error {
	if _, err := a.WorkspaceID(ctx, slug); err != nil {
		return err
	}
	return a.Identity.SetLicences(ctx, slug, licences)
}

// NewOwner is a person to whom the operator gives a workspace.
type NewOwner struct{ Name, Email, Language string }

// CreateWorkspace makes a workspace and its owner, as a sign-up would, and returns
// the owner's password, which is kept nowhere. It returns the fault account_exists
// where the address has an account.
func (a *App) CreateWorkspace(ctx context.Context, name string, owner NewOwner) (identity.Workspace, secret.Text, error) {
	password := secret.Of(rand.Text())
	w, err := a.Identity.CreateAccount(ctx, identity.User{Name: owner.Name, Email: owner.Email, Language: owner.Language}, password.Reveal(), name)
	return w, password, err
}

// OutboxMail is a mail that had nowhere to go, and whose it is.
type OutboxMail struct {
	mailer.OutboxMail
	// Workspace is the slug of its workspace, empty for the service's own mail.
	Workspace string
}

// Outbox returns the newest mails that had nowhere to go, of all workspaces or of
// one, and with all of them the service's own.
func (a *App) Outbox(ctx context.Context, slug string, limit int) ([]OutboxMail, error) {
	var kept []mailer.OutboxMail
	if slug == "" {
		var err error
		if kept, err = a.Mailer.WholeOutbox(ctx, limit); err != nil {
			return nil, err
		}
	} else {
		tenant, err := a.WorkspaceID(ctx, slug)
		if err != nil {
			return nil, err
		}
		list, err := a.Mailer.Outbox(ctx, tenant, db.Page{Limit: limit, After: db.First})
		if err != nil {
			return nil, err
		}
		kept = list.Rows
	}
	out := make([]OutboxMail, len(kept))
	for i, m := range kept {
		out[i] = OutboxMail{OutboxMail: m}
		if m.TenantID == uuid.Nil {
			continue
		}
		w, err := a.Identity.WorkspaceByID(ctx, m.TenantID)
		if err != nil {
			return nil, err
		}
		out[i].Workspace = w.Slug
	}
	return out, nil
}
