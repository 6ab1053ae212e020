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
		Summary: "Get the workspace's telephony tier", Doc: "Depends only on the workspace's licences; needs no telephony licence.",
		Access: api.Session, Permission: perm.CallsView, Licence: "crm",
	}, func(ctx context.Context, _ *struct{}) (Tier, error) { return s.Tier(ctx), nil })
	api.Handle(a, api.Route{
		Method: "GET", Path: Path + "/setup", ID: "get-telephony-setup", Tag: "CRM telephony",
		Summary: "Get the state of the telephony setup", Doc: "Needs no telephony licence.",
		Access: api.Session, Permission: perm.CallsView, Licence: "crm",
	}, func(ctx context.Context, _ *struct{}) (Setup, error) { return s.Setup(ctx) })
}
