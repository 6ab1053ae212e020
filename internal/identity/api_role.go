package identity

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type setRoleIn struct {
	Body struct {
		Name        string            `json:"name" minLength:"2" maxLength:"40" example:"support-lead" doc:"A built-in or a custom role"`
		Title       string            `json:"title,omitempty" maxLength:"80" example:"Support lead" doc:"Required for a custom role"`
		Permissions []perm.Permission `json:"permissions" nullable:"false" maxItems:"200" example:"[\"crm.conversations.view\"]"`
	}
}

type roleIn struct {
	Name string `path:"name" maxLength:"40" example:"support-lead"`
}

func (s *Service) registerRoles(a *api.API) {
	list := Route("GET", "/roles", "list-roles", "List roles, permissions and scopes")
	list.Permission = perm.RolesView
	api.Handle(a, list, func(ctx context.Context, _ *struct{}) (RoleList, error) { return s.Roles(ctx) })

	set := Route("PUT", "/roles", "set-role", "Create a role, or replace a role's permissions")
	set.Permission, set.Refusals = perm.RolesManage, []int{409}
	set.Doc = "You cannot grant permissions that you do not have. The owner role cannot be changed: 409. The change also applies to open sessions."
	api.Handle(a, set, func(ctx context.Context, in *setRoleIn) (Role, error) {
		return s.SetRole(ctx, Role{Name: in.Body.Name, Title: in.Body.Title, Permissions: in.Body.Permissions})
	})

	remove := Route("DELETE", "/roles/{name}", "delete-role", "Delete a role, or reset a built-in one")
	remove.Permission, remove.Refusals = perm.RolesManage, []int{409}
	remove.Doc = "A role that members still have cannot be deleted: 409."
	api.Handle(a, remove, func(ctx context.Context, in *roleIn) (api.Done, error) {
		return api.Done{Done: true}, s.DeleteRole(ctx, in.Name)
	})
}
