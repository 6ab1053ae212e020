package setting

import (
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setSettingsIn struct {
	Body struct {
		Settings
		UpdatedAt api.GivenBack `json:"updated_at,omitzero"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, telephony.Route("GET", "/settings", "get-telephony-settings", "See how the workspace telephones", perm.CallsView),
		func(ctx context.Context, _ *struct{}) (Stored, error) { return s.Settings(ctx) })

	set := telephony.Route("PUT", "/settings", "set-telephony-settings", "Change how the workspace telephones", perm.TelephonyManage)
	set.Doc = "All of it: what is left out is refused, and what GET gives can be sent back. It counts for calls that begin afterwards."
	api.Handle(a, set, func(ctx context.Context, in *setSettingsIn) (Stored, error) { return s.Set(ctx, in.Body.Settings) })
}
