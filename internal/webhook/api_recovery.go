package webhook

import (
	"context"
	"time"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
)

type recoverWebhookIn struct {
	ID   api.ID `path:"id" record:"webhook_endpoint"`
	Body struct {
		Since            time.Time `json:"since" format:"date-time" example:"2026-11-15T08:00:00Z" doc:"At most 30 days ago"`
		Until            time.Time `json:"until,omitempty" format:"date-time" example:"2026-11-15T09:00:00Z" doc:"Defaults to now"`
		IncludeDelivered bool      `json:"include_delivered,omitempty" doc:"Whether to also resend deliveries that had arrived"`
	}
}

type recoveriesIn struct {
	api.Paged
	ID api.ID `path:"id" record:"webhook_endpoint"`
}

type recoveryIn struct {
	ID api.ID `path:"id" record:"webhook_recovery"`
}

// registerRecovery adds the routes that recover missed events.
func (r *routes) registerRecovery(a *api.API) {
	rec := r.route("POST", "/{id}/recover", "recover-webhook", "Resend what a webhook missed in a time range", api.SessionOrKey, r.manage)
	rec.Status = 202
	rec.Doc = "A job processes the events of the range in order and sends those that did not arrive, whether or not they were recorded for the endpoint at the time. Read the recovery for its progress."
	api.Handle(a, rec, func(ctx context.Context, in *recoverWebhookIn) (Recovery, error) {
		b := in.Body
		return r.Recover(ctx, r.module, in.ID.UUID, b.Since, b.Until, b.IncludeDelivered)
	})

	api.HandleList(a, r.route("GET", "/{id}/recoveries", "webhook-recoveries", "List the recoveries of a webhook", api.SessionOrKey, r.view),
		func(ctx context.Context, in *recoveriesIn) (db.List[Recovery], error) {
			return r.Recoveries(ctx, r.module, in.ID.UUID, in.Page())
		})

	api.Handle(a, r.route("GET", "/recoveries/{id}", "webhook-recovery", "Get the progress of a recovery", api.SessionOrKey, r.view),
		func(ctx context.Context, in *recoveryIn) (Recovery, error) {
			return r.Recovery(ctx, r.module, in.ID.UUID)
		})
}
