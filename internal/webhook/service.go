package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// maxEndpoints bounds the endpoints of a workspace in one module.
const maxEndpoints = 20

// Service is the webhook room.
type Service struct {
	db      *db.DB
	box     *secret.Box
	catalog event.Catalog
	// allowHTTP permits plain http addresses, for the demo and for tests.
	allowHTTP bool
}

// New opens the room. The catalog is every module's.
func New(d *db.DB, box *secret.Box, catalog event.Catalog, allowHTTP bool) *Service {
	return &Service{db: d, box: box, catalog: catalog, allowHTTP: allowHTTP}
}

// CatalogEntry is an event that can be subscribed to.
type CatalogEntry struct {
	Name        string `json:"name" example:"conversation.created"`
	Module      string `json:"module" example:"crm"`
	Description string `json:"description" example:"A new conversation opened by any route."`
	Example     any    `json:"example" doc:"The record that the event carries"`
}

// Catalog lists the events that the workspace's licences allow.
func (s *Service) Catalog(ctx context.Context) []CatalogEntry {
	who := caller.From(ctx)
	out := []CatalogEntry{}
	for _, t := range s.catalog {
		if t.Hidden || t.Module != "" && !who.Licences[t.Module] {
			continue
		}
		out = append(out, CatalogEntry{t.Name, t.Module, t.Description, t.Example})
	}
	return out
}

// Endpoints lists a module's endpoints, the newest first.
func (s *Service) Endpoints(ctx context.Context, module string, p db.Page) (list db.List[Endpoint], err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		list, err = listEndpoints(r, module, p)
		return err
	})
	return list, err
}

// Registered is a new endpoint with its secret, which is shown once.
type Registered struct {
	Endpoint
	Secret string `json:"secret" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" doc:"Shown only in this answer"`
}

// Create is the gate for a new endpoint.
func (s *Service) Create(ctx context.Context, module, address, description string, events []string) (Registered, error) {
	address, err := parseAddress(address, s.allowHTTP)
	if err != nil {
		return Registered{}, err
	}
	catalog := s.Catalog(ctx)
	for _, name := range events {
		if !slices.ContainsFunc(catalog, func(c CatalogEntry) bool { return c.Name == name }) {
			return Registered{}, fault.New(fault.UnknownEvent, name).Field("events", "unknown_event")
		}
	}
	key := NewSecret()
	var out Registered
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if n, err := countEndpoints(&tx.Reader, module); err != nil {
			return err
		} else if n >= maxEndpoints {
			return fault.New(fault.LimitReached, maxEndpoints)
		}
		out = Registered{Secret: key, Endpoint: Endpoint{
			ID: tx.NewCapability(), Address: address, Description: strings.TrimSpace(description),
			Events: slices.Compact(slices.Sorted(slices.Values(events))), Status: Active,
			SecretLast4: secret.Last4(key), CreatedAt: clock.At(tx.Now()),
		}}
		var by *uuid.UUID
		if who := caller.From(ctx); who.ID != uuid.Nil {
			by = &who.ID
		}
		sealed := s.box.Seal(tx.Tenant(), place(out.ID), []byte(key))
		if err := putEndpoint(tx, module, out.Endpoint, sealed, by); err != nil {
			return fmt.Errorf("webhook: put endpoint: %w", err)
		}
		return audit.Write(tx, "webhook.created", out.ID.String(), map[string]any{"address": address, "events": out.Events})
	})
	return out, err
}

// Delete is the gate for removing an endpoint with its history.
func (s *Service) Delete(ctx context.Context, module string, id uuid.UUID) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		e, err := dropEndpoint(tx, module, id)
		if err != nil {
			return notFound(err)
		}
		return audit.Write(tx, "webhook.deleted", id.String(), map[string]any{"address": e.Address})
	})
}

// Test queues a sample delivery to one endpoint and gives the delivery's id.
func (s *Service) Test(ctx context.Context, module string, id uuid.UUID) (uuid.UUID, error) {
	var delivery uuid.UUID
	err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := endpointByID(&tx.Reader, module, id); err != nil {
			return notFound(err)
		}
		ping := Ping{ID: "ping", Message: "It works."}
		ev, err := event.Emit(tx, event.Change{Type: PingTest, Object: ping, Target: &id})
		if err != nil {
			return err
		}
		delivery, err = putDelivery(tx, tx.Tenant(), id, ev, PingTest)
		return err
	})
	return delivery, err
}

// Deliveries is the history of one endpoint, the newest first.
func (s *Service) Deliveries(ctx context.Context, module string, id uuid.UUID, p db.Page) (list db.List[Delivery], err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, err := endpointByID(r, module, id); err != nil {
			return notFound(err)
		}
		list, err = listDeliveries(r, id, p)
		return err
	})
	return list, err
}

// Dispatch implements event.Subscriber: one delivery for each endpoint that
// asked for the event. Test-environment keys cause none.
func (s *Service) Dispatch(tx *db.Tx, events []event.Event) error {
	subs := map[uuid.UUID][]subscription{}
	for _, e := range events {
		if e.Test {
			continue
		}
		if e.Target != nil { // it brought its delivery along, which waited for the number
			tx.Wake(Topic)
			continue
		}
		list, ok := subs[e.TenantID]
		if !ok {
			var err error
			if list, err = activeSubscriptions(&tx.Reader, e.TenantID); err != nil {
				return fmt.Errorf("webhook: subscriptions: %w", err)
			}
			subs[e.TenantID] = list
		}
		for _, sub := range list {
			if !slices.Contains(sub.events, e.Type) {
				continue
			}
			if _, err := putDelivery(tx, e.TenantID, sub.id, e.ID, e.Type); err != nil {
				return fmt.Errorf("webhook: put delivery: %w", err)
			}
			tx.Wake(Topic)
		}
	}
	return nil
}

func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.db.Tenant(caller.From(ctx).TenantID)
}

// place is what an endpoint's secret is sealed to.
func place(endpoint uuid.UUID) string { return "webhook_endpoint/" + endpoint.String() }

func notFound(err error) error {
	if db.IsNoRow(err) {
		return fault.New(fault.NotFound)
	}
	return err
}

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	e, err := s.Create(ctx, ERP, "https://"+text+".example.com/hook", text, []string{PingTest})
	if err != nil {
		return err
	}
	_, err = s.Test(ctx, ERP, e.ID)
	return err
}
