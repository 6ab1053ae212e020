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
	State string `query:"state" maxLength:"200" doc:"Of the sign-up that somebody began; counts once"`
	Code  string `query:"code" maxLength:"2000" doc:"Stands for a token"`
	Error string `query:"error" maxLength:"200" example:"access_denied" doc:"The person did not agree"`
	// What the provider says beside the error; the step says enough.
	ErrorCode        string `query:"error_code" maxLength:"40" example:"200"`
	ErrorReason      string `query:"error_reason" maxLength:"200" example:"user_denied"`
	ErrorDescription string `query:"error_description" maxLength:"2000" example:"Permissions error"`

	BusinessID string `query:"waba_id" maxLength:"40" doc:"The WhatsApp Business Account that was shared; only it is connected"`
	NumberID   string `query:"phone_number_id" maxLength:"40" doc:"The number that was shared; only it is connected"`
	PageID     string `query:"page_id" maxLength:"40" doc:"The page that was shared; only it is connected, with its Instagram account"`
}

type failureIn struct {
	ID api.ID `path:"id" record:"partner_signup_failure"`
}

// channelsPage is the panel's page of channels.
const channelsPage = "/crm/channels"

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	start := channel.Route("GET", "/partner/oauth/start", "start-partner-sign-up", "Begin to connect what the company has at Meta", perm.ChannelsManage)
	start.Refusals = []int{409}
	start.Doc = "The client navigates to url, where the person agrees at the provider. It counts once and for 15 minutes. An installation without an app at the provider: 409 with the reason not_configured."
	api.Handle(a, start, func(ctx context.Context, _ *struct{}) (Started, error) { return s.Start(ctx) })

	failed := channel.Route("GET", "/partner/oauth/failures/{id}", "get-partner-sign-up-failure", "Why a sign-up at Meta failed", perm.ChannelsManage)
	failed.Doc = "For 15 minutes, and only for the session that began the sign-up: to any other it looks absent."
	api.Handle(a, failed, func(ctx context.Context, in *failureIn) (Failure, error) { return s.Failure(ctx, in.ID.UUID) })

	back := api.Route{
		Method: "GET", Path: CallbackPath, ID: "partner-sign-up-callback", Tag: "CRM channels", Access: api.Public, Refusals: []int{403, 404, 409, 422, 502}, AnyQuery: true,
		Summary: "A person comes back from the provider",
		Doc:     "Without a credential: who acts and for which workspace comes from the state, which counts once. The code is exchanged, what the person shared is read from the provider, what the call claims must be among it, and its numbers, pages and Instagram accounts are connected all together or not at all. A refusal names its step in reason: state, session (whoever began it has signed out), permission (they may no longer connect channels), consent, exchange, assets, claim, subscribe or store; what the provider refused is told in its own words. It is on the installation's own host: on a workspace's and on any other, 404. Parameters that are not named here are the provider's business and are ignored. A browser is sent to the panel's page of channels, with the id of the failure where the provider said something.",
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

// pageAfter is where a browser goes that came back. The address carries no words of the
// provider: whoever made up a link could put theirs into it.
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
