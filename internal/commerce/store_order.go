package commerce

import (
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

const orderColumns = `id, external_id, customer_id, number, status, currency, total, tax, shipping, discount, lines, url,
	placed_at, source_updated_at, created_at, updated_at`

func scanOrder(row db.Row) (o Order, err error) {
	err = row.Scan(&o.ID, &o.ExternalID, &o.CustomerID, &o.Number, &o.Status, &o.Currency, &o.Total, &o.Tax, &o.Shipping, &o.Discount,
		db.FromJSON(&o.Lines), &o.URL, &o.PlacedAt, &o.SourceUpdatedAt, &o.CreatedAt, &o.UpdatedAt)
	return o, err
}

// ordersOf returns the orders of some customers, newest first.
func ordersOf(r *db.Reader, test bool, customers []uuid.UUID, p db.Page) (db.List[Order], error) {
	in, arg := db.In(r.Dialect(), 6, customers)
	return orderTable.page(r, test, p, ` AND customer_id `+in, arg)
}

func orderByID(r *db.Reader, test bool, id uuid.UUID) (Order, error) {
	return db.One(r, scanOrder, `SELECT `+orderColumns+` FROM commerce_order WHERE tenant_id = $1 AND test = $2 AND id = $3`, r.Tenant(), test, id)
}

var orderTable = table[Order]{
	name: "commerce_order", columns: orderColumns, sort: "placed_at", scan: scanOrder, put: putOrder, save: saveOrder,
	key:     func(o Order) db.Key { return db.Key{Sort: o.PlacedAt.UnixMicro(), ID: o.ID} },
	created: OrderCreated, updated: OrderUpdated,
}

func putOrder(tx *db.Tx, test bool, o Order) (bool, error) {
	return tx.ExecAny(`INSERT INTO commerce_order (tenant_id, id, test, external_id, customer_id, number, status, currency, total, tax,
			shipping, discount, lines, url, placed_at, source_updated_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING`,
		tx.Tenant(), o.ID, test, o.ExternalID, o.CustomerID, o.Number, o.Status, o.Currency, o.Total, o.Tax,
		o.Shipping, o.Discount, db.AsJSON(o.Lines), o.URL, o.PlacedAt, o.SourceUpdatedAt, o.CreatedAt, o.UpdatedAt)
}

func saveOrder(tx *db.Tx, o Order) error {
	return tx.Exec(`UPDATE commerce_order SET customer_id = $3, number = $4, status = $5, currency = $6, total = $7, tax = $8,
			shipping = $9, discount = $10, lines = $11, url = $12, placed_at = $13, source_updated_at = $14, updated_at = $15
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), o.ID, o.CustomerID, o.Number, o.Status, o.Currency, o.Total, o.Tax,
		o.Shipping, o.Discount, db.AsJSON(o.Lines), o.URL, o.PlacedAt, o.SourceUpdatedAt, o.UpdatedAt)
}

const shipmentColumns = `id, external_id, order_id, carrier, tracking_number, tracking_url, status, shipped_at, delivered_at,
	source_updated_at, created_at, updated_at`

func scanShipment(row db.Row) (s Shipment, err error) {
	err = row.Scan(&s.ID, &s.ExternalID, &s.OrderID, &s.Carrier, &s.TrackingNumber, &s.TrackingURL, &s.Status, &s.ShippedAt, &s.DeliveredAt,
		&s.SourceUpdatedAt, &s.CreatedAt, &s.UpdatedAt)
	return s, err
}

var shipmentTable = table[Shipment]{
	name: "commerce_shipment", columns: shipmentColumns, sort: "created_at", scan: scanShipment, put: putShipment, save: saveShipment,
	key:     func(s Shipment) db.Key { return db.Key{Sort: s.CreatedAt.UnixMicro(), ID: s.ID} },
	created: ShipmentCreated, updated: ShipmentUpdated,
}

func putShipment(tx *db.Tx, test bool, s Shipment) (bool, error) {
	return tx.ExecAny(`INSERT INTO commerce_shipment (tenant_id, id, test, external_id, order_id, carrier, tracking_number, tracking_url,
			status, shipped_at, delivered_at, source_updated_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
		tx.Tenant(), s.ID, test, s.ExternalID, s.OrderID, s.Carrier, s.TrackingNumber, s.TrackingURL,
		s.Status, s.ShippedAt, s.DeliveredAt, s.SourceUpdatedAt, s.CreatedAt, s.UpdatedAt)
}

func saveShipment(tx *db.Tx, s Shipment) error {
	return tx.Exec(`UPDATE commerce_shipment SET order_id = $3, carrier = $4, tracking_number = $5, tracking_url = $6, status = $7,
			shipped_at = $8, delivered_at = $9, source_updated_at = $10, updated_at = $11
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), s.ID, s.OrderID, s.Carrier, s.TrackingNumber, s.TrackingURL, s.Status,
		s.ShippedAt, s.DeliveredAt, s.SourceUpdatedAt, s.UpdatedAt)
}

const returnColumns = `id, external_id, order_id, status, reason, currency, amount, requested_at, source_updated_at, created_at, updated_at`

func scanReturn(row db.Row) (v Return, err error) {
	err = row.Scan(&v.ID, &v.ExternalID, &v.OrderID, &v.Status, &v.Reason, &v.Currency, &v.Amount, &v.RequestedAt, &v.SourceUpdatedAt,
		&v.CreatedAt, &v.UpdatedAt)
	return v, err
}

var returnTable = table[Return]{
	name: "commerce_return", columns: returnColumns, sort: "created_at", scan: scanReturn, put: putReturn, save: saveReturn,
	key:     func(v Return) db.Key { return db.Key{Sort: v.CreatedAt.UnixMicro(), ID: v.ID} },
	created: ReturnCreated, updated: ReturnUpdated,
}

func putReturn(tx *db.Tx, test bool, v Return) (bool, error) {
	return tx.ExecAny(`INSERT INTO commerce_return (tenant_id, id, test, external_id, order_id, status, reason, currency, amount,
			requested_at, source_updated_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
		tx.Tenant(), v.ID, test, v.ExternalID, v.OrderID, v.Status, v.Reason, v.Currency, v.Amount,
		v.RequestedAt, v.SourceUpdatedAt, v.CreatedAt, v.UpdatedAt)
}

func saveReturn(tx *db.Tx, v Return) error {
	return tx.Exec(`UPDATE commerce_return SET order_id = $3, status = $4, reason = $5, currency = $6, amount = $7,
			requested_at = $8, source_updated_at = $9, updated_at = $10
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), v.ID, v.OrderID, v.Status, v.Reason, v.Currency, v.Amount, v.RequestedAt, v.SourceUpdatedAt, v.UpdatedAt)
}

// cardOf reads the card of some customers: the newest orders, their shipments and returns,
// and the balances.
func cardOf(r *db.Reader, ids []uuid.UUID) (c Card, err error) {
	in, arg := db.In(r.Dialect(), 2, ids)
	args := []any{r.Tenant(), arg}
	if c.Orders, err = db.All(r, scanOrder, `SELECT `+orderColumns+` FROM commerce_order WHERE tenant_id = $1 AND customer_id `+in+
		` ORDER BY placed_at DESC, id DESC LIMIT `+strconv.Itoa(cardOrders), args...); err != nil {
		return c, err
	}
	c.Balances, err = db.All(r, func(row db.Row) (b Balance, err error) {
		err = row.Scan(&b.Currency, &b.Amount)
		return b, err
	}, `SELECT currency, CAST(sum(amount) AS bigint) FROM commerce_balance WHERE tenant_id = $1 AND customer_id `+in+
		` GROUP BY currency ORDER BY currency`, args...)
	if err != nil || len(c.Orders) == 0 {
		return c, err
	}
	list := each.Map(c.Orders, func(o Order) uuid.UUID { return o.ID })
	in, arg = db.In(r.Dialect(), 2, list)
	args = []any{r.Tenant(), arg}
	last := in + ` ORDER BY created_at DESC, id DESC LIMIT ` + strconv.Itoa(cardParts)
	if c.Shipments, err = db.All(r, scanShipment, `SELECT `+shipmentColumns+` FROM commerce_shipment WHERE tenant_id = $1 AND order_id `+last, args...); err != nil {
		return c, err
	}
	c.Returns, err = db.All(r, scanReturn, `SELECT `+returnColumns+` FROM commerce_return WHERE tenant_id = $1 AND order_id `+last, args...)
	return c, err
}
