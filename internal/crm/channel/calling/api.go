package calling

import (
	"context"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type accountIn struct {
	ID api.ID `path:"id" record:"channel_account"`
}

type changeIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Enabled  bool           `json:"enabled" example:"true"`
		Icon     *string        `json:"icon,omitempty" enum:"shown,hidden" doc:"Whether customers see the sign to call"`
		Callback *bool          `json:"callback,omitempty" doc:"Whether a customer who calls lets the business call back"`
		Hours    *channel.Hours `json:"hours,omitempty" doc:"When customers may call"`
	}
}

type conversationIn struct {
	ID api.ID `path:"id" record:"conversation"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	get := channel.Route("GET", "/{id}/calling", "channel-calling", "Calling status of the messaging number", perm.ChannelsView)
	get.Refusals = []int{409}
	get.Doc = "The provider is asked; while it does not answer its status is unknown. A kind of channel without calls: 409."
	api.Handle(a, get, func(ctx context.Context, in *accountIn) (State, error) { return s.Get(ctx, in.ID.UUID) })

	set := channel.Route("PUT", "/{id}/calling", "set-channel-calling", "Turn calls on or off", perm.ChannelsManage)
	set.Refusals = []int{409, 502}
	set.Doc = "Enabling asks the exchange and the provider, one after the other, and answers 200 with the result: what either refuses is in exchange.error or provider.error, and leaves calls off. Without an exchange it is rejected as not_available."
	api.Handle(a, set, func(ctx context.Context, in *changeIn) (Changed, error) {
		b := in.Body
		return s.Set(ctx, in.ID.UUID, channel.CallChange{Enabled: b.Enabled, Icon: b.Icon, Callback: b.Callback, Hours: b.Hours})
	})

	s.registerButton(a, "chat-call", "the business messaging number", Chat)
	s.registerButton(a, "social-call", "the social messaging channel", Social)
}

func (s *Service) registerButton(a *api.API, name, of string, kinds []string) {
	route := api.Route{
		Method: "GET", Path: "/api/crm/v1/conversations/{id}/" + name, ID: name, Tag: "CRM conversations", Access: api.Session,
		Summary: "Button record for calling on " + of, Permission: perm.ConversationsView, Licence: "crm",
		Doc: "Whether calls are enabled, the customer's consent live from the provider, and whether they can be asked for it. A conversation on another channel: available is false. A provider that does not answer: permission is unknown.",
	}
	api.Handle(a, route, func(ctx context.Context, in *conversationIn) (Button, error) { return s.Button(ctx, in.ID.UUID, kinds) })
	route.Method, route.Path, route.ID = "POST", route.Path+"/permission", name+"-permission"
	route.Summary, route.Permission, route.Refusals = "Ask the customer for call permission on "+of, perm.CallsMake, []int{409, 422, 502}
	route.Doc = "The customer gets the provider's question. Where the provider's limits do not allow it now, where they agreed already, in a region that the provider does not support and on another channel: 409 with the reason. Answers the button record afterwards."
	api.Handle(a, route, func(ctx context.Context, in *conversationIn) (Button, error) { return s.Ask(ctx, in.ID.UUID, kinds) })
}
