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
	get := route("GET", "/notices", "get-notice-preferences", "Get your notification preferences")
	get.Doc = "They apply to you in this workspace. By default, a sound plays for everything but messages in colleagues' conversations."
	api.Handle(a, get, func(ctx context.Context, _ *struct{}) (Preferences, error) { return s.Preferences(ctx) })

	api.Handle(a, route("PUT", "/notices", "set-notice-preferences", "Change your notification preferences"),
		func(ctx context.Context, in *setPreferencesIn) (Preferences, error) {
			return s.SetPreferences(ctx, in.Body)
		})

	key := route("GET", "/push-key", "get-push-key", "Get the key for push subscriptions")
	api.Handle(a, key, func(ctx context.Context, _ *struct{}) (PushKey, error) { return s.PushKey(ctx) })

	subscribe := route("POST", "/push-subscriptions", "add-push-subscription", "Subscribe this browser to push notifications")
	subscribe.TakesKey = true
	subscribe.Status = 201
	subscribe.Doc = "Takes the JSON of the browser's PushSubscription. Pushes follow the preferences, are sent while the agent has no panel open, and end with the session. A subscription with the same address is replaced; beyond ten, the oldest is removed."
	api.Handle(a, subscribe, func(ctx context.Context, in *subscribeIn) (Subscription, error) { return s.Subscribe(ctx, in.Body) })

	api.Handle(a, route("DELETE", "/push-subscriptions/{id}", "delete-push-subscription", "Unsubscribe this browser from push notifications"),
		func(ctx context.Context, in *unsubscribeIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.Unsubscribe(ctx, in.ID.UUID)
		})
}
