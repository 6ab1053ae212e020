package commerce

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
)

// Customer is a customer of a shop.
type Customer struct {
	ID         uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID *string    `json:"external_id" nullable:"true" example:"C-1042"`
	ContactID  *uuid.UUID `json:"contact_id" nullable:"true" format:"uuid" doc:"CRM contact that the shop named"`
	Name       string     `json:"name" example:"Elif Kaya"`
	Email      *string    `json:"email" nullable:"true" example:"elif@kayamobilya.example"`
	Phone      *string    `json:"phone" nullable:"true" example:"+905321234567"`
	Balances   []Balance  `json:"balances" nullable:"false"`
	CreatedAt  clock.Time `json:"created_at"`
	UpdatedAt  clock.Time `json:"updated_at"`
}

// Balance is what a customer owes in one currency.
type Balance struct {
	Currency string `json:"currency" example:"TRY"`
	Amount   int64  `json:"amount" example:"125000" doc:"In minor units; positive if the customer owes it"`
}

// Order is a customer's order.
type Order struct {
	ID              uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID      string      `json:"external_id" example:"SO-2026-1188"`
	CustomerID      uuid.UUID   `json:"customer_id" format:"uuid"`
	Number          string      `json:"number" example:"1188" doc:"Order number that the customer sees"`
	Status          string      `json:"status" enum:"pending,paid,preparing,shipped,delivered,cancelled,refunded" example:"shipped"`
	Currency        string      `json:"currency" example:"TRY"`
	Total           int64       `json:"total" example:"249900" doc:"In minor units, like all amounts"`
	Tax             int64       `json:"tax" example:"41650"`
	Shipping        int64       `json:"shipping" example:"4990"`
	Discount        int64       `json:"discount" example:"0"`
	Lines           []Line      `json:"lines" nullable:"false"`
	URL             string      `json:"url" example:"https://shop.example/orders/1188" doc:"The order's page in the shop"`
	PlacedAt        clock.Time  `json:"placed_at"`
	SourceUpdatedAt *clock.Time `json:"source_updated_at" nullable:"true"`
	CreatedAt       clock.Time  `json:"created_at"`
	UpdatedAt       clock.Time  `json:"updated_at"`
}

// Line is one article of an order.
type Line struct {
	SKU       string `json:"sku" required:"false" maxLength:"100" example:"KM-CHAIR-02"`
	Name      string `json:"name" minLength:"1" maxLength:"300" example:"Meşe sandalye"`
	Quantity  int    `json:"quantity" minimum:"1" maximum:"1000000" example:"2"`
	UnitPrice int64  `json:"unit_price" required:"false" example:"122455"`
	Total     int64  `json:"total" required:"false" example:"244910"`
}

// Shipment is a shipment of an order.
type Shipment struct {
	ID              uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID      string      `json:"external_id" example:"SH-771"`
	OrderID         uuid.UUID   `json:"order_id" format:"uuid"`
	Carrier         string      `json:"carrier" example:"Yurtiçi Kargo"`
	TrackingNumber  string      `json:"tracking_number" example:"732189004561"`
	TrackingURL     string      `json:"tracking_url" example:"https://cargo.example/732189004561"`
	Status          string      `json:"status" enum:"preparing,in_transit,out_for_delivery,delivered,failed,returned" example:"in_transit"`
	ShippedAt       *clock.Time `json:"shipped_at" nullable:"true"`
	DeliveredAt     *clock.Time `json:"delivered_at" nullable:"true"`
	SourceUpdatedAt *clock.Time `json:"source_updated_at" nullable:"true"`
	CreatedAt       clock.Time  `json:"created_at"`
	UpdatedAt       clock.Time  `json:"updated_at"`
}

