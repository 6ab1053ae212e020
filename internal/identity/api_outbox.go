package identity

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
	"konak/internal/kit/perm"
)

type outboxIn struct {
	api.Paged
	Scope string `query:"scope" enum:"workspace,service" default:"workspace" doc:"service: mail outside any workspace, such as verifications; only a demo shows it here, elsewhere use the command line"`
}

// registerOutbox adds the routes that show mail which no mail server took. The service's
// own mail also opens accounts of people in other workspaces, so no workspace sees it
// outside a demo, whose passwords everybody knows anyway.
func (s *Service) registerOutbox(a *api.API) {
	rt := Route("GET", "/outbox", "list-outbox", "List mail kept because no mail server is configured")
	rt.Permission, rt.StepUp = perm.OutboxView, true
	rt.Doc = "Empty if a mail server is configured. Mails contain invitations and other credentials, so you must have confirmed your password recently, " +
		"and a mail to someone with more permissions than you comes without its text."
	api.HandleList(a, rt, func(ctx context.Context, in *outboxIn) (db.List[mailer.OutboxMail], error) {
		tenant := api.Caller(ctx).TenantID
		if in.Scope == "service" {
			if !s.cfg.Demo {
				return db.List[mailer.OutboxMail]{Rows: []mailer.OutboxMail{}}, nil
			}
			tenant = uuid.Nil
		}
		return s.Outbox(ctx, tenant, in.Page())
	})
}
