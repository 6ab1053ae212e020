package webhook

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
	"konak/internal/webhook/hour"
)

type registerWebhookIn struct {
	Body struct {
		Address     string   `json:"address" minLength:"1" maxLength:"2048" example:"https://example.com/hooks/konak"`
		Events      []string `json:"events" minItems:"1" maxItems:"100" nullable:"false" example:"[\"ping.test\"]"`
		Description string   `json:"description,omitempty" maxLength:"200" example:"Order system"`
		StrictOrder bool     `json:"strict_order,omitempty" doc:"Hold each delivery until the previous one is delivered or exhausted"`
		RateLimit   int      `json:"rate_limit,omitempty" minimum:"1" maximum:"1000" example:"50" doc:"Maximum deliveries per second"`
	}
}

type changeWebhookIn struct {
	ID   api.ID `path:"id" record:"webhook_endpoint"`
	Body struct {
		Address     *string  `json:"address,omitempty" minLength:"1" maxLength:"2048" example:"https://example.com/hooks/konak"`
		Events      []string `json:"events,omitempty" minItems:"1" maxItems:"100" example:"[\"ping.test\"]"`
		Description *string  `json:"description,omitempty" maxLength:"200" example:"Order system"`
		StrictOrder *bool    `json:"strict_order,omitempty"`
		RateLimit   *int     `json:"rate_limit,omitempty" minimum:"0" maximum:"1000" example:"50" doc:"Maximum deliveries per second; 0 means no limit"`
	}
}

type endpointIn struct {
	ID api.ID `path:"id" record:"webhook_endpoint"`
}

type keylessEndpointIn struct {
	ID api.ID `path:"id" record:"webhook_endpoint" doc:"The webhook's id; without a credential, its keyless_id"`
}

type rotateWebhookIn struct {
	ID   api.ID `path:"id" record:"webhook_endpoint" doc:"The webhook's id; without a credential, its keyless_id"`
	Body *struct {
		GraceSeconds int `json:"grace_seconds,omitempty" minimum:"0" maximum:"604800" example:"0" doc:"How long deliveries are also signed with the old secret; with 0 (the default) it stops at once"`
	} `required:"false"`
}

func (in *rotateWebhookIn) grace() time.Duration {
	if in.Body == nil {
		return 0
	}
	return time.Duration(in.Body.GraceSeconds) * time.Second
}

type webhookStatusIn struct {
	ID   api.ID `path:"id" record:"webhook_endpoint" doc:"The webhook's id; without a credential, its keyless_id"`
	Body struct {
		Status string `json:"status" enum:"active,paused" doc:"active also re-enables a disabled endpoint; while an endpoint is paused, no deliveries are recorded for it"`
	}
}

// HistoryFilter holds the query parameters that narrow a history.
type HistoryFilter struct {
	Status    string `query:"status" enum:"pending,failed,exhausted,delivered" doc:"Only deliveries with this status"`
	EventType string `query:"event_type" maxLength:"100" example:"conversation.created" doc:"Only deliveries of this event"`
}

func (n HistoryFilter) historyFilter() historyFilter { return historyFilter{n.Status, n.EventType} }

type historyIn struct {
	api.PagedBy100
	HistoryFilter
	ID api.ID `path:"id" record:"webhook_endpoint" doc:"The webhook's id; without a credential, its keyless_id"`
}

type mailHistoryIn struct {
	HistoryFilter
	ID api.ID `path:"id" record:"webhook_endpoint" doc:"The webhook's id; without a credential, its keyless_id"`
}

type deliveryIn struct {
	ID api.ID `path:"id" record:"webhook_delivery"`
}

type webhookEventsIn struct {
	api.PagedBy100
	HistoryFilter
}

type emitWebhookIn struct {
	Body struct {
		Event string         `json:"event" minLength:"1" maxLength:"100" example:"ping.test" doc:"Event name from the catalog"`
		Data  map[string]any `json:"data" nullable:"false" example:"{\"id\":\"42\",\"message\":\"Hello\"}" doc:"Object that the event carries"`
	}
}

type webhookSettingsIn struct {
	Body WebhookSettings
}

// WebhookSettings are the settings of a workspace.
type WebhookSettings struct {
	Keyless bool `json:"keyless" example:"true" doc:"Whether routes with an endpoint's keyless_id in the path, and resending by delivery id, work without a credential"`
}

// Queued is the answer to a test.
type Queued struct {
	DeliveryID *uuid.UUID `json:"delivery_id" nullable:"true" format:"uuid" doc:"Null for a test API key, which sends nothing"`
}

