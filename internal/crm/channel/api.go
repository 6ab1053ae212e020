package channel

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type listChannelsIn struct {
	api.Paged
	Kind   string `query:"kind" maxLength:"40" example:"custom" doc:"Only accounts of this kind"`
	Status string `query:"status" enum:"connecting,active,paused,attention,disconnected" doc:"Only accounts in this status; without it all but the disconnected"`
}

type channelIn struct {
	ID api.ID `path:"id" record:"channel_account"`
}

type channelStatusIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Status string `json:"status" enum:"active,paused"`
	}
}

type channelReceiptsIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Enabled bool `json:"enabled" example:"true"`
	}
}

type channelAIIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Enabled         bool                    `json:"enabled" doc:"Whether the assistant answers"`
		ConfigurationID api.Optional[uuid.UUID] `json:"configuration_id,omitempty" format:"uuid" doc:"How it behaves on this account; left out, that stays as it is; null or the nil UUID for its defaults"`
	}
}

// Route is a session route of the channels, for the kinds too.
func Route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/channels" + path, ID: id, Tag: "CRM channels",
		Summary: summary, Access: api.Session, Permission: p, Licence: "crm",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandleList(a, Route("GET", "", "list-channels", "List channels", perm.ChannelsView),
		func(ctx context.Context, in *listChannelsIn) (db.List[Account], error) {
			return s.List(ctx, in.Kind, in.Status, in.Page())
		})
	api.Handle(a, Route("GET", "/{id}", "get-channel", "Get a channel", perm.ChannelsView),
		func(ctx context.Context, in *channelIn) (Account, error) { return s.Get(ctx, "", in.ID.UUID) })

	end := Route("DELETE", "/{id}", "disconnect-channel", "Disconnect channel", perm.ChannelsManage)
	end.Doc = "Its credentials and its key are forgotten; its conversations stay. A bot, page, Instagram account or number that is connected again is the same channel again. A repeat changes nothing."
	api.Handle(a, end, func(ctx context.Context, in *channelIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Disconnect(ctx, in.ID.UUID)
	})

	status := Route("PATCH", "/{id}/status", "set-channel-status", "Set channel status", perm.ChannelsManage)
	status.Refusals = []int{409}
	status.Doc = "Nothing comes in or goes out over a paused channel. A disconnected one cannot be changed, and one that is still connecting cannot be made active: 409."
	api.Handle(a, status, func(ctx context.Context, in *channelStatusIn) (Account, error) {
		return s.SetStatus(ctx, in.ID.UUID, in.Body.Status)
	})

	ai := Route("PATCH", "/{id}/ai", "set-channel-ai", "Turn AI on or off for the account's channel", perm.ChannelsManage)
	ai.Refusals = []int{409}
	ai.Doc = "On where it could not answer: 409 with the reason ai_unavailable (a help center, where customers write forms) or ai_not_licensed."
	api.Handle(a, ai, func(ctx context.Context, in *channelAIIn) (Account, error) {
		configuration := in.Body.ConfigurationID.V
		if in.Body.ConfigurationID.Sent && configuration == nil {
			configuration = &uuid.Nil
		}
		return s.SetAI(ctx, in.ID.UUID, in.Body.Enabled, configuration)
	})

	receipts := Route("PATCH", "/{id}/read-receipts", "set-read-receipts", "Turn read receipts on or off for an account", perm.ChannelsManage)
	receipts.Refusals = []int{404, 409}
	receipts.Doc = "While on, the customer sees that an agent opened the conversation after their message. Off at first. A kind of channel that has none: 404."
	api.Handle(a, receipts, func(ctx context.Context, in *channelReceiptsIn) (Account, error) {
		return s.SetReadReceipts(ctx, in.ID.UUID, in.Body.Enabled)
	})

	trial := Route("GET", "/{id}/gelen-testi", "inbound-test", "Whether what is sent to the account arrives", perm.ChannelsView).Polled()
	trial.Refusals = []int{409}
	trial.Doc = "With the account's warnings, among them that the time of a code is over. Polled every few seconds. A kind of channel that nobody writes to: 409."
	api.Handle(a, trial, func(ctx context.Context, in *channelIn) (Trial, error) { return s.Trial(ctx, in.ID.UUID) })
	begin := Route("POST", "/{id}/gelen-testi", "start-inbound-test", "Generate a new test code", perm.ChannelsManage)
	begin.Refusals = []int{409}
	begin.Doc = "The code counts for 15 minutes and is sent to the account as a customer would: from any phone, by e-mail, in the chat. The one before no longer counts. On WhatsApp no conversation begins with it; elsewhere it is a message like any other."
	api.Handle(a, begin, func(ctx context.Context, in *channelIn) (Trial, error) { return s.StartTrial(ctx, in.ID.UUID) })

	can := Route("GET", "/capabilities", "list-channel-capabilities", "What each kind of channel can carry", perm.ConversationsView)
	can.Doc = "For whoever answers customers. Files with their sizes, reactions, changes, templates, calls and windows, by kind. What a channel cannot carry is refused before it is written: 422."
	api.Handle(a, can, func(context.Context, *struct{}) ([]KindCapabilities, error) { return s.Capabilities(), nil })

	hook := Route("GET", "/{id}/webhook", "channel-webhook", "Ask the provider for the webhook's state", perm.ChannelsView)
	hook.Refusals = []int{409, 502}
	hook.Doc = "The chat-bot's provider is asked, and the account's own flag becomes what it answers: one that it does not call needs attention (webhook_missing). A kind of channel without such a webhook: 409."
	api.Handle(a, hook, func(ctx context.Context, in *channelIn) (Webhook, error) { return s.Webhook(ctx, in.ID.UUID) })
	hook = Route("POST", "/{id}/webhook", "register-channel-webhook", "Register the webhook, or register it again", perm.ChannelsManage)
	hook.Refusals = []int{409, 502}
	hook.Doc = "The provider is told our address and the secret token that proves its calls, and is asked whether it took them. An account that was polled is called from then on."
	api.Handle(a, hook, func(ctx context.Context, in *channelIn) (Webhook, error) { return s.RegisterWebhook(ctx, in.ID.UUID) })
}
