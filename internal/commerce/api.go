package commerce

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

type customerIn struct {
	ID api.ID `path:"id" record:"commerce_customer"`
}

type orderIn struct {
	ID api.ID `path:"id" record:"commerce_order"`
}

type listCustomersIn struct {
	api.Paged
	ExternalID string `query:"external_id" maxLength:"200" doc:"The shop's own id"`
}

type listOrdersIn struct {
	api.Paged
	CustomerID string `query:"customer_id" format:"uuid"`
	ExternalID string `query:"external_id" maxLength:"200" doc:"The shop's own id"`
}

type listPartsIn struct {
	api.Paged
	OrderID    string `query:"order_id" format:"uuid"`
	ExternalID string `query:"external_id" maxLength:"200" doc:"The shop's own id"`
}

type listEntriesIn struct {
	api.Paged
	CustomerID string `query:"customer_id" format:"uuid"`
	ExternalID string `query:"external_id" maxLength:"200" doc:"The shop's own id"`
}

type putCustomerIn struct {
	Body Party
}

type putOrderIn struct {
	Body struct {
		ExternalID      string      `json:"external_id" minLength:"1" maxLength:"200" example:"SO-2026-1188" doc:"The order's id in the shop; sending the same id updates the same order"`
		Customer        Party       `json:"customer" doc:"Matched by external_id, contact_id, e-mail or phone; created if none matches"`
		Number          string      `json:"number,omitempty" maxLength:"100" example:"1188" doc:"Order number that the customer sees"`
		Status          string      `json:"status" enum:"pending,paid,preparing,shipped,delivered,cancelled,refunded" example:"shipped"`
		Currency        string      `json:"currency" pattern:"^[A-Z]{3}$" example:"TRY" doc:"ISO 4217"`
		Total           int64       `json:"total" minimum:"0" maximum:"1000000000000000" example:"249900" doc:"In minor units, like all amounts"`
		Tax             int64       `json:"tax,omitempty" minimum:"0" maximum:"1000000000000000" example:"41650"`
		Shipping        int64       `json:"shipping,omitempty" minimum:"0" maximum:"1000000000000000" example:"4990"`
		Discount        int64       `json:"discount,omitempty" minimum:"0" maximum:"1000000000000000" example:"0"`
		Lines           []Line      `json:"lines,omitempty" maxItems:"500" nullable:"false"`
		URL             string      `json:"url,omitempty" maxLength:"2000" example:"https://shop.example/orders/1188" doc:"The order's page in the shop; http or https"`
		PlacedAt        clock.Time  `json:"placed_at"`
		SourceUpdatedAt *clock.Time `json:"source_updated_at,omitempty" doc:"When the shop last changed it; a value older than the stored one changes nothing"`
	}
}

type putShipmentIn struct {
	Body struct {
		ExternalID      string      `json:"external_id" minLength:"1" maxLength:"200" example:"SH-771"`
		OrderExternalID string      `json:"order_external_id" minLength:"1" maxLength:"200" example:"SO-2026-1188"`
		Carrier         string      `json:"carrier,omitempty" maxLength:"100" example:"Yurtiçi Kargo"`
		TrackingNumber  string      `json:"tracking_number,omitempty" maxLength:"100" example:"732189004561"`
		TrackingURL     string      `json:"tracking_url,omitempty" maxLength:"2000" example:"https://cargo.example/732189004561" doc:"http or https"`
		Status          string      `json:"status" enum:"preparing,in_transit,out_for_delivery,delivered,failed,returned" example:"in_transit"`
		ShippedAt       *clock.Time `json:"shipped_at,omitempty"`
		DeliveredAt     *clock.Time `json:"delivered_at,omitempty"`
		SourceUpdatedAt *clock.Time `json:"source_updated_at,omitempty" doc:"When the shop last changed it; a value older than the stored one changes nothing"`
	}
}

