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
		Code string `json:"code" minLength:"6" maxLength:"20" example:"042617" doc:"The six digits of the mail"`
	}
}

// registerVerification adds the routes that verify a mailbox's address.
func (s *Service) registerVerification(a *api.API) {
	send := channel.Route("POST", "/email/{id}/verification", "send-mailbox-code", "Mail a verification code to a mailbox's address", perm.ChannelsManage)
	send.Refusals = []int{409, 429}
	send.Doc = "Mail over the operator's server leaves from the mailbox's own address only once that is verified: by this code or by a DNS " +
		"record of the domain. The code is good for 15 minutes and five attempts, and a new one takes its place. Five may be mailed to an " +
		"address in a day, 20 by a workspace. Where the address is verified already nothing is mailed."
	api.Handle(a, send, func(ctx context.Context, in *mailboxIn) (Mailbox, error) {
		return s.SendCode(ctx, in.ID.UUID, api.Language(ctx))
	})

	enter := channel.Route("POST", "/email/{id}/verification/code", "enter-mailbox-code", "Verify a mailbox's address with the mailed code", perm.ChannelsManage)
	enter.Refusals = []int{422}
	enter.Doc = "A wrong code is 422 wrong_code; one that is too old, was used already or was tried five times is 422 code_expired."
	api.Handle(a, enter, func(ctx context.Context, in *enterCodeIn) (Mailbox, error) {
		return s.EnterCode(ctx, in.ID.UUID, in.Body.Code)
	})

	dns := channel.Route("POST", "/email/{id}/verification/dns", "check-mailbox-dns", "Verify a mailbox's domain by its DNS record", perm.ChannelsManage)
	dns.Refusals = []int{409, 422, 429}
	dns.Doc = "Looks for the TXT record that the mailbox's sending.dns_record names. Once found, every mailbox of the workspace at this domain is " +
		"verified. Where it is not found the answer is 422 dns_record_missing, with the reason lookup_failed where the DNS gave no answer."
	api.Handle(a, dns, func(ctx context.Context, in *mailboxIn) (Mailbox, error) { return s.CheckDNS(ctx, in.ID.UUID) })
}
