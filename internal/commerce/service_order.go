package commerce

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// OrderFilter narrows the list of orders.
type OrderFilter struct {
	CustomerID *uuid.UUID
	ExternalID string
}

// Orders lists the orders, the last placed first.
func (s *Service) Orders(ctx context.Context, f OrderFilter, p db.Page) (out db.List[Order], err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		out, err = orders(r, isTest(ctx), f, p)
		return err
	})
	return out, err
}

// Order reads one order.
func (s *Service) Order(ctx context.Context, id uuid.UUID) (o Order, err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		o, err = orderByID(r, isTest(ctx), id)
		return absent(err)
	})
	return o, err
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
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := s.customer(tx, p)
		if err != nil {
			return err
		}
		in.CustomerID = c.ID
		out, err = upsert[Order]{
			find:  func() (Order, error) { return lockOrder(tx, test, in.ExternalID) },
			put:   func(o Order) (bool, error) { return putOrder(tx, test, o) },
			save:  func(o Order) error { return saveOrder(tx, o) },
			stale: func(was Order) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			made: func() Order {
				o := in
				o.ID, o.CreatedAt = tx.NewID(), clock.At(tx.Now())
				return o
			},
			changed: func(was Order) Order {
				o := in
				o.ID, o.CreatedAt, o.UpdatedAt = was.ID, was.CreatedAt, was.UpdatedAt
				return o
			},
			stamp:   func(o *Order) { o.UpdatedAt = clock.At(tx.Now()) },
			created: OrderCreated, updated: OrderUpdated,
		}.write(tx)
		return err
	})
	return out, err
}

// orderNamed finds the order that a part belongs to.
func orderNamed(tx *db.Tx, test bool, external string) (uuid.UUID, error) {
	o, err := lockOrder(tx, test, external)
	if db.IsNoRow(err) {
		return uuid.Nil, fault.Invalid("order_external_id", "unknown_order")
	}
	return o.ID, err
}

// Shipments lists shipments, the newest first.
func (s *Service) Shipments(ctx context.Context, order *uuid.UUID, external string, p db.Page) (out db.List[Shipment], err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		out, err = shipments(r, isTest(ctx), order, external, p)
		return err
	})
	return out, err
}

// PutShipment writes a shipment of an order by the shop's ids.
func (s *Service) PutShipment(ctx context.Context, order string, in Shipment) (out Shipment, err error) {
	test := isTest(ctx)
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if in.OrderID, err = orderNamed(tx, test, order); err != nil {
			return err
		}
		out, err = upsert[Shipment]{
			find:  func() (Shipment, error) { return lockShipment(tx, test, in.ExternalID) },
			put:   func(v Shipment) (bool, error) { return putShipment(tx, test, v) },
			save:  func(v Shipment) error { return saveShipment(tx, v) },
			stale: func(was Shipment) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			made: func() Shipment {
				v := in
				v.ID, v.CreatedAt = tx.NewID(), clock.At(tx.Now())
				return v
			},
			changed: func(was Shipment) Shipment {
				v := in
				v.ID, v.CreatedAt, v.UpdatedAt = was.ID, was.CreatedAt, was.UpdatedAt
				return v
			},
			stamp:   func(v *Shipment) { v.UpdatedAt = clock.At(tx.Now()) },
			created: ShipmentCreated, updated: ShipmentUpdated,
		}.write(tx)
		return err
	})
	return out, err
}

// Returns lists returns, the newest first.
func (s *Service) Returns(ctx context.Context, order *uuid.UUID, external string, p db.Page) (out db.List[Return], err error) {
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		out, err = returns(r, isTest(ctx), order, external, p)
		return err
	})
	return out, err
}

// PutReturn writes a return of an order by the shop's ids.
func (s *Service) PutReturn(ctx context.Context, order string, in Return) (out Return, err error) {
	test := isTest(ctx)
	err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if in.OrderID, err = orderNamed(tx, test, order); err != nil {
			return err
		}
		out, err = upsert[Return]{
			find:  func() (Return, error) { return lockReturn(tx, test, in.ExternalID) },
			put:   func(v Return) (bool, error) { return putReturn(tx, test, v) },
			save:  func(v Return) error { return saveReturn(tx, v) },
			stale: func(was Return) bool { return older(in.SourceUpdatedAt, was.SourceUpdatedAt) },
			made: func() Return {
				v := in
				v.ID, v.CreatedAt = tx.NewID(), clock.At(tx.Now())
				return v
			},
			changed: func(was Return) Return {
				v := in
				v.ID, v.CreatedAt, v.UpdatedAt = was.ID, was.CreatedAt, was.UpdatedAt
				return v
			},
			stamp:   func(v *Return) { v.UpdatedAt = clock.At(tx.Now()) },
			created: ReturnCreated, updated: ReturnUpdated,
		}.write(tx)
		return err
	})
	return out, err
}

// Sample writes one of each record of this module with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	who, at := Party{ExternalID: text, Name: text}, clock.At(s.db.Clock().Now())
	if _, err := s.PutOrder(ctx, who, Order{ExternalID: text, Number: text, Status: "paid", Currency: "TRY", PlacedAt: at}); err != nil {
		return err
	}
	if _, err := s.PutShipment(ctx, text, Shipment{ExternalID: text, Carrier: text, Status: "in_transit"}); err != nil {
		return err
	}
	if _, err := s.PutReturn(ctx, text, Return{ExternalID: text, Status: "requested", Reason: text, Currency: "TRY", RequestedAt: at}); err != nil {
		return err
	}
	_, err := s.PutEntry(ctx, who, Entry{ExternalID: text, Currency: "TRY", Amount: 1, Description: text, At: at})
	return err
}
