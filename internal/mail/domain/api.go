package domain

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type provisionIn struct {
	Body struct {
		Domain   string `json:"domain" minLength:"1" maxLength:"253" example:"kaya.example"`
		Selector string `json:"selector,omitempty" maxLength:"61" example:"s202611" doc:"DKIM selector; defaults to the current one, or one named after the month. A different selector creates new keys"`
		Routing  string `json:"routing" enum:"embedded" example:"embedded" doc:"embedded: this installation receives and sends the domain's mail"`
	}
}

type quickstartIn struct {
	Body struct {
		Domain string `json:"domain" minLength:"1" maxLength:"253" example:"kaya.example"`
	}
}

type domainIn struct {
	ID api.ID `path:"id" record:"mail_domain"`
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/mail/v1" + path, ID: id, Tag: "Mail",
		Summary: summary, Access: api.Session, Permission: p, Licence: "mail",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerMailboxes(a)

	put := route("POST", "/provision/domain", "provision-mail-domain", "Register a mail domain", perm.DomainsManage)
	put.Refusals = []int{409}
	put.Doc = "Adds the domain, or changes the selector and routing of an existing one; a different selector creates new DKIM keys. If the record of the current RSA key was found, that key keeps signing until the new key's record is found " +
		"(next_selector; sending the current selector discards the new keys). Otherwise the new keys sign at once. " +
		"A domain can be pending in several workspaces and belongs to the one whose ownership record is found; the others get 409 domain_taken."
	api.Handle(a, put, func(ctx context.Context, in *provisionIn) (Domain, error) {
		d, err := s.Provision(ctx, Input{in.Body.Domain, in.Body.Selector, in.Body.Routing})
		return d.Domain, err
	})

	quick := route("POST", "/provision/domain/quickstart", "quickstart-mail-domain", "Register a mail domain and list its DNS records", perm.DomainsManage)
	quick.Refusals = []int{409}
	quick.Doc = "Adds the domain if it does not exist and returns all DNS records it needs, also as a zone file. Add them at the domain's DNS provider; GET /domains/{id}/dns shows which ones are found."
	api.Handle(a, quick, func(ctx context.Context, in *quickstartIn) (Details, error) {
		return s.Provision(ctx, Input{Domain: in.Body.Domain, Routing: RoutingEmbedded})
	})

	del := route("DELETE", "/provision/domain/{id}", "delete-mail-domain", "Remove a mail domain", perm.DomainsManage)
	del.Refusals = []int{409}
	del.Doc = "Remove its mailboxes first; otherwise 409."
	api.Handle(a, del, func(ctx context.Context, in *domainIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	api.HandlePage(a, route("GET", "/domains", "list-mail-domains", "List mail domains", perm.DomainsView), s.List)

	check := route("GET", "/domains/{id}/dns", "check-mail-domain", "Check a mail domain's DNS records", perm.DomainsView)
	check.Doc = "Queries the domain's authoritative name servers, at most once every ten seconds. If they do not answer, the previous results are kept. " +
		"The domain becomes active as soon as all mandatory records are found. It stops being active only after two regular checks (after 1, 5 and 15 minutes, hourly for three days, then daily) find one missing."
	api.Handle(a, check, func(ctx context.Context, in *domainIn) (Details, error) { return s.CheckNow(ctx, in.ID.UUID) })
}
