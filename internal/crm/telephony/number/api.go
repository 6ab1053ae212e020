package number

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type numberIn struct {
	ID api.ID `path:"id" record:"phone_number"`
}

type availableIn struct {
	Country  string `query:"country" required:"true" pattern:"^[A-Z]{2}$" example:"TR" doc:"Two-letter ISO 3166 code"`
	Type     string `query:"type" enum:"local,mobile,toll_free" default:"local"`
	Contains string `query:"contains" pattern:"^[0-9]{0,15}$" example:"555" doc:"Digits the number contains"`
}

type buyIn struct {
	Body struct {
		E164  string `json:"e164" minLength:"3" maxLength:"20" example:"+902125550101"`
		Label string `json:"label,omitempty" maxLength:"100" example:"Destek hattı"`
	}
}

type renameIn struct {
	ID   api.ID `path:"id" record:"phone_number"`
	Body struct {
		Label string `json:"label" maxLength:"100" example:"Destek hattı"`

		ID           api.GivenBack `json:"id,omitzero"`
		E164         api.GivenBack `json:"e164,omitzero"`
		Type         api.GivenBack `json:"type,omitzero"`
		Capabilities api.GivenBack `json:"capabilities,omitzero"`
		Status       api.GivenBack `json:"status,omitzero"`
		IsDefault    api.GivenBack `json:"is_default,omitzero"`
		MonthlyFee   api.GivenBack `json:"monthly_fee_micros,omitzero"`
		RenewsAt     api.GivenBack `json:"renews_at,omitzero"`
		LastError    api.GivenBack `json:"last_error,omitzero"`
		CreatedAt    api.GivenBack `json:"created_at,omitzero"`
	}
}

func route(method, sub, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/crm/v1/telephony/numbers" + sub, ID: id, Tag: "CRM telephony", Summary: summary,
		Access: api.Session, Permission: p, Licence: licence,
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandlePage(a, route("GET", "", "list-numbers", "List the workspace's phone numbers", perm.CallsView), s.Numbers)

	search := route("GET", "/available", "list-available-numbers", "List phone numbers available to buy", perm.TelephonyManage)
	search.Doc, search.Refusals = "Returns a selection from the provider. 409 not_configured if the operator has no provider.", []int{409, 502}
	api.Handle(a, search, func(ctx context.Context, in *availableIn) ([]Offer, error) {
		return s.Available(ctx, Search{Country: in.Country, Type: in.Type, Contains: in.Contains})
	})

	buy := route("POST", "/buy", "buy-number", "Buy a phone number", perm.TelephonyManage)
	buy.Doc = "The first month's fee is reserved, and the number is pending until the provider answers; 409 no_credit if there is not enough credit. " +
		"The first number becomes the default."
	buy.Status, buy.TakesKey = 201, true
	api.Handle(a, buy, func(ctx context.Context, in *buyIn) (Number, error) { return s.Buy(ctx, in.Body.E164, in.Body.Label) })

	api.Handle(a, route("PUT", "/{id}", "rename-number", "Rename a phone number", perm.TelephonyManage),
		func(ctx context.Context, in *renameIn) (Number, error) {
			return s.Rename(ctx, in.ID.UUID, in.Body.Label)
		})

	release := route("DELETE", "/{id}", "release-number", "Release a phone number", perm.TelephonyManage)
	release.Doc, release.Refusals = "The month's fee is not refunded. If the number was the default, the oldest other active number becomes the default. 409 while the purchase is in progress.", []int{409}
	api.Handle(a, release, func(ctx context.Context, in *numberIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.Release(ctx, in.ID.UUID)
	})

	choose := route("PUT", "/{id}/default", "set-default-number", "Make a phone number the default", perm.TelephonyManage)
	choose.Refusals = []int{409}
	api.Handle(a, choose, func(ctx context.Context, in *numberIn) (Number, error) { return s.MakeDefault(ctx, in.ID.UUID) })
}
