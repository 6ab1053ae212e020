package telephony

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, api.Route{
		Method: "GET", Path: "/api/crm/v1/telephony/tier", ID: "get-telephony-tier", Tag: "CRM telephony",
		Summary: "See which telephony the workspace has", Doc: "From the licences alone; needs no telephony licence.",
		Access: api.Session, Permission: perm.CallsView, Licence: "crm",
	}, func(ctx context.Context, _ *struct{}) (Tier, error) { return s.Tier(ctx), nil })
}
