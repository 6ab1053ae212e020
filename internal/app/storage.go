package app

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/perm"
)

func (a *App) registerStorage() {
	api.Handle(a.API, api.Route{
		Method: "GET", Path: "/api/v1/workspace/storage", ID: "workspace-storage", Tag: "Workspace",
		Access: api.Session, Permission: perm.WorkspaceManage,
		Summary: "Get storage usage and quota",
		Doc: "Includes files that nothing uses yet; they are deleted a day after upload. A file that does not fit is refused with 409 " +
			"storage_full; the reason is workspace, or visitors for files sent by live chat visitors. Incoming mail is deferred " +
			"with 452, so that the sender retries. The operator sets the quota.",
	}, func(ctx context.Context, _ *struct{}) (blob.Use, error) {
		return a.Blobs.Use(ctx, api.Caller(ctx).TenantID)
	})
}

// Storage returns a workspace's storage use and quota.
func (a *App) Storage(ctx context.Context, slug string) (blob.Use, error) {
	tenant, err := a.WorkspaceID(ctx, slug)
	if err != nil {
		return blob.Use{}, err
	}
	return a.Blobs.Use(ctx, tenant)
}

// SetStorageQuota gives a workspace its own quota; nil for the default.
func (a *App) SetStorageQuota(ctx context.Context, slug string, quota *int64) error {
	tenant, err := a.WorkspaceID(ctx, slug)
	if err != nil {
		return err
	}
	return a.Blobs.SetQuota(ctx, tenant, quota)
}