// Return is a return of goods by a customer.
type Return struct {
	ID              uuid.UUID   `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID      string      `json:"external_id" example:"RMA-55"`
	OrderID         uuid.UUID   `json:"order_id" format:"uuid"`
	Status          string      `json:"status" enum:"requested,approved,received,refunded,rejected" example:"approved"`
	Reason          string      `json:"reason" example:"Ayak boyu yanlış"`
	Currency        string      `json:"currency" example:"TRY"`
	Amount          int64       `json:"amount" example:"122455" doc:"Amount refunded, in minor units"`
	RequestedAt     clock.Time  `json:"requested_at"`
	SourceUpdatedAt *clock.Time `json:"source_updated_at" nullable:"true"`
	CreatedAt       clock.Time  `json:"created_at"`
	UpdatedAt       clock.Time  `json:"updated_at"`
}

// Entry is a line of a customer's account.
type Entry struct {
	ID          uuid.UUID  `json:"id" format:"uuid" example:"0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	ExternalID  string     `json:"external_id" example:"INV-2026-88"`
	CustomerID  uuid.UUID  `json:"customer_id" format:"uuid"`
	Currency    string     `json:"currency" example:"TRY"`
	Amount      int64      `json:"amount" example:"249900" doc:"In minor units; positive is owed, negative is paid"`
	Description string     `json:"description" example:"1188 numaralı siparişin faturası"`
	At          clock.Time `json:"at"`
	CreatedAt   clock.Time `json:"created_at"`
	UpdatedAt   clock.Time `json:"updated_at"`
}

// Party is a customer as the shop's program identifies them.
type Party struct {
	ExternalID string     `json:"external_id,omitempty" maxLength:"200" example:"C-1042" doc:"The customer's id in the shop"`
	ContactID  *uuid.UUID `json:"contact_id,omitempty" format:"uuid" doc:"Id of the CRM contact, if known"`
	Name       string     `json:"name,omitempty" maxLength:"200" example:"Elif Kaya"`
	Email      string     `json:"email,omitempty" maxLength:"254" example:"elif@kayamobilya.example"`
	Phone      string     `json:"phone,omitempty" maxLength:"40" example:"+905321234567"`
}

// party is a Party after parsing.
type party struct {
	external  *string
	contact   *uuid.UUID
	name      string
	email     *string
	emailKey  *string
	phone     *string
	fieldName func(string) string
}

// read checks a party; prefix is its path in the body.
func (p *Party) read(prefix string) (party, error) {
	out := party{name: strings.TrimSpace(p.Name), contact: p.ContactID, fieldName: func(f string) string { return prefix + f }}
	if id := strings.TrimSpace(p.ExternalID); id != "" {
		out.external = &id
	}
	if p.Email != "" {
		e, ok := address.ParseEmail(p.Email)
		if !ok {
			return out, fault.Invalid(prefix+"email", "invalid_address")
		}
		out.email, out.emailKey = &e.Address, &e.Key
	}
	if p.Phone != "" {
		n, ok := address.ParsePhone(p.Phone)
		if !ok {
			return out, fault.Invalid(prefix+"phone", "invalid_phone")
		}
		out.phone = &n
	}
	if out.external == nil && out.contact == nil && out.email == nil && out.phone == nil {
		return out, fault.Invalid(prefix+"external_id", "required")
	}
	return out, nil
}

// applyTo copies the given fields of a party into a customer; the others stay unchanged.
func (p *party) applyTo(c *Customer) {
	if p.external != nil {
		c.ExternalID = p.external
	}
	if p.contact != nil {
		c.ContactID = p.contact
	}
	if p.name != "" {
		c.Name = p.name
	}
	if p.email != nil {
		c.Email = p.email
	}
	if p.phone != nil {
		c.Phone = p.phone
	}
}

// stamps are the fields of a record that Konak sets, whatever the shop sends, and those by
// which the shop identifies it and its state.
type stamps struct {
	id               *uuid.UUID
	created, updated *clock.Time
	externalID       string
	sourceUpdated    *clock.Time
}

func (o *Order) stamps() stamps {
	return stamps{&o.ID, &o.CreatedAt, &o.UpdatedAt, o.ExternalID, o.SourceUpdatedAt}
}

func (s *Shipment) stamps() stamps {
	return stamps{&s.ID, &s.CreatedAt, &s.UpdatedAt, s.ExternalID, s.SourceUpdatedAt}
}

func (v *Return) stamps() stamps {
	return stamps{&v.ID, &v.CreatedAt, &v.UpdatedAt, v.ExternalID, v.SourceUpdatedAt}
}

func (e *Entry) stamps() stamps {
	return stamps{&e.ID, &e.CreatedAt, &e.UpdatedAt, e.ExternalID, nil}
}

// equal reports whether two records are the same in everything that is shown.
func equal[T any](a, b T) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// isOlder reports whether the incoming time is before the stored one.
func isOlder(comes, stored *clock.Time) bool {
	return comes != nil && stored != nil && comes.Before(stored.Time)
}
