package notice

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setPreferencesIn struct {
	Body Preferences
}

func route(method, path, id, summary string) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/me" + path, ID: id, Tag: "CRM notices",
		Summary: summary, Access: api.Session, Permission: perm.ConversationsView, Licence: "crm",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	get := route("GET", "/notices", "get-notice-preferences", "How one is told of what concerns one")
	get.Doc = "One's own, in this workspace. Who chose nothing has a sound for what is theirs or nobody's."
	api.Handle(a, get, func(ctx context.Context, _ *struct{}) (Preferences, error) { return s.Preferences(ctx) })

	api.Handle(a, route("PUT", "/notices", "set-notice-preferences", "Choose how one is told of what concerns one"),
		func(ctx context.Context, in *setPreferencesIn) (Preferences, error) {
			return s.SetPreferences(ctx, in.Body)
		})
}
