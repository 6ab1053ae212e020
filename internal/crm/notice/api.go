package notice

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setPreferencesIn struct {
	Body Preferences
}

type subscribeIn struct {
	Body NewSubscription
}

type unsubscribeIn struct {
	ID api.ID `path:"id" record:"push_subscription"`
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

	key := route("GET", "/push-key", "get-push-key", "The key that a browser subscribes to pushes with")
	api.Handle(a, key, func(ctx context.Context, _ *struct{}) (PushKey, error) { return s.PushKey(ctx) })

	subscribe := route("POST", "/push-subscriptions", "add-push-subscription", "Have pushes sent to this browser")
	subscribe.TakesKey = true
	subscribe.Status = 201
	subscribe.Doc = "Takes the JSON of the browser's PushSubscription. Pushes are sent as the preferences say, while no panel of the agent is open, and end with the session. One of the same address is replaced; of more than ten the oldest goes."
	api.Handle(a, subscribe, func(ctx context.Context, in *subscribeIn) (Subscription, error) { return s.Subscribe(ctx, in.Body) })

	api.Handle(a, route("DELETE", "/push-subscriptions/{id}", "delete-push-subscription", "Send this browser no more pushes"),
		func(ctx context.Context, in *unsubscribeIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.Unsubscribe(ctx, in.ID.UUID)
		})
}