type putReturnIn struct {
	Body struct {
		ExternalID      string      `json:"external_id" minLength:"1" maxLength:"200" example:"RMA-55"`
		OrderExternalID string      `json:"order_external_id" minLength:"1" maxLength:"200" example:"SO-2026-1188"`
		Status          string      `json:"status" enum:"requested,approved,received,refunded,rejected" example:"approved"`
		Reason          string      `json:"reason,omitempty" maxLength:"1000" example:"Ayak boyu yanlış"`
		Currency        string      `json:"currency" pattern:"^[A-Z]{3}$" example:"TRY" doc:"ISO 4217"`
		Amount          int64       `json:"amount" minimum:"0" maximum:"1000000000000000" example:"122455" doc:"Amount refunded, in minor units"`
		RequestedAt     clock.Time  `json:"requested_at"`
		SourceUpdatedAt *clock.Time `json:"source_updated_at,omitempty" doc:"When the shop last changed it; a value older than the stored one changes nothing"`
	}
}

type putEntryIn struct {
	Body struct {
		ExternalID  string     `json:"external_id" minLength:"1" maxLength:"200" example:"INV-2026-88"`
		Customer    Party      `json:"customer" doc:"Matched by external_id, contact_id, e-mail or phone; created if none matches"`
		Currency    string     `json:"currency" pattern:"^[A-Z]{3}$" example:"TRY" doc:"ISO 4217"`
		Amount      int64      `json:"amount" minimum:"-1000000000000000" maximum:"1000000000000000" example:"249900" doc:"In minor units; positive is owed, negative is paid"`
		Description string     `json:"description,omitempty" maxLength:"500" example:"1188 numaralı siparişin faturası"`
		At          clock.Time `json:"at"`
	}
}

// link refuses a value that is not a web address, because agents click on it.
func link(field, url string) error {
	if url == "" || strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return nil
	}
	return fault.Invalid(field, "invalid_url")
}

func optional(v string) *uuid.UUID {
	id, err := uuid.Parse(v)
	if err != nil {
		return nil
	}
	return &id
}

func route(method, path, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: "/api/commerce/public/v1" + path, ID: id, Tag: "Commerce",
		Summary: summary, Access: api.Key, Permission: p, Licence: licence,
	}
}

const again = "Identified by the shop's own id: the same id updates the record, the same content changes nothing."

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerCustomers(a)
	s.registerOrders(a)
	s.registerParts(a)
}

func (s *Service) registerCustomers(a *api.API) {
	api.HandleList(a, route("GET", "/customers", "list-customers", "List customers with their balances", perm.CommerceView),
		func(ctx context.Context, in *listCustomersIn) (db.List[Customer], error) {
			return s.Customers(ctx, in.ExternalID, in.Page())
		})
	api.Handle(a, route("GET", "/customers/{id}", "get-customer", "Get a customer with balances", perm.CommerceView),
		func(ctx context.Context, in *customerIn) (Customer, error) { return s.Customer(ctx, in.ID.UUID) })
	put := route("PUT", "/customers", "put-customer", "Create or update a customer", perm.CommerceManage)
	put.Refusals = []int{409}
	put.Doc = "The customer is matched by external_id, contact_id, e-mail or phone, and created if none matches. Omitted fields stay unchanged."
	api.Handle(a, put, func(ctx context.Context, in *putCustomerIn) (Customer, error) { return s.PutCustomer(ctx, in.Body) })

	api.HandleList(a, route("GET", "/ledger", "list-ledger-entries", "List ledger entries", perm.CommerceView),
		func(ctx context.Context, in *listEntriesIn) (db.List[Entry], error) {
			return s.Entries(ctx, optional(in.CustomerID), in.ExternalID, in.Page())
		})
	entry := route("PUT", "/ledger", "put-ledger-entry", "Create or correct a ledger entry", perm.CommerceManage)
	entry.Refusals = []int{409}
	entry.Doc = again + " The customer's balance is updated."
	api.Handle(a, entry, func(ctx context.Context, in *putEntryIn) (Entry, error) {
		b := in.Body
		return s.PutEntry(ctx, b.Customer, Entry{
			ExternalID: b.ExternalID, Currency: b.Currency, Amount: b.Amount, Description: strings.TrimSpace(b.Description), At: b.At,
		})
	})
}