// Resent is the answer to a resend. A delivery's id is in receivers' logs and resends
// without a credential, so the answer reveals nothing about the endpoint or the content
// sent to it.
type Resent struct {
	ID        uuid.UUID  `json:"id" format:"uuid"`
	EventType string     `json:"event_type" example:"conversation.created"`
	Status    string     `json:"status" enum:"pending" example:"pending"`
	Attempts  int        `json:"attempts" example:"1" doc:"Requests made so far"`
	CreatedAt clock.Time `json:"created_at"`
}

// Emitted is the answer to an emission.
type Emitted struct {
	EventID string `json:"event_id" example:"evt_0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
}

// routes are the routes of one module: its address, its licence and its permissions.
type routes struct {
	*Service
	module, base, tag, prefix string
	view, manage              perm.Permission
}

func (r *routes) route(method, path, id, summary string, access api.Access, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: r.base + path, ID: r.prefix + id, Tag: r.tag,
		Summary: summary, Access: access, Permission: p, Licence: r.module,
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	erp := &routes{s, ERP, "/api/erp/v1/webhooks", "ERP webhooks", "", perm.SettingsView, perm.SettingsManage}
	erp.registerEndpoints(a, api.Keyless)
	erp.registerERP(a)
	erp.registerMore(a, "/events")
	erp.registerSettings(a)
	erp.registerStream(a)
	mail := &routes{s, Mail, "/api/mail/v1/webhooks", "Mail webhooks", "mail-", perm.MailWebhooksView, perm.MailWebhooksManage}
	mail.registerEndpoints(a, api.Session)
	mail.registerMail(a)
	mail.registerMore(a, "/deliveries")
}

// registerEndpoints adds the routes that both modules have. The access applies to those
// that rotate and delete an endpoint.
func (r *routes) registerEndpoints(a *api.API, access api.Access) {
	api.HandlePage(a, r.route("GET", "", "list-webhooks", "List webhooks", api.Session, r.view),
		func(ctx context.Context, page db.Page) (db.List[Endpoint], error) {
			list, err := r.Endpoints(ctx, r.module, page)
			for i, e := range list.Rows {
				list.Rows[i] = r.show(ctx, e)
			}
			return list, err
		})

	create := r.route("POST", "", "register-webhook", "Register a webhook", api.Session, r.manage)
	create.TakesKey = true
	create.Status, create.ShowsSecret, create.Refusals = 201, true, []int{400}
	create.Doc = "The signing secret is shown only in this response. An event name that is not in the catalog returns 400."
	api.Handle(a, create, func(ctx context.Context, in *registerWebhookIn) (Registered, error) {
		b := in.Body
		out, err := r.Create(ctx, r.module, settings{
			address: b.Address, description: b.Description, events: b.Events, strict: b.StrictOrder, rate: b.RateLimit,
		})
		out.Endpoint = r.show(ctx, out.Endpoint)
		return out, err
	})

	remove := r.route("DELETE", "/{id}", "delete-webhook", "Delete a webhook", access, r.manage)
	remove.Refusals = []int{409}
	api.Handle(a, remove, func(ctx context.Context, in *keylessEndpointIn) (api.Deleted, error) {
		ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "")
		if err != nil {
			return api.Deleted{}, err
		}
		return api.Deleted{ID: in.ID, Deleted: true}, r.Delete(ctx, r.module, id)
	})

	rotate := r.route("POST", "/{id}/rotate-secret", "rotate-webhook-secret", "Rotate the signing secret", access, r.manage)
	rotate.TakesKey = true
	rotate.ShowsSecret = true
	rotate.Doc = "The new secret is shown only in this response. Without grace_seconds the old secret stops working at once. With it, webhook-signature carries both signatures and X-Service-Signature stays with the old one until the grace period ends."
	api.Handle(a, rotate, func(ctx context.Context, in *rotateWebhookIn) (Registered, error) {
		ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "")
		if err != nil {
			return Registered{}, err
		}
		out, err := r.Rotate(ctx, r.module, id, in.grace())
		out.Endpoint = r.show(ctx, out.Endpoint)
		return out, err
	})

	api.Handle(a, r.route("POST", "/{id}/test", "test-webhook", "Queue a ping.test delivery", api.Keyless, r.manage),
		func(ctx context.Context, in *keylessEndpointIn) (Queued, error) {
			ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "")
			if err != nil {
				return Queued{}, err
			}
			delivery, err := r.Test(ctx, r.module, id)
			return Queued{delivery}, err
		})
}

// registerERP adds the platform document's other ERP routes.
func (r *routes) registerERP(a *api.API) {
	r.registerCatalog(a, r.base+"/catalog", "webhook-catalog", api.SessionOrKey)
	r.registerCatalog(a, "/api/v1/webhooks/catalog", "webhook-catalog-alias", api.SessionOrKey)
	r.registerStatus(a, api.Keyless)

	api.HandleList(a, r.route("GET", "/{id}/events", "webhook-deliveries", "List the deliveries of a webhook", api.Keyless, r.view).Polled(),
		func(ctx context.Context, in *historyIn) (db.List[Delivery], error) {
			ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "webhook.history_read")
			if err != nil {
				return db.List[Delivery]{}, err
			}
			return r.Deliveries(ctx, r.module, &id, in.historyFilter(), in.Page())
		})

	emit := r.route("POST", "/emit", "emit-webhook", "Emit an event of the catalog", api.SessionOrKey, perm.EventsEmit)
	emit.TakesKey = true
	emit.Status, emit.Refusals, emit.MaxBody = 202, []int{400}, 512<<10
	emit.Doc = "The event is delivered to the endpoints that subscribe to it, like any other event of that name. A name that is not in the catalog returns 400."
	api.Handle(a, emit, func(ctx context.Context, in *emitWebhookIn) (Emitted, error) {
		emitted := func(id uuid.UUID) Emitted { return Emitted{"evt_" + id.String()} }
		id, err := r.Emit(idempotency.View(ctx, emitted), in.Body.Event, in.Body.Data)
		return emitted(id), err
	})

	api.HandleList(a, r.route("GET", "/events", "webhook-events", "List the deliveries of all webhooks", api.SessionOrKey, r.view),
		func(ctx context.Context, in *webhookEventsIn) (db.List[Delivery], error) {
			return r.Deliveries(ctx, r.module, nil, in.historyFilter(), in.Page())
		})

	api.Handle(a, r.route("POST", "/events/{id}/resend", "resend-webhook-delivery", "Resend a delivery", api.Keyless, r.manage), r.resend)
}

func (r *routes) registerCatalog(a *api.API, path, id string, access api.Access) {
	rt := r.route("GET", "", id, "Get the event catalog", access, r.view)
	rt.Path = path
	rt.Doc = "Returns the events that the workspace's licences include, each with the JSON Schema of its body and an example."
	api.Handle(a, rt, func(ctx context.Context, _ *struct{}) ([]CatalogEntry, error) {
		return r.Catalog(ctx, api.Language(ctx))
	})
}

func (r *routes) registerStatus(a *api.API, access api.Access) {
	api.Handle(a, r.route("POST", "/{id}/status", "set-webhook-status", "Set the status of a webhook", access, r.manage),
		func(ctx context.Context, in *webhookStatusIn) (Endpoint, error) {
			ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "")
			if err != nil {
				return Endpoint{}, err
			}
			e, err := r.SetStatus(ctx, r.module, id, in.Body.Status)
			return r.show(ctx, e), err
		})
}

// registerMore adds what the panel and its users need beyond the document, in both modules;
// deliveries is the path of a module's deliveries.
func (r *routes) registerMore(a *api.API, deliveries string) {
	api.Handle(a, r.route("GET", "/{id}", "get-webhook", "Get a webhook", api.SessionOrKey, r.view),
		func(ctx context.Context, in *endpointIn) (Endpoint, error) {
			e, err := r.Endpoint(ctx, r.module, in.ID.UUID)
			return r.show(ctx, e), err
		})

	change := r.route("PATCH", "/{id}", "change-webhook", "Change a webhook, keeping its secret", api.Session, r.manage)
	change.Refusals = []int{400}
	api.Handle(a, change, func(ctx context.Context, in *changeWebhookIn) (Endpoint, error) {
		b := in.Body
		e, err := r.Update(ctx, r.module, in.ID.UUID, Change{b.Address, b.Description, b.Events, b.StrictOrder, b.RateLimit})
		return r.show(ctx, e), err
	})

	hour.Register(a, r.route("GET", "/{id}/hours", "webhook-hours", "", api.SessionOrKey, r.view), func(ctx context.Context, id uuid.UUID) (db.Handle, time.Time, error) {
		_, err := r.Endpoint(ctx, r.module, id)
		return r.db.TenantOf(ctx), r.db.Clock().Now(), err
	})

	one := r.route("GET", deliveries+"/{id}", "webhook-delivery", "Get a delivery with its request and attempts", api.SessionOrKey, r.view).Polled()
	one.Doc = "The body and the receiver's responses are shown only to callers with the event's permission."
	api.Handle(a, one, func(ctx context.Context, in *deliveryIn) (Detail, error) {
		return r.Delivery(ctx, r.module, in.ID.UUID)
	})

	r.registerRecovery(a)
}

// registerSettings adds the settings of the workspace, which all modules share.
func (r *routes) registerSettings(a *api.API) {
	api.Handle(a, r.route("GET", "/settings", "webhook-settings", "Get the workspace's webhook settings", api.Session, r.view),
		func(ctx context.Context, _ *struct{}) (WebhookSettings, error) {
			on, err := r.Keyless(ctx)
			return WebhookSettings{on}, err
		})
	api.Handle(a, r.route("PUT", "/settings", "set-webhook-settings", "Set the workspace's webhook settings", api.Session, r.manage),
		func(ctx context.Context, in *webhookSettingsIn) (WebhookSettings, error) {
			return in.Body, r.SetKeyless(ctx, in.Body.Keyless)
		})
}

// registerMail adds the platform document's other mail routes.
func (r *routes) registerMail(a *api.API) {
	r.registerCatalog(a, r.base+"/catalog", "webhook-catalog", api.Session)
	r.registerStatus(a, api.Session)
	api.Handle(a, r.route("GET", "/{id}/deliveries", "webhook-deliveries", "List the newest 100 deliveries of a webhook", api.Keyless, r.view).Polled(),
		func(ctx context.Context, in *mailHistoryIn) ([]Delivery, error) {
			ctx, id, err := r.ofEndpoint(ctx, in.ID.UUID, "webhook.history_read")
			if err != nil {
				return nil, err
			}
			list, err := r.Deliveries(ctx, r.module, &id, in.historyFilter(), db.Page{Limit: 100, After: db.First})
			return list.Rows, err
		})
	api.Handle(a, r.route("POST", "/deliveries/{id}/resend", "resend-webhook-delivery", "Resend a delivery", api.Keyless, r.manage), r.resend)
}

func (r *routes) resend(ctx context.Context, in *deliveryIn) (Resent, error) {
	ctx, id, err := r.keyless(ctx, in.ID.UUID, findDeliveryOwner, "")
	if err != nil {
		return Resent{}, err
	}
	d, err := r.Resend(ctx, r.module, id)
	return Resent{ID: d.ID, EventType: d.EventType, Status: d.Status, Attempts: d.Attempts, CreatedAt: d.CreatedAt}, err
}

// show returns an endpoint as the caller may see it: with its keyless id if the caller has
// a credential and may change it. A key of the test environment never sees the id.
func (r *routes) show(ctx context.Context, e Endpoint) Endpoint {
	if who := caller.From(ctx); who.Can(r.manage) && !who.Test && e.keyless != uuid.Nil {
		e.KeylessID = &e.keyless
	}
	return e
}

// ofEndpoint returns the id of the endpoint that a path refers to and the context to act
// in.
func (r *routes) ofEndpoint(ctx context.Context, id uuid.UUID, read string) (context.Context, uuid.UUID, error) {
	return r.keyless(ctx, id, findEndpointOwner, read)
}

// keyless returns the record that the id in a path refers to. With a credential it is the
// id itself. Without one the id must grant the call: an endpoint's keyless id or a
// delivery's id, by which the tenant is found. On a tenant's host, records of other tenants
// are not found. Changes made by such a call are audited by the gate; reads are audited
// here.
func (r *routes) keyless(ctx context.Context, id uuid.UUID, find func(*db.Reader, uuid.UUID) (owner, error), read string) (context.Context, uuid.UUID, error) {
	if caller.From(ctx).TenantID != uuid.Nil {
		return ctx, id, nil
	}
	var o owner
	err := r.db.System("keyless look-up").Read(ctx, func(rd *db.Reader) (err error) {
		o, err = find(rd, id)
		return db.NotFound(err)
	})
	if err != nil {
		return ctx, id, err
	}
	switch host := api.HostSlug(ctx); {
	case host != "" && host != o.slug:
		return ctx, id, fault.New(fault.NotFound)
	case o.keyless != nil && !*o.keyless:
		return ctx, id, fault.New(fault.Unauthenticated)
	case !slices.Contains(o.licences, r.module):
		return ctx, id, fault.New(fault.NotLicensed, r.module)
	}
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: o.tenant, Slug: o.slug, IP: api.ClientIP(ctx)})
	if read == "" {
		return ctx, o.record, nil
	}
	return ctx, o.record, r.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		return audit.Write(tx, read, o.record.String(), nil)
	})
}
