package identity

import (
	"context"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type auditIn struct {
	api.Paged
	Actor  string    `query:"actor" format:"uuid" doc:"Id of a membership or an API key"`
	Action string    `query:"action" maxLength:"80" pattern:"^[a-z_]+(\\.[a-z_]+)*(\\.\\*)?$" example:"api_key.*" doc:"Action name, or a prefix followed by .*"`
	Object string    `query:"object" maxLength:"100" doc:"The record that was affected"`
	From   time.Time `query:"from" doc:"Inclusive"`
	To     time.Time `query:"to" doc:"Exclusive"`
}

func (s *Service) registerAudit(a *api.API) {
	list := Route("GET", "/audit", "list-audit", "Read the audit log")
	list.Permission = perm.AuditView
	api.HandleList(a, list, func(ctx context.Context, in *auditIn) (db.List[AuditLine], error) {
		f := audit.Filter{Action: in.Action, Object: in.Object, From: in.From, To: in.To}
		var id api.ID
		if err := id.UnmarshalText([]byte(in.Actor)); err != nil {
			return db.List[AuditLine]{}, err
		}
		f.Actor = id.UUID
		return s.Audit(ctx, f, in.Page())
	})
}
