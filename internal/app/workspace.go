package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/kit/archive"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
	"konak/internal/kit/tenantrows"
	"konak/migrations"
)

// WorkspaceID returns the id of a workspace, or an error that names it.
func (a *App) WorkspaceID(ctx context.Context, slug string) (uuid.UUID, error) {
	id, err := a.Identity.TenantBySlug(ctx, slug)
	return id, db.IfNoRow(err, fmt.Errorf("there is no workspace %q", slug))
}

// WorkspaceSummary returns a workspace as its operator sees it, or an error that names it.
func (a *App) WorkspaceSummary(ctx context.Context, slug string) (identity.WorkspaceSummary, error) {
	list, err := a.Identity.AllWorkspaces(ctx)
	if err != nil {
		return identity.WorkspaceSummary{}, err
	}
	at := slices.IndexFunc(list, func(w identity.WorkspaceSummary) bool { return w.Slug == slug })
	if at < 0 {
		return identity.WorkspaceSummary{}, fmt.Errorf("there is no workspace %q", slug)
	}
	return list[at], nil
}

// SetLicences sets which modules a workspace has.
func (a *App) SetLicences(ctx context.Context, slug string, licences []string) error {
	if _, err := a.WorkspaceID(ctx, slug); err != nil {
		return err
	}
	return a.Identity.SetLicences(ctx, slug, licences)
}

// SetSuspended suspends a workspace, or resumes it unless it is being deleted.
func (a *App) SetSuspended(ctx context.Context, slug string, suspended bool) (identity.WorkspaceSummary, error) {
	id, err := a.WorkspaceID(ctx, slug)
	if err != nil {
		return identity.WorkspaceSummary{}, err
	}
	if err := a.Identity.SetSuspended(ctx, id, suspended); err != nil {
		return identity.WorkspaceSummary{}, err
	}
	return a.WorkspaceSummary(ctx, slug)
}

// DeletedWorkspace lists what was removed with a workspace.
type DeletedWorkspace struct {
	identity.Workspace
	tenantrows.Deleted
	Files  int `json:"files"`
	People int `json:"people"` // who were in no other workspace
}

// DeleteWorkspace deletes a suspended workspace with all its rows and files, and the people
// who are in no other. Its name must be given as confirmation. The audit line about it
// belongs to no workspace. After a crash it can be repeated.
func (a *App) DeleteWorkspace(ctx context.Context, slug, confirm string) (out DeletedWorkspace, err error) {
	w, err := a.WorkspaceSummary(ctx, slug)
	if err != nil {
		return out, err
	}
	if confirm != w.Name {
		return out, fmt.Errorf("--confirm must be the name of the workspace, %q", w.Name)
	}
	out.Workspace = w.Workspace
	err = a.Identity.BeginDelete(ctx, w.ID)
	if fault.Is(err, fault.Conflict) {
		return out, fmt.Errorf("suspend the workspace %q first, so that nothing in it is in use", slug)
	}
	if err != nil {
		return out, err
	}
	if out.Files, err = a.Blobs.RemoveAll(ctx, w.ID); err != nil {
		return out, err
	}
	if out.Deleted, err = tenantrows.Delete(ctx, a.DB, w.ID); err != nil {
		return out, err
	}
	err = a.DB.System("delete workspace").InTx(ctx, func(tx *db.Tx) (err error) {
		if out.People, err = tenantrows.DeleteMembers(tx, w.ID); err != nil {
			return err
		}
		return a.Identity.FinishDelete(tx, w, map[string]any{"rows": out.Rows, "files": out.Files, "people": out.People})
	})
	return out, err
}

// ArchiveConfig returns what exports and imports of workspaces need.
func (a *App) ArchiveConfig() (archive.Config, error) {
	schema, err := db.SchemaSum(migrations.Files)
	return archive.Config{DB: a.DB, Blobs: a.Blobs, Box: a.box, Version: Version, Schema: schema, Reserved: identity.ReservedSlug}, err
}

// NewOwner is a person to whom the operator gives a workspace.
type NewOwner struct{ Name, Email, Language string }

// CreateWorkspace creates a workspace for an owner. An owner without an account gets one,
// as by a sign-up; the password is returned and not stored. It is empty if the owner had an
// account.
func (a *App) CreateWorkspace(ctx context.Context, name string, owner NewOwner) (identity.Workspace, secret.Text, error) {
	password := secret.Of(rand.Text())
	w, fresh, err := a.Identity.GiveWorkspace(ctx, name, identity.User{Name: owner.Name, Email: owner.Email, Language: owner.Language}, password.Reveal())
	if !fresh {
		password = secret.Text{}
	}
	return w, password, err
}

// OutboxMail is a mail that no mail server took, with its workspace.
type OutboxMail struct {
	mailer.OutboxMail
	// Workspace is the slug of its workspace, empty for the service's own mail.
	Workspace string `json:"workspace"`
}

// Outbox returns the newest mails that no mail server took, of all workspaces or of one;
// for all it includes the service's own.
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
