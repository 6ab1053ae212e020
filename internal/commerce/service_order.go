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
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Order], error) {
		return orders(r, isTest(ctx), f, p)
	})
}

// Order reads one order.
func (s *Service) Order(ctx context.Context, id uuid.UUID) (Order, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (Order, error) {
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
	test := isTest(ctx)
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := s.customer(tx, p)
		if err != nil {
			return err
		}
		in.CustomerID = c.ID
		out, err = whole(tx, in, upsert[Order]{
			find:    func() (Order, error) { return lockOrder(tx, test, in.ExternalID) },
			put:     func(o Order) (bool, error) { return putOrder(tx, test, o) },
			save:    func(o Order) error { return saveOrder(tx, o) },
			stale:   func(was Order) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			created: OrderCreated, updated: OrderUpdated,
		})
		return err
	})
	return out, err
}

// orderNamed returns the order that a shipment or return belongs to.
func orderNamed(tx *db.Tx, test bool, external string) (uuid.UUID, error) {
	o, err := lockOrder(tx, test, external)
	if db.IsNoRow(err) {
		return uuid.Nil, fault.Invalid("order_external_id", "unknown_order")
	}
	return o.ID, err
}

// Shipments lists shipments, newest first.
func (s *Service) Shipments(ctx context.Context, order *uuid.UUID, external string, p db.Page) (db.List[Shipment], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Shipment], error) {
		return shipments(r, isTest(ctx), order, external, p)
	})
}

// PutShipment writes a shipment of an order by the shop's ids.
func (s *Service) PutShipment(ctx context.Context, order string, in Shipment) (out Shipment, err error) {
	test := isTest(ctx)
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if in.OrderID, err = orderNamed(tx, test, order); err != nil {
			return err
		}
		out, err = whole(tx, in, upsert[Shipment]{
			find:    func() (Shipment, error) { return lockShipment(tx, test, in.ExternalID) },
			put:     func(v Shipment) (bool, error) { return putShipment(tx, test, v) },
			save:    func(v Shipment) error { return saveShipment(tx, v) },
			stale:   func(was Shipment) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			created: ShipmentCreated, updated: ShipmentUpdated,
		})
		return err
	})
	return out, err
}

// Returns lists returns, newest first.
func (s *Service) Returns(ctx context.Context, order *uuid.UUID, external string, p db.Page) (db.List[Return], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Return], error) {
		return returns(r, isTest(ctx), order, external, p)
	})
}

// PutReturn writes a return of an order by the shop's ids.
func (s *Service) PutReturn(ctx context.Context, order string, in Return) (out Return, err error) {
	test := isTest(ctx)
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if in.OrderID, err = orderNamed(tx, test, order); err != nil {
			return err
		}
		out, err = whole(tx, in, upsert[Return]{
			find:    func() (Return, error) { return lockReturn(tx, test, in.ExternalID) },
			put:     func(v Return) (bool, error) { return putReturn(tx, test, v) },
			save:    func(v Return) error { return saveReturn(tx, v) },
			stale:   func(was Return) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			created: ReturnCreated, updated: ReturnUpdated,
		})
		return err
	})
	return out, err
}
