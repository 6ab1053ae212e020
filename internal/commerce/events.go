package commerce

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	OrderCreated    = "order.created"
	OrderUpdated    = "order.updated"
	ShipmentCreated = "shipment.created"
	ShipmentUpdated = "shipment.updated"
	ReturnCreated   = "return.created"
	ReturnUpdated   = "return.updated"
	LedgerChanged   = "ledger.changed"
)

// Events returns the events of this module.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	id := func(last string) uuid.UUID { return uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b" + last) }
	order := Order{
		ID: id("4c"), ExternalID: "SO-2026-1188", CustomerID: id("4d"), Number: "1188", Status: "shipped", Currency: "TRY", Total: 249900,
		Lines: []Line{{SKU: "KM-CHAIR-02", Name: "Meşe sandalye", Quantity: 2, UnitPrice: 122455, Total: 244910}}, PlacedAt: at, CreatedAt: at, UpdatedAt: at,
	}
	shipment := Shipment{
		ID: id("4e"), ExternalID: "SH-771", OrderID: order.ID, Carrier: "Yurtiçi Kargo", TrackingNumber: "732189004561",
		Status: "in_transit", ShippedAt: &at, CreatedAt: at, UpdatedAt: at,
	}
	back := Return{
		ID: id("4f"), ExternalID: "RMA-55", OrderID: order.ID, Status: "approved", Reason: "Ayak boyu yanlış", Currency: "TRY",
		Amount: 122455, RequestedAt: at, CreatedAt: at, UpdatedAt: at,
	}
	entry := Entry{
		ID: id("50"), ExternalID: "INV-2026-88", CustomerID: order.CustomerID, Currency: "TRY", Amount: 249900, At: at, CreatedAt: at, UpdatedAt: at,
	}
	row := func(name, text, turkish string, example any) event.Type {
		return event.Type{Name: name, Module: licence, Permission: perm.CommerceView, Description: text, Turkish: turkish, Example: example}
	}
	return event.Catalog{
		row(OrderCreated, "The shop reported a new order.", "Mağaza yeni bir sipariş bildirdi.", order),
		row(OrderUpdated, "An order changed.", "Bir sipariş değişti.", order),
		row(ShipmentCreated, "The shop reported a new shipment.", "Mağaza yeni bir gönderi bildirdi.", shipment),
		row(ShipmentUpdated, "A shipment changed.", "Bir gönderi değişti.", shipment),
		row(ReturnCreated, "The shop reported a new return.", "Mağaza yeni bir iade bildirdi.", back),
		row(ReturnUpdated, "A return changed.", "Bir iade değişti.", back),
		row(LedgerChanged, "A ledger entry was created or corrected.", "Bir cari hareket yazıldı ya da düzeltildi.", entry),
	}
}
