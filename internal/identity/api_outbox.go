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
	Scope string `query:"scope" enum:"workspace,service" default:"workspace" doc:"service: mail that concerns no workspace, such as verifications; a demo shows it, elsewhere only the command line does"`
}

// registerOutbox shows the mail that had nowhere to go. Mail of the service
// opens accounts of people in other workspaces too, so no workspace sees it
// outside a demo, whose passwords everybody knows anyway.
func (s *Service) registerOutbox(a *api.API) {
	rt := route("GET", "/outbox", "list-outbox", "Mail that was kept because no mail server is configured")
	rt.Permission, rt.StepUp = perm.OutboxView, true
	rt.Doc = "Empty where mail is sent. Mails carry invitations and other keys, so a fresh proof of the password is needed, " +
		"and a mail to somebody who may do more than the reader comes without its text."
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
