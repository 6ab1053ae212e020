package telephony

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, api.Route{
		Method: "GET", Path: Path + "/tier", ID: "get-telephony-tier", Tag: "CRM telephony",
		Summary: "See which telephony the workspace has", Doc: "From the licences alone; needs no telephony licence.",
		Access: api.Session, Permission: perm.CallsView, Licence: "crm",
	}, func(ctx context.Context, _ *struct{}) (Tier, error) { return s.Tier(ctx), nil })
	api.Handle(a, api.Route{
		Method: "GET", Path: Path + "/setup", ID: "get-telephony-setup", Tag: "CRM telephony",
		Summary: "See what is there for telephoning, and what is missing", Doc: "Needs no telephony licence.",
		Access: api.Session, Permission: perm.CallsView, Licence: "crm",
	}, func(ctx context.Context, _ *struct{}) (Setup, error) { return s.Setup(ctx) })
}
