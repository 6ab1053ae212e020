package social

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// PageInput is what a caller gives to connect a page or its Instagram account.
type PageInput struct {
	Name           string     `json:"name,omitempty" maxLength:"100" example:"Facebook sayfamız" doc:"The page's or the account's own name where it is left out"`
	PageID         string     `json:"page_id" minLength:"1" maxLength:"40" example:"109876543210987" doc:"The page; for Instagram the page that the account belongs to"`
	Token          string     `json:"access_token" minLength:"1" maxLength:"1000" writeOnly:"true" example:"EAAG…" doc:"The page's token; stored sealed, never shown"`
	AppSecret      string     `json:"app_secret" minLength:"1" maxLength:"200" writeOnly:"true" example:"1f6c3e…" doc:"Of the app that the token belongs to; signs what the provider sends; stored sealed, never shown"`
	HumanAgent     bool       `json:"human_agent,omitempty" doc:"Whether people may answer for seven days, which the provider must have granted the app"`
	ReplaceWebhook bool       `json:"replace_webhook,omitempty" doc:"Whether we take the place of another address that the app's webhook leads to"`
	GroupID        *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"The group that gets what comes in"`
	AI             bool       `json:"ai,omitempty" doc:"Whether the assistant answers"`
}

type connectIn struct{ Body PageInput }

type challengeIn struct {
	Mode      string `query:"hub.mode" maxLength:"40" example:"subscribe"`
	Token     string `query:"hub.verify_token" maxLength:"200" example:"token"`
	Challenge string `query:"hub.challenge" maxLength:"200" example:"1158201444"`
}

type hookIn struct {
	Signature string `header:"X-Hub-Signature-256" maxLength:"200" doc:"HMAC-SHA256 over the body with the app's secret"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerConnect(a, Messenger, "Connect a page on Messenger")
	s.registerConnect(a, Instagram, "Connect a page's Instagram account")

	hook := api.Route{
		Path: WebhookPath, Tag: "CRM channels", Access: api.Public, Refusals: []int{404},
		Doc: "Called by the provider, without a credential. What is not signed for a connected page looks like a page that nobody has: 404. Messages for a paused one are refused with 409, and the provider brings them again later.",
	}
	ask := hook
	ask.Method, ask.ID, ask.Summary = "GET", "social-webhook-challenge", "The provider asks whether the address is ours"
	api.HandleBytes(a, ask, "text/plain", func(_ context.Context, in *challengeIn) (*api.Bytes, error) {
		text, err := s.Challenge(in.Mode, in.Token, in.Challenge)
		return &api.Bytes{ContentType: "text/plain", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}}, err
	})
	// The signature guards it, and a busy page has more to tell than a caller of ours
	// may.
	hook.Method, hook.ID, hook.Summary, hook.Limit = "POST", "social-webhook", "Messenger and Instagram tell what happened", api.Unlimited
	hook.Refusals, hook.MaxBody = []int{404, 409}, 4<<20
	// The signature is over the bytes as they come, so nobody reads them first.
	api.HandleUpload(a, hook, func(ctx context.Context, in *hookIn, body *api.Upload) (api.Done, error) {
		text, err := io.ReadAll(body)
		if err != nil {
			return api.Done{}, err
		}
		return api.Done{Done: true}, s.Receive(ctx, api.ClientIP(ctx), text, in.Signature)
	})
}

func (s *Service) registerConnect(a *api.API, kind, summary string) {
	connect := channel.Route("POST", "/connect/"+kind, "connect-"+kind, summary, perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{409, 422, 502}
	connect.Doc = "The provider is asked for the page first, its app is told where to call, and the page to tell it what happens. An app whose webhook leads elsewhere is left alone unless replace_webhook says otherwise: 422. A page that is connected already gets the new token."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		b := in.Body
		return s.Connect(ctx, NewPage{
			Kind: kind, Name: b.Name, PageID: b.PageID, Token: b.Token, AppSecret: b.AppSecret, HumanAgent: b.HumanAgent,
			ReplaceWebhook: b.ReplaceWebhook, GroupID: b.GroupID, AI: b.AI,
		})
	})
}
