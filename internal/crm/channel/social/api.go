package social

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// PageInput is the request body for connecting a page or its Instagram account.
type PageInput struct {
	ID             uuid.UUID  `json:"-"` // the zero id to create one
	Kind           string     `json:"-"`
	Name           string     `json:"name,omitempty" maxLength:"100" example:"Facebook sayfamız" doc:"Defaults to the name of the page or account"`
	PageID         string     `json:"page_id" minLength:"1" maxLength:"40" example:"109876543210987" doc:"ID of the page; for Instagram, of the page that the account belongs to"`
	Token          string     `json:"access_token" minLength:"1" maxLength:"1000" writeOnly:"true" example:"EAAG…" doc:"Access token of the page; stored encrypted, never shown"`
	AppSecret      string     `json:"app_secret" minLength:"1" maxLength:"200" writeOnly:"true" example:"1f6c3e…" doc:"Secret of the app that the token belongs to; signs the provider's calls; stored encrypted, never shown"`
	HumanAgent     *bool      `json:"human_agent,omitempty" doc:"Whether people can reply for seven days; the provider must have granted this to the app. If omitted, a page that is already connected keeps its value"`
	ReplaceWebhook bool       `json:"replace_webhook,omitempty" doc:"Whether Konak replaces another address in the app's webhook"`
	GroupID        *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group that new conversations go to"`
	AI             bool       `json:"ai,omitempty" doc:"Whether the assistant is on"`
}

type connectIn struct{ Body PageInput }

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerConnect(a, Messenger, "Connect a Messenger page")
	s.registerConnect(a, Instagram, "Connect a page's Instagram account")
	s.receiver.Register(a, meta.Hook{
		Path: WebhookPath, Kind: "social", Summary: "Receive Messenger and Instagram events", Refusals: []int{404, 409},
		Doc: "Called by the provider, without a credential. A call that is not signed for a connected page gets the same 404 as an unknown page. Messages for a paused page are refused with 409, and the provider sends them again later.",
	})
}

func (s *Service) registerConnect(a *api.API, kind, summary string) {
	connect := channel.Route("POST", "/connect/"+kind, "connect-"+kind, summary, perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{409, 422, 502}
	connect.Doc = "Reads the page from the provider, sets Konak's address in the app's webhook and subscribes the page to it. If the app's webhook has another address, it is left alone (422) unless replace_webhook is set. A page that is already connected gets the new token; a disconnected one comes back with its conversations."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		in.Body.Kind = kind
		return s.Connect(ctx, in.Body)
	})
}
