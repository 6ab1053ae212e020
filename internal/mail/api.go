package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type addExceptionIn struct {
	Body struct {
		Email string `json:"email" minLength:"1" maxLength:"254" example:"auditor@example.com"`
		Note  string `json:"note,omitempty" maxLength:"500" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"External auditor, until the end of the year"`
	}
}

type exceptionIn struct {
	ID api.ID `path:"id" record:"dlp_exception"`
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: apiBase + path, ID: id, Tag: "Mail",
		Summary: summary, Access: api.Session, Permission: p, Licence: "mail",
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerDLP(a)
	s.registerSettings(a)
	s.registerGDPR(a)
	s.registerJournal(a)

	api.HandlePage(a, route("GET", "/dlp/exceptions", "list-dlp-exceptions", "List DLP exceptions", perm.DLPView), s.Exceptions)

	add := route("POST", "/dlp/exceptions", "add-dlp-exception", "Exempt an address from DLP", perm.DLPManage)
	add.TakesKey = true
	add.Status, add.Refusals = 201, []int{409}
	add.Doc = "DLP is skipped if the address is the sender, and for the address's own copy if it is a recipient; copies to other recipients are still scanned. 409 if the address is already exempt, ignoring case. Only full addresses are accepted: *@example.com and @example.com are refused (wildcard)."
	api.Handle(a, add, func(ctx context.Context, in *addExceptionIn) (Exception, error) {
		return s.AddException(ctx, in.Body.Email, in.Body.Note)
	})

	api.Handle(a, route("DELETE", "/dlp/exceptions/{id}", "delete-dlp-exception", "Delete a DLP exception", perm.DLPManage),
		func(ctx context.Context, in *exceptionIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteException(ctx, in.ID.UUID)
		})
}
