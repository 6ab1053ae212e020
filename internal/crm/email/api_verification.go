package email

import (
	"context"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type enterCodeIn struct {
	ID   api.ID `path:"id" record:"channel_account"`
	Body struct {
		Code string `json:"code" minLength:"6" maxLength:"20" example:"042617" doc:"Six-digit code from the mail"`
	}
}

// registerVerification adds the routes that verify a mailbox's address.
func (s *Service) registerVerification(a *api.API) {
	send := channel.Route("POST", "/email/{id}/verification", "send-mailbox-code", "Mail a verification code to a mailbox's address", perm.ChannelsManage)
	send.Refusals = []int{409, 429}
	send.Doc = "Mail through the operator's server is sent from the mailbox's own address only once it is verified, by this code or by a DNS " +
		"record of the domain. The code is valid for 15 minutes and five attempts; a new code replaces it. At most five codes a day are " +
		"mailed to one address, and at most 20 from one workspace. If the address is already verified, nothing is mailed."
	api.Handle(a, send, func(ctx context.Context, in *channel.ByID) (Mailbox, error) {
		return s.SendCode(ctx, in.ID.UUID, api.Language(ctx))
	})

	enter := channel.Route("POST", "/email/{id}/verification/code", "enter-mailbox-code", "Verify a mailbox's address with the mailed code", perm.ChannelsManage)
	enter.Refusals = []int{422}
	enter.Doc = "422 wrong_code if the code is wrong; 422 code_expired if it has expired, was used already or was entered wrong five times."
	api.Handle(a, enter, func(ctx context.Context, in *enterCodeIn) (Mailbox, error) {
		return s.EnterCode(ctx, in.ID.UUID, in.Body.Code)
	})

	dns := channel.Route("POST", "/email/{id}/verification/dns", "check-mailbox-dns", "Verify a mailbox's domain by its DNS record", perm.ChannelsManage)
	dns.Refusals = []int{409, 422, 429}
	dns.Doc = "Looks for the TXT record in the mailbox's sending.dns_record. Once it is found, all mailboxes of the workspace at this domain are " +
		"verified. 422 dns_record_missing if it is not found, with the reason lookup_failed if the DNS did not answer."
	api.Handle(a, dns, func(ctx context.Context, in *channel.ByID) (Mailbox, error) { return s.CheckDNS(ctx, in.ID.UUID) })
}
