package social

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// PageInput is what a caller gives to connect a page or its Instagram account.
type PageInput struct {
	Name           string     `json:"name,omitempty" maxLength:"100" example:"Facebook sayfamız" doc:"The page's or the account's own name where it is left out"`
	PageID         string     `json:"page_id" minLength:"1" maxLength:"40" example:"109876543210987" doc:"The page; for Instagram the page that the account belongs to"`
	Token          string     `json:"access_token" minLength:"1" maxLength:"1000" writeOnly:"true" example:"EAAG…" doc:"The page's token; stored sealed, never shown"`
	AppSecret      string     `json:"app_secret" minLength:"1" maxLength:"200" writeOnly:"true" example:"1f6c3e…" doc:"Of the app that the token belongs to; signs what the provider sends; stored sealed, never shown"`
	HumanAgent     *bool      `json:"human_agent,omitempty" doc:"Whether people may answer for seven days, which the provider must have granted the app; without it a page that is connected already keeps what it has"`
	ReplaceWebhook bool       `json:"replace_webhook,omitempty" doc:"Whether we take the place of another address that the app's webhook leads to"`
	GroupID        *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"The group that gets what comes in"`
	AI             bool       `json:"ai,omitempty" doc:"Whether the assistant answers"`
}

type connectIn struct{ Body PageInput }

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerConnect(a, Messenger, "Connect a page on Messenger")
	s.registerConnect(a, Instagram, "Connect a page's Instagram account")
	s.receiver.Register(a, meta.Hook{
		Path: WebhookPath, Kind: "social", Summary: "Messenger and Instagram tell what happened", Refusals: []int{404, 409},
		Doc: "Called by the provider, without a credential. What is not signed for a connected page looks like a page that nobody has: 404. Messages for a paused one are refused with 409, and the provider brings them again later.",
	})
}

func (s *Service) registerConnect(a *api.API, kind, summary string) {
	connect := channel.Route("POST", "/connect/"+kind, "connect-"+kind, summary, perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{409, 422, 502}
	connect.Doc = "The provider is asked for the page first, its app is told where to call, and the page to tell it what happens. An app whose webhook leads elsewhere is left alone unless replace_webhook says otherwise: 422. A page that is connected already gets the new token; one that the workspace disconnected comes back, with its conversations."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		b := in.Body
		return s.Connect(ctx, NewPage{
			Kind: kind, Name: b.Name, PageID: b.PageID, Token: b.Token, AppSecret: b.AppSecret, HumanAgent: b.HumanAgent,
			ReplaceWebhook: b.ReplaceWebhook, GroupID: b.GroupID, AI: b.AI,
		})
	})
}
