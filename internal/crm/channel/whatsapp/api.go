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
	Channel string `path:"channel" maxLength:"40" example:"whatsapp" doc:"Kind of channel"`
	Body    ConnectBody
}

// ConnectBody is the input for connecting a number.
type ConnectBody struct {
	ID         uuid.UUID  `json:"-"` // the zero id to create one
	Register   bool       `json:"-"` // registers a number that cannot send yet
	Name       string     `json:"name,omitempty" maxLength:"100" example:"WhatsApp hattı" doc:"Defaults to the verified name"`
	NumberID   string     `json:"phone_number_id" minLength:"1" maxLength:"40" example:"106540352242922"`
	BusinessID string     `json:"business_account_id" minLength:"1" maxLength:"40" example:"102290129340398" doc:"WhatsApp Business Account (WABA) that the number belongs to"`
	Token      string     `json:"access_token" minLength:"1" maxLength:"1000" writeOnly:"true" example:"EAAG…" doc:"Access token of a system user; stored encrypted, never shown"`
	AppSecret  string     `json:"app_secret" minLength:"1" maxLength:"200" writeOnly:"true" example:"1f6c3e…" doc:"Secret that signs the provider's calls; stored encrypted, never shown"`
	GroupID    *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group that new conversations go to"`
	AI         bool       `json:"ai,omitempty" doc:"Whether the assistant is on"`
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
	connect := channel.Route("POST", "/connect/{channel}", "connect-channel", "Connect a WhatsApp number", perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{404, 409, 502}
	connect.OneOf = map[string][]string{"channel": {Name}}
	connect.Doc = "Reads the number from the provider, gives the provider the address to call and loads the templates. A number that is already connected gets the new token; a disconnected one comes back with its conversations. 404 for kinds of channel that are connected in another way or not at all."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		return s.Connect(ctx, in.Body)
	})

	send := channel.Route("POST", "/send-template", "send-template", "Send a template", perm.TemplatesSend)
	send.TakesKey = true
	send.Doc = "Sends a template to one customer, in their conversation on the template's number or in a new one. Also needs crm.conversations.reply; the conversation is included only if the caller can view conversations. Returns 200 even if sending fails: see delivery and delivery_error. Marketing templates go only to customers who agreed."
	api.Handle(a, send, func(ctx context.Context, in *sendTemplateIn) (reply.SentTemplate, error) {
		return s.SendTemplate(ctx, in.Body.Recipient, in.Body.Use)
	})

	consent := channel.Route("POST", "/consent", "record-consent", "Record consent to send", perm.TemplatesSend)
	record := func(ctx context.Context, in *consentIn) (contact.Contact, error) {
		return s.RecordConsent(ctx, in.Body)
	}
	api.Handle(a, consent, record)
	public := consent
	public.Path, public.ID, public.Tag, public.Access = "/api/crm/public/v1/channels/consent", "record-consent-by-key", "CRM public API", api.Key
	public.Summary = "Record consent to send on the business messaging channel"
	api.Handle(a, public, record)

	s.receiver.Register(a, meta.Hook{
		Path: WebhookPath, Kind: Name, Summary: "Receive WhatsApp events", Refusals: []int{404, 409},
		Doc: "Called by the provider, without a credential. A call that is not signed for a connected number gets the same 404 as an unknown number. Messages for a paused number are refused with 409, and the provider sends them again later.",
	})
}
