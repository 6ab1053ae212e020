package migration

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type addJobIn struct {
	Body struct {
		Mailbox string `json:"mailbox" minLength:"1" maxLength:"254" example:"destek@kaya.example" doc:"One of the workspace's mailboxes"`
		Source  Source `json:"source"`
	}
}

type jobIn struct {
	ID api.ID `path:"id" record:"mail_migration"`
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/mail/v1/migration-jobs" + path, ID: id, Tag: "Mail",
		Summary: summary, Access: api.Session, Permission: p, Licence: "mail",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandlePage(a, route("GET", "", "list-mail-migrations", "List mailbox migrations", perm.MailMigrationsView), s.Jobs)

	add := route("POST", "", "add-mail-migration", "Create a mailbox migration", perm.MailMigrationsManage)
	add.TakesKey, add.Status, add.Refusals = true, 201, []int{409}
	add.Doc = "Records a mailbox to copy from another server. It stays queued until this installation supports reading mailboxes over IMAP; the password is requested then. 409 if a migration with the same mailbox and source is already waiting."
	api.Handle(a, add, func(ctx context.Context, in *addJobIn) (Job, error) {
		return s.Add(ctx, in.Body.Mailbox, in.Body.Source)
	})

	end := route("POST", "/{id}/cancel", "cancel-mail-migration", "Cancel a mailbox migration", perm.MailMigrationsManage)
	end.Doc = "Cancelling a cancelled migration again returns the same response."
	api.Handle(a, end, func(ctx context.Context, in *jobIn) (Job, error) { return s.Cancel(ctx, in.ID.UUID) })
}
