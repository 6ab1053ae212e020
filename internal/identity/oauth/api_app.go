package oauth

import (
	"context"

	"konak/internal/identity"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerApps(a)
	s.registerFlow(a)
	s.registerStandard(a)
	s.registerClients(a)
	s.registerResource(a)
}

type addAppIn struct {
	Body struct {
		Name         string   `json:"name" minLength:"1" maxLength:"80" example:"Field service"`
		RedirectURIs []string `json:"redirect_uris" minItems:"1" maxItems:"10" nullable:"false" example:"[\"https://field.example.com/callback\"]" doc:"https, http on a loopback address, or a custom scheme such as com.example.field:/callback. Matched exactly, except for the port of a loopback address."`
		Scopes       []string `json:"scopes" minItems:"1" maxItems:"50" nullable:"false" example:"[\"conversations.read\"]" doc:"Scopes the app can request"`
		Public       bool     `json:"public,omitempty" doc:"Whether people in other workspaces can connect it too"`
	}
}

type changeAppIn struct {
	ID   api.ID `path:"id" record:"oauth_app"`
	Body struct {
		Name         *string  `json:"name,omitempty" minLength:"1" maxLength:"80" example:"Field service"`
		RedirectURIs []string `json:"redirect_uris,omitempty" minItems:"1" maxItems:"10" nullable:"false"`
		Scopes       []string `json:"scopes,omitempty" minItems:"1" maxItems:"50" nullable:"false"`
		Public       *bool    `json:"public,omitempty"`
	}
}

type appIn struct {
	ID api.ID `path:"id" record:"oauth_app"`
}

type grantIn struct {
	ID api.ID `path:"id" record:"oauth_grant"`
}

func (s *Service) registerApps(a *api.API) {
	view := func(path, id, summary string) api.Route {
		rt := identity.Route("GET", path, id, summary)
		rt.Permission = perm.AppsView
		return rt
	}
	manage := func(method, path, id, summary string) api.Route {
		rt := identity.Route(method, path, id, summary)
		rt.Permission, rt.StepUp = perm.AppsManage, true
		return rt
	}

	api.HandlePage(a, view("/apps", "list-apps", "List OAuth apps"), s.Apps)

	add := manage("POST", "/apps", "add-app", "Register an OAuth app")
	add.TakesKey = true
	add.Status = 201
	add.Doc = "Apps have no secret; every code exchange is verified with PKCE."
	api.Handle(a, add, func(ctx context.Context, in *addAppIn) (App, error) {
		b := in.Body
		return s.AddApp(ctx, App{Name: b.Name, RedirectURIs: b.RedirectURIs, Scopes: b.Scopes, Public: b.Public})
	})

	api.Handle(a, view("/apps/{id}", "get-app", "Get an OAuth app"),
		func(ctx context.Context, in *appIn) (App, error) { return s.App(ctx, in.ID.UUID) })

	api.Handle(a, manage("PATCH", "/apps/{id}", "change-app", "Change an OAuth app"),
		func(ctx context.Context, in *changeAppIn) (App, error) {
			b := in.Body
			return s.ChangeApp(ctx, in.ID.UUID, AppChange{b.Name, b.RedirectURIs, b.Scopes, b.Public})
		})

	remove := manage("DELETE", "/apps/{id}", "delete-app", "Delete an OAuth app")
	remove.Doc = "Ends the app's sessions in every workspace at once."
	api.Handle(a, remove, func(ctx context.Context, in *appIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteApp(ctx, in.ID.UUID)
	})

	api.HandlePage(a, identity.Route("GET", "/grants", "list-grants", "List the apps you granted access"), s.Grants)

	revoke := identity.Route("DELETE", "/grants/{id}", "revoke-grant", "Revoke an app's access")
	revoke.Doc = "Ends the app's sessions in this workspace at once."
	api.Handle(a, revoke, func(ctx context.Context, in *grantIn) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.RevokeGrant(ctx, in.ID.UUID)
	})
}
