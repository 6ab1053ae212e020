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
	api.Handle(a, telephony.Route("GET", "/settings", "get-telephony-settings", "Get the telephony settings", perm.CallsView),
		func(ctx context.Context, _ *struct{}) (Stored, error) { return s.Settings(ctx) })

	set := telephony.Route("PUT", "/settings", "set-telephony-settings", "Change the telephony settings", perm.TelephonyManage)
	set.Doc = "Send all settings: a missing one is refused. The response of GET can be sent back. Changes apply to calls that start afterwards."
	api.Handle(a, set, func(ctx context.Context, in *setSettingsIn) (Stored, error) { return s.Set(ctx, in.Body.Settings) })
}
