// Package card shows what the customer of a conversation bought: orders,
// shipments, returns and the balance, as the commerce module knows them.
package card

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Shop knows what customers bought. The commerce module implements it through
// the app.
type Shop interface {
	// Card returns what is known of a customer. If test is true, it reads the records of
	// the test environment.
	Card(r *db.Reader, who contact.Contact, test bool) (Card, error)
	// Orders lists a customer's orders, the newest first.
	Orders(r *db.Reader, who contact.Contact, p db.Page) (db.List[CardOrder], error)
}

// Card is what the shop knows of a customer.
type Card struct {
	Licensed  bool           `json:"licensed" doc:"False if the workspace has no commerce licence; the card is then empty"`
	Orders    []CardOrder    `json:"orders" nullable:"false" doc:"The last ten orders"`
	Shipments []CardShipment `json:"shipments" nullable:"false" doc:"Shipments of these orders"`
	Returns   []CardReturn   `json:"returns" nullable:"false" doc:"Returns of these orders"`
	Balances  []Money        `json:"balances" nullable:"false" doc:"Ledger balance per currency; positive if the customer owes it"`
}

// Money is an amount in a currency.
type Money struct {
	Currency string `json:"currency" example:"TRY"`
	Amount   int64  `json:"amount" example:"249900" doc:"In minor units"`
}

// CardOrder is an order on a card.
type CardOrder struct {
	ID       uuid.UUID  `json:"id" format:"uuid"`
	Number   string     `json:"number" example:"1188"`
	Status   string     `json:"status" example:"shipped"`
	Total    Money      `json:"total"`
	Lines    []CardLine `json:"lines" nullable:"false"`
	URL      string     `json:"url" example:"https://shop.example/orders/1188"`
	PlacedAt clock.Time `json:"placed_at"`
}

// CardLine is a line of an order on a card.
type CardLine struct {
	SKU      string `json:"sku" example:"KM-CHAIR-02"`
	Name     string `json:"name" example:"Meşe sandalye"`
	Quantity int    `json:"quantity" example:"2"`
	Total    int64  `json:"total" example:"244910" doc:"In minor units of the order's currency"`
}

// CardShipment is a shipment on a card.
type CardShipment struct {
	ID             uuid.UUID   `json:"id" format:"uuid"`
	OrderID        uuid.UUID   `json:"order_id" format:"uuid"`
	Carrier        string      `json:"carrier" example:"Yurtiçi Kargo"`
	TrackingNumber string      `json:"tracking_number" example:"732189004561"`
	TrackingURL    string      `json:"tracking_url" example:"https://cargo.example/732189004561"`
	Status         string      `json:"status" example:"in_transit"`
	ShippedAt      *clock.Time `json:"shipped_at" nullable:"true"`
	DeliveredAt    *clock.Time `json:"delivered_at" nullable:"true"`
}

// CardReturn is a return on a card.
type CardReturn struct {
	ID          uuid.UUID  `json:"id" format:"uuid"`
	OrderID     uuid.UUID  `json:"order_id" format:"uuid"`
	Status      string     `json:"status" example:"approved"`
	Reason      string     `json:"reason" example:"Ayak boyu yanlış"`
	Amount      Money      `json:"amount"`
	RequestedAt clock.Time `json:"requested_at"`
}

// Config is what the package needs.
type Config struct {
	Conversations *conversation.Service
	Contacts      *contact.Book
	Shop          Shop
}

// Service builds the commercial card of a conversation's customer.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Commerce returns the customer's card. Without the licence the card is empty and says so;
// this is not an error.
func (s *Service) Commerce(ctx context.Context, id uuid.UUID) (Card, error) {
	card, err := conversation.ReadConversation(ctx, s.Conversations, id, func(r *db.Reader, c *conversation.Conversation) (card Card, err error) {
		if !caller.From(ctx).Licences["commerce"] {
			return card, nil
		}
		who, err := db.OrZero(s.Contacts.Whole(r, c.ContactID))
		if err != nil {
			return card, err
		}
		who.ID = c.ContactID
		card, err = s.Shop.Card(r, who, c.Test)
		card.Licensed = true
		return card, err
	})
	card.Orders, card.Shipments = db.OrEmpty(card.Orders), db.OrEmpty(card.Shipments)
	card.Returns, card.Balances = db.OrEmpty(card.Returns), db.OrEmpty(card.Balances)
	return card, err
}

// Orders lists a contact's orders, the newest first. Without the licence the list is empty.
func (s *Service) Orders(ctx context.Context, id uuid.UUID, p db.Page) (out db.List[CardOrder], err error) {
	out.Rows = []CardOrder{}
	err = s.Conversations.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		who, err := s.Contacts.Whole(r, id)
		if err != nil {
			return db.NotFound(err)
		}
		if caller.From(ctx).Licences["commerce"] {
			out, err = s.Shop.Orders(r, who, p)
		}
		return err
	})
	return out, err
}
