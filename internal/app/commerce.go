package app

import (
	"encoding/json"

	"github.com/google/uuid"

	"konak/internal/commerce"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/card"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/each"
)

// book lets the commerce module look up contacts.
type book struct{ *contact.Book }

// HasContact implements commerce.Contacts.
func (b book) HasContact(r *db.Reader, id uuid.UUID) (bool, error) {
	_, err := b.Find(r, id)
	return db.Found(err)
}

// shop shows the commerce module's records on a conversation's card, and moves them when
// contacts merge.
type shop struct{ s *commerce.Service }

// Card implements card.Shop.
func (s shop) Card(r *db.Reader, who contact.Contact, test bool) (card.Card, error) {
	found, err := s.s.CardOf(r, asBuyer(who, test))
	out := card.Card{}
	for _, o := range found.Orders {
		out.Orders = append(out.Orders, asCardOrder(o))
	}
	for _, v := range found.Shipments {
		out.Shipments = append(out.Shipments, card.CardShipment{
			ID: v.ID, OrderID: v.OrderID, Carrier: v.Carrier, TrackingNumber: v.TrackingNumber, TrackingURL: v.TrackingURL,
			Status: v.Status, ShippedAt: v.ShippedAt, DeliveredAt: v.DeliveredAt,
		})
	}
	for _, v := range found.Returns {
		out.Returns = append(out.Returns, card.CardReturn{
			ID: v.ID, OrderID: v.OrderID, Status: v.Status, Reason: v.Reason,
			Amount: card.Money{Currency: v.Currency, Amount: v.Amount}, RequestedAt: v.RequestedAt,
		})
	}
	for _, v := range found.Balances {
		out.Balances = append(out.Balances, card.Money(v))
	}
	return out, err
}

// Orders implements card.Shop.
func (s shop) Orders(r *db.Reader, who contact.Contact, p db.Page) (db.List[card.CardOrder], error) {
	found, err := s.s.OrdersOf(r, asBuyer(who, false), p)
	return db.List[card.CardOrder]{Rows: each.Map(found.Rows, asCardOrder), Next: found.Next}, err
}

func asBuyer(who contact.Contact, test bool) commerce.Buyer {
	b := commerce.Buyer{ContactID: who.ID, Test: test}
	for _, e := range who.Emails {
		b.EmailKeys = append(b.EmailKeys, address.Fold(e.Address))
	}
	for _, p := range who.Phones {
		b.Phones = append(b.Phones, p.E164)
	}
	return b
}

func asCardOrder(o commerce.Order) card.CardOrder {
	return card.CardOrder{
		ID: o.ID, Number: o.Number, Status: o.Status, Total: card.Money{Currency: o.Currency, Amount: o.Total},
		Lines: each.Map(o.Lines, func(l commerce.Line) card.CardLine {
			return card.CardLine{SKU: l.SKU, Name: l.Name, Quantity: l.Quantity, Total: l.Total}
		}),
		URL: o.URL, PlacedAt: o.PlacedAt,
	}
}

// ContactRenamed implements contact.Follower; a shop has its own names.
func (shop) ContactRenamed(*db.Tx, uuid.UUID, string) error { return nil }

// ContactMerged implements contact.Follower.
func (s shop) ContactMerged(tx *db.Tx, loser, winner contact.Ref) ([]byte, error) {
	moved, err := s.s.ContactMerged(tx, loser.ID, winner.ID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(moved)
}

// ContactParted implements contact.Follower.
func (s shop) ContactParted(tx *db.Tx, loser, _ contact.Ref, undo []byte) error {
	var moved []uuid.UUID
	if err := json.Unmarshal(undo, &moved); err != nil {
		return err
	}
	return s.s.ContactParted(tx, loser.ID, moved)
}
