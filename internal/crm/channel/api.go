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
	Status string `query:"status" enum:"connecting,active,paused,attention,disconnected" doc:"Only accounts in this status; by default all except disconnected ones"`
}

// ByID is the input of a route that is about one account.
type ByID struct {
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
		Enabled         bool                    `json:"enabled" doc:"Whether the assistant is on"`
		ConfigurationID api.Optional[uuid.UUID] `json:"configuration_id,omitempty" format:"uuid" doc:"Assistant configuration for this account; unchanged if omitted, null or the nil UUID for the defaults"`
	}
}

// Route returns a session route of the channels; the kinds use it too.
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
		func(ctx context.Context, in *ByID) (Account, error) { return s.Get(ctx, "", in.ID.UUID) })

	end := Route("DELETE", "/{id}", "disconnect-channel", "Disconnect a channel", perm.ChannelsManage)
	end.Doc = "Deletes the channel's credentials and key; its conversations stay. A bot, page, Instagram account or number that is connected again becomes the same channel. Repeating the call changes nothing."
	api.Handle(a, end, func(ctx context.Context, in *ByID) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Disconnect(ctx, in.ID.UUID)
	})

	status := Route("PATCH", "/{id}/status", "set-channel-status", "Set a channel's status", perm.ChannelsManage)
	status.Refusals = []int{409}
	status.Doc = "A paused channel neither receives nor sends messages. 409 if the channel is disconnected, or is still connecting and should become active."
	api.Handle(a, status, func(ctx context.Context, in *channelStatusIn) (Account, error) {
		return s.SetStatus(ctx, in.ID.UUID, in.Body.Status)
	})

	ai := Route("PATCH", "/{id}/ai", "set-channel-ai", "Turn the assistant on or off for a channel", perm.ChannelsManage)
	ai.Refusals = []int{409}
	ai.Doc = "409 if the assistant is turned on where it cannot answer, with the reason ai_unavailable (a help center, where customers write forms) or ai_not_licensed."
	api.Handle(a, ai, func(ctx context.Context, in *channelAIIn) (Account, error) {
		configuration := in.Body.ConfigurationID.V
		if in.Body.ConfigurationID.Sent && configuration == nil {
			configuration = &uuid.Nil
		}
		return s.SetAI(ctx, in.ID.UUID, in.Body.Enabled, configuration)
	})

	receipts := Route("PATCH", "/{id}/read-receipts", "set-read-receipts", "Turn read receipts on or off for a channel", perm.ChannelsManage)
	receipts.Refusals = []int{404, 409}
	receipts.Doc = "While on, customers see that an agent opened the conversation after their message. Off by default. 404 if this kind of channel has no read receipts."
	api.Handle(a, receipts, func(ctx context.Context, in *channelReceiptsIn) (Account, error) {
		return s.SetReadReceipts(ctx, in.ID.UUID, in.Body.Enabled)
	})

	trial := Route("GET", "/{id}/gelen-testi", "inbound-test", "Get the state of the inbound test", perm.ChannelsView).Polled()
	trial.Refusals = []int{409}
	trial.Doc = "Shows whether messages sent to the account arrive, with the account's warnings, including an expired code. Poll every few seconds. 409 if customers cannot write to this kind of channel."
	api.Handle(a, trial, func(ctx context.Context, in *ByID) (Trial, error) { return s.Trial(ctx, in.ID.UUID) })
	begin := Route("POST", "/{id}/gelen-testi", "start-inbound-test", "Create a new inbound test code", perm.ChannelsManage)
	begin.Refusals = []int{409}
	begin.Doc = "The code is valid for 15 minutes; the previous one becomes invalid. Send it to the account as a customer would: from any phone, by e-mail or in the chat. On WhatsApp it starts no conversation; elsewhere it is an ordinary message."
	api.Handle(a, begin, func(ctx context.Context, in *ByID) (Trial, error) { return s.StartTrial(ctx, in.ID.UUID) })

	can := Route("GET", "/capabilities", "list-channel-capabilities", "List what each kind of channel supports", perm.ConversationsView)
	can.Doc = "For everyone who replies to customers, agents and software alike: file types and sizes, reactions, edits, templates, calls and reply windows of each kind. A message that the channel does not support is refused with 422 and not saved."
	api.Handle(a, can, func(context.Context, *struct{}) ([]KindCapabilities, error) { return s.Capabilities(), nil })

	hook := Route("GET", "/{id}/webhook", "channel-webhook", "Get the webhook's state from the provider", perm.ChannelsView)
	hook.Refusals = []int{409, 502}
	hook.Doc = "Asks the chat bot's provider and updates the account's own flag: an account that the provider does not call needs attention (webhook_missing). 409 if this kind of channel has no such webhook."
	api.Handle(a, hook, func(ctx context.Context, in *ByID) (Webhook, error) { return s.Webhook(ctx, in.ID.UUID) })
	hook = Route("POST", "/{id}/webhook", "register-channel-webhook", "Register the webhook at the provider", perm.ChannelsManage)
	hook.Refusals = []int{409, 502}
	hook.Doc = "Gives the provider Konak's address and the secret token that proves its calls, then checks that it accepted them. Can be repeated. An account that was polled is called from then on."
	api.Handle(a, hook, func(ctx context.Context, in *ByID) (Webhook, error) { return s.RegisterWebhook(ctx, in.ID.UUID) })
}
