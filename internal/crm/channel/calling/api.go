package calling

import (
	"context"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type changeIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Enabled  bool           `json:"enabled" example:"true"`
		Icon     *string        `json:"icon,omitempty" enum:"shown,hidden" doc:"Whether customers see the call button"`
		Callback *bool          `json:"callback,omitempty" doc:"Whether a customer's call also permits the business to call back"`
		Hours    *channel.Hours `json:"hours,omitempty" doc:"When customers can call"`
	}
}

type conversationIn struct {
	ID api.ID `path:"id" record:"conversation"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	get := channel.Route("GET", "/{id}/calling", "channel-calling", "Get the calling status of a messaging number", perm.ChannelsView)
	get.Refusals = []int{409}
	get.Doc = "Asks the provider; if it does not answer, its status is unknown. 409 if this kind of channel has no calls."
	api.Handle(a, get, func(ctx context.Context, in *channel.ByID) (State, error) { return s.Get(ctx, in.ID.UUID) })

	set := channel.Route("PUT", "/{id}/calling", "set-channel-calling", "Turn calls on a channel on or off", perm.ChannelsManage)
	set.Refusals = []int{409, 502}
	set.Doc = "Turning calls on asks the exchange and then the provider, and returns 200 with the result. If either refuses, calls stay as they were and exchange.error or provider.error says why. Without an exchange the result is rejected, with the error not_available."
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
		Summary: "Get the call button for " + of, Permission: perm.ConversationsView, Licence: "crm",
		Doc: "Shows whether calls are enabled, the customer's consent live from the provider, and whether the customer can be asked for it. available is false for a conversation on another channel. permission is unknown if the provider does not answer.",
	}
	api.Handle(a, route, func(ctx context.Context, in *conversationIn) (Button, error) { return s.Button(ctx, in.ID.UUID, kinds) })
	route.Method, route.Path, route.ID = "POST", route.Path+"/permission", name+"-permission"
	route.Summary, route.Permission, route.Refusals = "Ask the customer for call permission on "+of, perm.CallsMake, []int{409, 422, 502}
	route.Doc = "Sends the customer the provider's question and returns the new state of the call button. 409 with the reason if the provider's limits do not allow it now, the customer has already agreed, the provider does not support the region or the conversation is on another channel."
	api.Handle(a, route, func(ctx context.Context, in *conversationIn) (Button, error) { return s.Ask(ctx, in.ID.UUID, kinds) })
}
