package domain

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

type listIn struct{ api.Paged }

type provisionIn struct {
	Body struct {
		Domain   string `json:"domain" minLength:"1" maxLength:"253" example:"kaya.example"`
		Selector string `json:"selector,omitempty" maxLength:"61" example:"s202611" doc:"Where the DKIM keys are; by default the present one, or one named after the month. Another one comes with new keys"`
		Routing  string `json:"routing" enum:"embedded" example:"embedded" doc:"embedded: this installation takes and sends the domain's mail"`
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
	put.Doc = "Adds the domain, or changes the selector and the routing of one that is there; another selector comes with new DKIM keys. Where the record of the present RSA key was seen, it goes on signing until that of the new one is seen " +
		"(next_selector; the present selector takes the new keys back); where it was not, the new keys sign at once. " +
		"A domain may wait in several workspaces, and belongs to the one that shows its ownership record: 409 domain_taken for the others."
	api.Handle(a, put, func(ctx context.Context, in *provisionIn) (Domain, error) {
		d, err := s.Provision(ctx, Input{in.Body.Domain, in.Body.Selector, in.Body.Routing})
		return d.Domain, err
	})

	quick := route("POST", "/provision/domain/quickstart", "quickstart-mail-domain", "Register a mail domain and list its DNS records", perm.DomainsManage)
	quick.Refusals = []int{409}
	quick.Doc = "Adds the domain where it is not there and answers with every DNS record that it needs, also as a zone file. Add them at the domain's provider; GET /domains/{id}/dns shows which are seen."
	api.Handle(a, quick, func(ctx context.Context, in *quickstartIn) (Details, error) {
		return s.Provision(ctx, Input{Domain: in.Body.Domain, Routing: RoutingEmbedded})
	})

	del := route("DELETE", "/provision/domain/{id}", "delete-mail-domain", "Remove a mail domain", perm.DomainsManage)
	del.Refusals = []int{409}
	del.Doc = "Its mailboxes must be removed first: 409 otherwise."
	api.Handle(a, del, func(ctx context.Context, in *domainIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
	})

	api.HandleList(a, route("GET", "/domains", "list-mail-domains", "List mail domains", perm.DomainsView),
		func(ctx context.Context, in *listIn) (db.List[Domain], error) { return s.List(ctx, in.Page()) })

	check := route("GET", "/domains/{id}/dns", "check-mail-domain", "Look a mail domain's DNS records up", perm.DomainsView)
	check.Doc = "Asks the name servers that are responsible for the domain, at most once in ten seconds. Where they do not answer, what was found before stands. " +
		"The domain becomes active as soon as every mandatory record is there; it stops being so only after two of the regular rounds (1, 5 and 15 minutes, hourly for three days, then daily) found one missing."
	api.Handle(a, check, func(ctx context.Context, in *domainIn) (Details, error) { return s.CheckNow(ctx, in.ID.UUID) })
}
