package block

import (
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type addBlockedIn struct {
	Body struct {
		E164   string `json:"e164,omitempty" maxLength:"30" example:"+908501234567"`
		Prefix string `json:"prefix,omitempty" maxLength:"16" doc:"Start of the numbers, with the country code; instead of e164"`
		Note   string `json:"note,omitempty" maxLength:"500" example:"Reklam"`
	}
}

type deleteBlockedIn struct {
	ID api.ID `path:"id" record:"phone_block"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.HandlePage(a, telephony.Route("GET", "/blocked", "list-blocked-numbers", "List blocked numbers", perm.CallsView), s.Entries)

	add := telephony.Route("POST", "/blocked", "block-number", "Block a number", perm.TelephonyManage)
	add.Doc = "Blocks one number (e164) or all numbers with a prefix (prefix). You can still call them. 409 if already blocked."
	add.Status, add.TakesKey = 201, true
	api.Handle(a, add, func(ctx context.Context, in *addBlockedIn) (Entry, error) {
		return s.Add(ctx, in.Body.E164, in.Body.Prefix, in.Body.Note)
	})

	api.Handle(a, telephony.Route("DELETE", "/blocked/{id}", "unblock-number", "Unblock a number", perm.TelephonyManage),
		func(ctx context.Context, in *deleteBlockedIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, in.ID.UUID)
		})
}
