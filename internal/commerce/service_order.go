package commerce

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// OrderFilter narrows the list of orders.
type OrderFilter struct {
	CustomerID *uuid.UUID
	ExternalID string
}

// Orders returns the orders, last placed first.
func (s *Service) Orders(ctx context.Context, f OrderFilter, p db.Page) (db.List[Order], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Order], error) {
		return orderTable.list(r, isTest(ctx), p, "customer_id", f.CustomerID, f.ExternalID)
	})
}

// Order reads one order.
func (s *Service) Order(ctx context.Context, id uuid.UUID) (Order, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Order, error) {
		o, err := orderByID(r, isTest(ctx), id)
		return o, db.NotFound(err)
	})
}

// PutOrder writes an order by the shop's id.
func (s *Service) PutOrder(ctx context.Context, who Party, in Order) (out Order, err error) {
	p, err := who.read("customer.")
	if err != nil {
		return out, err
	}
	if in.Lines == nil {
		in.Lines = []Line{}
	}
	return db.Write(ctx, s.DB.TenantOf(ctx), func(tx *db.Tx) (Order, error) {
		c, err := s.customer(tx, p)
		if err != nil {
			return in, err
		}
		in.CustomerID = c.ID
		return whole(tx, orderTable, in, nil)
	})
}

// orderNamed returns the order that a shipment or return belongs to.
func orderNamed(tx *db.Tx, test bool, external string) (uuid.UUID, error) {
	o, err := orderTable.lock(tx, test, external)
	return o.ID, db.IfNoRow(err, fault.Invalid("order_external_id", "unknown_order"))
}

// Shipments lists shipments, newest first.
func (s *Service) Shipments(ctx context.Context, order *uuid.UUID, external string, p db.Page) (db.List[Shipment], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Shipment], error) {
		return shipmentTable.list(r, isTest(ctx), p, "order_id", order, external)
	})
}

// PutShipment writes a shipment of an order by the shop's ids.
func (s *Service) PutShipment(ctx context.Context, order string, in Shipment) (Shipment, error) {
	return db.Write(ctx, s.DB.TenantOf(ctx), func(tx *db.Tx) (out Shipment, err error) {
		if in.OrderID, err = orderNamed(tx, isTest(ctx), order); err != nil {
			return out, err
		}
		return whole(tx, shipmentTable, in, nil)
	})
}

// Returns lists returns, newest first.
func (s *Service) Returns(ctx context.Context, order *uuid.UUID, external string, p db.Page) (db.List[Return], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Return], error) {
		return returnTable.list(r, isTest(ctx), p, "order_id", order, external)
	})
}

// PutReturn writes a return of an order by the shop's ids.
func (s *Service) PutReturn(ctx context.Context, order string, in Return) (Return, error) {
	return db.Write(ctx, s.DB.TenantOf(ctx), func(tx *db.Tx) (out Return, err error) {
		if in.OrderID, err = orderNamed(tx, isTest(ctx), order); err != nil {
			return out, err
		}
		return whole(tx, returnTable, in, nil)
	})
}
