package whatsapp

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/contact"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type connectIn struct {
	Channel string `path:"channel" maxLength:"40" example:"whatsapp" doc:"The kind of channel"`
	Body    struct {
		Name       string     `json:"name,omitempty" maxLength:"100" example:"WhatsApp hattı" doc:"The verified name where it is left out"`
		NumberID   string     `json:"phone_number_id" minLength:"1" maxLength:"40" example:"106540352242922"`
		BusinessID string     `json:"business_account_id" minLength:"1" maxLength:"40" example:"102290129340398" doc:"The WhatsApp Business Account (WABA) that the number belongs to"`
		Token      string     `json:"access_token" minLength:"1" maxLength:"1000" writeOnly:"true" example:"EAAG…" doc:"Of a system user; stored sealed, never shown"`
		AppSecret  string     `json:"app_secret" minLength:"1" maxLength:"200" writeOnly:"true" example:"1f6c3e…" doc:"Signs what the provider sends; stored sealed, never shown"`
		GroupID    *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"The group that gets what comes in"`
		AI         bool       `json:"ai,omitempty" doc:"Whether the assistant answers"`
	}
}

type consentIn struct{ Body Consent }

type sendTemplateIn struct {
	Body struct {
		Recipient
		template.Use
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	connect := channel.Route("POST", "/connect/{channel}", "connect-channel", "Connect channel", perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{404, 409, 502}
	connect.OneOf = map[string][]string{"channel": {Name}}
	connect.Doc = "The provider is asked for the number first, is told where to call, and its templates are read. A number that is connected already gets the new token; one that the workspace disconnected comes back, with its conversations. A kind of channel that is connected in another way, or not at all: 404."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		b := in.Body
		return s.Connect(ctx, NewNumber{
			Name: b.Name, NumberID: b.NumberID, BusinessID: b.BusinessID, Token: b.Token, AppSecret: b.AppSecret, GroupID: b.GroupID, AI: b.AI,
		})
	})

	send := channel.Route("POST", "/send-template", "send-template", "Send template", perm.TemplatesSend)
	send.TakesKey = true
	send.Doc = "Needs crm.conversations.reply as well; the conversation is shown to who may see conversations. To one customer, in the conversation that they have on the template's number or in one that begins. Answers 200 even when sending fails: delivery and delivery_error say so. Marketing goes only to who agreed to it."
	api.Handle(a, send, func(ctx context.Context, in *sendTemplateIn) (reply.SentTemplate, error) {
		return s.SendTemplate(ctx, in.Body.Recipient, in.Body.Use)
	})

	consent := channel.Route("POST", "/consent", "record-consent", "Record send consent", perm.TemplatesSend)
	record := func(ctx context.Context, in *consentIn) (contact.Contact, error) {
		return s.RecordConsent(ctx, in.Body)
	}
	api.Handle(a, consent, record)
	public := consent
	public.Path, public.ID, public.Tag, public.Access = "/api/crm/public/v1/channels/consent", "record-consent-by-key", "CRM public API", api.Key
	public.Summary = "Record consent to send on the business messaging channel"
	api.Handle(a, public, record)

	s.receiver.Register(a, meta.Hook{
		Path: WebhookPath, Kind: Name, Summary: "The provider tells what happened", Refusals: []int{404},
		Doc: "Called by the provider, without a credential. What is not signed for a connected number looks like a number that nobody has: 404. Messages for a paused number are refused with 409, and the provider brings them again later.",
	})
}
