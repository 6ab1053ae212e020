package webhook

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// ERP is the module whose endpoints these routes serve.
const ERP = "erp"

type listIn struct{ api.Paged }

type registerWebhookIn struct {
	Body struct {
		Address     string   `json:"address" minLength:"1" maxLength:"2048" example:"https://example.com/hooks/konak"`
		Events      []string `json:"events" minItems:"1" maxItems:"100" nullable:"false" example:"[\"ping.test\"]"`
		Description string   `json:"description,omitempty" maxLength:"200" example:"Order system"`
	}
}

type endpointIn struct {
	ID api.ID `path:"id" record:"webhook_endpoint"`
}

type historyIn struct {
	api.Paged
	ID api.ID `path:"id" record:"webhook_endpoint"`
}

// Queued is the answer to a test.
type Queued struct {
	DeliveryID uuid.UUID `json:"delivery_id" format:"uuid"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	route := func(method, path, id, summary string, access api.Access, p perm.Permission) api.Route {
		return api.Route{
			Method: method, Path: "/api/erp/v1/webhooks" + path, ID: id, Tag: "ERP webhooks",
			Summary: summary, Access: access, Permission: p, Licence: "erp",
		}
	}

	api.HandleList(a, route("GET", "", "list-webhooks", "List webhooks", api.Session, perm.SettingsView),
		func(ctx context.Context, in *listIn) (db.List[Endpoint], error) {
			return s.Endpoints(ctx, ERP, in.Page())
		})

	create := route("POST", "", "register-webhook", "Register a webhook", api.Session, perm.SettingsManage)
	create.Status, create.ShowsSecret, create.Refusals = 201, true, []int{400}
	create.Doc = "The signing secret is shown only in this answer. An event name that the catalog does not have is a 400."
	api.Handle(a, create, func(ctx context.Context, in *registerWebhookIn) (Registered, error) {
		return s.Create(ctx, ERP, in.Body.Address, in.Body.Description, in.Body.Events)
	})

	api.Handle(a, route("GET", "/catalog", "webhook-catalog", "Event catalog", api.SessionOrKey, perm.SettingsView),
		func(ctx context.Context, _ *struct{}) ([]CatalogEntry, error) { return s.Catalog(ctx), nil })

	api.Handle(a, route("DELETE", "/{id}", "delete-webhook", "Delete a webhook", api.Keyless, perm.SettingsManage),
		func(ctx context.Context, in *endpointIn) (api.Deleted, error) {
			ctx, err := s.keyless(ctx, in.ID.UUID)
			if err != nil {
				return api.Deleted{}, err
			}
			return api.Deleted{ID: in.ID, Deleted: true}, s.Delete(ctx, ERP, in.ID.UUID)
		})

	test := route("POST", "/{id}/test", "test-webhook", "Queue a ping.test delivery", api.Keyless, perm.SettingsManage)
	api.Handle(a, test, func(ctx context.Context, in *endpointIn) (Queued, error) {
		ctx, err := s.keyless(ctx, in.ID.UUID)
		if err != nil {
			return Queued{}, err
		}
		id, err := s.Test(ctx, ERP, in.ID.UUID)
		return Queued{id}, err
	})

	api.HandleList(a, route("GET", "/{id}/events", "webhook-deliveries", "Delivery history of one endpoint", api.Keyless, perm.SettingsView),
		func(ctx context.Context, in *historyIn) (db.List[Delivery], error) {
			ctx, err := s.keyless(ctx, in.ID.UUID)
			if err != nil {
				return db.List[Delivery]{}, err
			}
			return s.Deliveries(ctx, ERP, in.ID.UUID, in.Page())
		})
}

// keyless finds the tenant of a call without a credential by the endpoint's
// id, which is a capability. On a tenant's host another tenant's id is absent.
func (s *Service) keyless(ctx context.Context, endpoint uuid.UUID) (context.Context, error) {
	if caller.From(ctx).TenantID != uuid.Nil {
		return ctx, nil
	}
	var tenant uuid.UUID
	var slug string
	err := s.db.System("keyless look-up").Read(ctx, func(r *db.Reader) (err error) {
		tenant, slug, err = tenantOfEndpoint(r, endpoint)
		return err
	})
	if err != nil {
		return ctx, notFound(err)
	}
	if host := api.HostSlug(ctx); host != "" && host != slug {
		return ctx, fault.New(fault.NotFound)
	}
	return caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: tenant, Slug: slug, IP: api.ClientIP(ctx)}), nil
}
