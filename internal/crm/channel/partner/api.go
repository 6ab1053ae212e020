package partner

import (
	"context"
	"errors"
	"net/url"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type callbackIn struct {
	State string `query:"state" maxLength:"200" doc:"State of the sign-up; can be used once"`
	Code  string `query:"code" maxLength:"2000" doc:"Code to exchange for a token"`
	Error string `query:"error" maxLength:"200" example:"access_denied" doc:"Set if the person did not agree"`
	// Further error fields from the provider; the step says enough.
	ErrorCode        string `query:"error_code" maxLength:"40" example:"200"`
	ErrorReason      string `query:"error_reason" maxLength:"200" example:"user_denied"`
	ErrorDescription string `query:"error_description" maxLength:"2000" example:"Permissions error"`

	BusinessID string `query:"waba_id" maxLength:"40" doc:"Shared WhatsApp Business Account; only its numbers are connected"`
	NumberID   string `query:"phone_number_id" maxLength:"40" doc:"Shared number; only this one is connected"`
	PageID     string `query:"page_id" maxLength:"40" doc:"Shared page; only this one is connected, with its Instagram account"`
}

type failureIn struct {
	ID api.ID `path:"id" record:"partner_signup_failure"`
}

// channelsPage is the panel's page of channels.
const channelsPage = "/crm/channels"

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	start := channel.Route("GET", "/partner/oauth/start", "start-partner-sign-up", "Start a sign-up at Meta", perm.ChannelsManage)
	start.Refusals = []int{409}
	start.Doc = "Send the browser to url, where the person agrees to share the company's accounts. The url can be used once and is valid for 15 minutes. 409 with the reason not_configured if the installation has no app at the provider."
	api.Handle(a, start, func(ctx context.Context, _ *struct{}) (Started, error) { return s.Start(ctx) })

	failed := channel.Route("GET", "/partner/oauth/failures/{id}", "get-partner-sign-up-failure", "Get why a sign-up at Meta failed", perm.ChannelsManage)
	failed.Doc = "Available for 15 minutes, only to the session that started the sign-up; any other gets 404."
	api.Handle(a, failed, func(ctx context.Context, in *failureIn) (Failure, error) { return s.Failure(ctx, in.ID.UUID) })

	back := api.Route{
		Method: "GET", Path: CallbackPath, ID: "partner-sign-up-callback", Tag: "CRM channels", Access: api.Public, Refusals: []int{403, 404, 409, 422, 502}, AnyQuery: true,
		Summary: "Finish a sign-up at Meta",
		Doc:     "The provider sends the person's browser here, without a credential: the state, which can be used once, identifies the person and the workspace. Konak exchanges the code, reads from the provider what the person shared, checks that it includes what the call claims, and connects the numbers, pages and Instagram accounts all together or not at all. On failure, reason names the step: state, session (whoever started the sign-up has signed out), permission (they can no longer connect channels), consent, exchange, assets, claim, subscribe or store; the provider's error message is included. Works only on the installation's own host; any other host, including a workspace's, returns 404. Other query parameters are ignored. A browser is redirected to the panel's channels page, with the failure's id if the provider gave an error message.",
	}
	api.HandleVisit(a, back, func(ctx context.Context, in *callbackIn) (Connected, error) {
		if !api.BareHost(ctx) {
			return Connected{}, fault.New(fault.NotFound)
		}
		return s.Finish(ctx, Return{
			State: in.State, Code: in.Code, Error: in.Error, BusinessID: in.BusinessID, NumberID: in.NumberID, PageID: in.PageID,
		}, api.ClientIP(ctx))
	}, s.pageAfter)
}

// pageAfter returns the address that a returning browser is sent to. It contains no words
// of the provider, because anybody could put theirs into a forged link.
func (s *Service) pageAfter(err error) string {
	query := url.Values{"partner": {"connected"}}
	if err != nil {
		query.Set("partner", "failed")
		if f, known := fault.As(err); known {
			query.Set("step", f.Reason)
		}
		if kept, ok := errors.AsType[*keptFailure](err); ok {
			query.Set("failure", kept.id.String())
		}
	}
	return s.BaseURL + channelsPage + "?" + query.Encode()
}
