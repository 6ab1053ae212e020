package identity

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/perm"
)

type addKeyIn struct {
	Body struct {
		Name        string      `json:"name" minLength:"1" maxLength:"80" example:"Order sync"`
		Environment string      `json:"environment" enum:"live,test" example:"live" doc:"Calls with a test key have no live side effects"`
		Scopes      []string    `json:"scopes" minItems:"1" maxItems:"50" nullable:"false" example:"[\"conversations.write\"]" doc:"Named scopes or single permissions; GET /api/v1/auth/roles lists them"`
		ExpiresAt   *clock.Time `json:"expires_at,omitempty" doc:"If omitted, the key does not expire"`
	}
}

type changeKeyIn struct {
	ID   api.ID `path:"id" record:"api_key"`
	Body struct {
		Name      *string     `json:"name,omitempty" minLength:"1" maxLength:"80" example:"Order sync"`
		Scopes    []string    `json:"scopes,omitempty" minItems:"1" maxItems:"50" nullable:"false" example:"[\"conversations.read\"]"`
		ExpiresAt *clock.Time `json:"expires_at,omitempty"`
	}
}

type keyIn struct {
	ID api.ID `path:"id" record:"api_key"`
}

func (s *Service) registerKeys(a *api.API) {
	manage := func(method, path, id, summary string) api.Route {
		rt := Route(method, "/api-keys"+path, id, summary)
		rt.Permission, rt.StepUp = perm.APIKeysManage, true
		return rt
	}

	list := Route("GET", "/api-keys", "list-api-keys", "List API keys")
	list.Permission = perm.APIKeysView
	api.HandlePage(a, list, s.Keys)

	add := manage("POST", "", "add-api-key", "Create an API key")
	add.TakesKey = true
	add.Status, add.ShowsSecret = 201, true
	add.Doc = "The key is shown only in this response. Scopes that exceed your own permissions: 403."
	api.Handle(a, add, func(ctx context.Context, in *addKeyIn) (ShownKey, error) {
		return s.AddKey(ctx, in.Body.Name, in.Body.Environment, in.Body.Scopes, in.Body.ExpiresAt)
	})

	api.Handle(a, manage("PATCH", "/{id}", "change-api-key", "Change the name, scopes or expiry of an API key"),
		func(ctx context.Context, in *changeKeyIn) (APIKey, error) {
			return s.ChangeKey(ctx, in.ID.UUID, KeyChange{in.Body.Name, in.Body.Scopes, in.Body.ExpiresAt})
		})

	api.Handle(a, manage("DELETE", "/{id}", "revoke-api-key", "Revoke an API key"),
		func(ctx context.Context, in *keyIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.RevokeKey(ctx, in.ID.UUID)
		})

	rotate := manage("POST", "/{id}/rotate", "rotate-api-key", "Rotate the secret of an API key")
	rotate.TakesKey = true
	rotate.ShowsSecret = true
	rotate.Doc = "The old secret stops working at once. The new one is shown only in this response."
	api.Handle(a, rotate, func(ctx context.Context, in *keyIn) (ShownKey, error) { return s.RotateKey(ctx, in.ID.UUID) })
}