func (s *Service) registerOrders(a *api.API) {
	api.HandleList(a, route("GET", "/orders", "list-orders", "List orders, most recently placed first", perm.CommerceView),
		func(ctx context.Context, in *listOrdersIn) (db.List[Order], error) {
			return s.Orders(ctx, OrderFilter{CustomerID: optional(in.CustomerID), ExternalID: in.ExternalID}, in.Page())
		})
	api.Handle(a, route("GET", "/orders/{id}", "get-order", "Get an order", perm.CommerceView),
		func(ctx context.Context, in *orderIn) (Order, error) { return s.Order(ctx, in.ID.UUID) })
	put := route("PUT", "/orders", "put-order", "Create or update an order", perm.CommerceManage)
	put.Refusals, put.Doc = []int{409}, again
	api.Handle(a, put, func(ctx context.Context, in *putOrderIn) (Order, error) {
		b := in.Body
		if err := link("url", b.URL); err != nil {
			return Order{}, err
		}
		return s.PutOrder(ctx, b.Customer, Order{
			ExternalID: b.ExternalID, Number: b.Number, Status: b.Status, Currency: b.Currency, Total: b.Total, Tax: b.Tax, Shipping: b.Shipping,
			Discount: b.Discount, Lines: b.Lines, URL: b.URL, PlacedAt: b.PlacedAt, SourceUpdatedAt: b.SourceUpdatedAt,
		})
	})
}

func (s *Service) registerParts(a *api.API) {
	api.HandleList(a, route("GET", "/shipments", "list-shipments", "List shipments", perm.CommerceView),
		func(ctx context.Context, in *listPartsIn) (db.List[Shipment], error) {
			return s.Shipments(ctx, optional(in.OrderID), in.ExternalID, in.Page())
		})
	shipment := route("PUT", "/shipments", "put-shipment", "Create or update a shipment of an order", perm.CommerceManage)
	shipment.Refusals, shipment.Doc = []int{409}, again
	api.Handle(a, shipment, func(ctx context.Context, in *putShipmentIn) (Shipment, error) {
		b := in.Body
		if err := link("tracking_url", b.TrackingURL); err != nil {
			return Shipment{}, err
		}
		return s.PutShipment(ctx, b.OrderExternalID, Shipment{
			ExternalID: b.ExternalID, Carrier: b.Carrier, TrackingNumber: b.TrackingNumber, TrackingURL: b.TrackingURL, Status: b.Status,
			ShippedAt: b.ShippedAt, DeliveredAt: b.DeliveredAt, SourceUpdatedAt: b.SourceUpdatedAt,
		})
	})

	api.HandleList(a, route("GET", "/returns", "list-returns", "List returns", perm.CommerceView),
		func(ctx context.Context, in *listPartsIn) (db.List[Return], error) {
			return s.Returns(ctx, optional(in.OrderID), in.ExternalID, in.Page())
		})
	back := route("PUT", "/returns", "put-return", "Create or update a return of an order", perm.CommerceManage)
	back.Refusals, back.Doc = []int{409}, again
	api.Handle(a, back, func(ctx context.Context, in *putReturnIn) (Return, error) {
		b := in.Body
		return s.PutReturn(ctx, b.OrderExternalID, Return{
			ExternalID: b.ExternalID, Status: b.Status, Reason: strings.TrimSpace(b.Reason), Currency: b.Currency, Amount: b.Amount,
			RequestedAt: b.RequestedAt, SourceUpdatedAt: b.SourceUpdatedAt,
		})
	})
}
