package hour

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
)

type hoursIn struct {
	ID api.ID `path:"id" record:"webhook_endpoint"`
}

// Register adds a route that shows the hours of an endpoint. Find returns the workspace of
// the requested endpoint and the time, or not_found.
func Register(a *api.API, rt api.Route, find func(ctx context.Context, endpoint uuid.UUID) (db.Handle, time.Time, error)) {
	rt.Summary = "Get the requests of the last 24 hours by hour"
	rt.Doc = "Oldest first; the last hour is still in progress. Hours start on the full hour in UTC."
	api.Handle(a, rt.Polled(), func(ctx context.Context, in *hoursIn) ([]Requests, error) {
		workspace, now, err := find(ctx, in.ID.UUID)
		if err != nil {
			return nil, err
		}
		return db.Read(ctx, workspace, func(r *db.Reader) ([]Requests, error) { return list(r, in.ID.UUID, now) })
	})
}
