package commerce

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/event"
	"konak/internal/kit/fault"
)

// licence is the module that a workspace needs.
const licence = "commerce"

const (
	maxMatches = 20 // customers matched to one contact
	cardOrders = 10 // orders on a card
	cardParts  = 50 // shipments on a card, and as many returns
)

// Contacts reads the address book.
type Contacts interface {
	// HasContact reports whether a contact with this id exists.
	HasContact(r *db.Reader, id uuid.UUID) (bool, error)
}

// Service is the module.
type Service struct{ Config }

// Config holds what the module needs.
type Config struct {
	DB       *db.DB
	Contacts Contacts
}

// New creates the service.
func New(c Config) *Service { return &Service{c} }

func isTest(ctx context.Context) bool { return caller.From(ctx).Test }

// upsert is the gate for each record that a shop writes by its own id.
type upsert[T any] struct {
	find func() (T, error) // locks the record
	put  func(T) (bool, error)
	save func(T) error
	// stale reports whether the incoming record is older than the stored one.
	stale func(stored T) bool
	// made and changed return the record to write; changed returns the stored one unchanged
	// if there is nothing new.
	made    func() T
	changed func(stored T) T
	stamp   func(*T)
	// created and updated are the events for a new and a changed record.
	created, updated string
	// after makes the changes that follow from this one.
	after func(was *T, now T) error
}

// write stores a record, or leaves it unchanged if there is nothing new.
func (u upsert[T]) write(tx *db.Tx) (now T, err error) {
	for range 2 {
		was, err := u.find()
		if err == nil {
			return u.update(tx, was)
		}
		if !db.IsNoRow(err) {
			return now, err
		}
		now = u.made()
		u.stamp(&now)
		if free, err := u.put(now); err != nil {
			return now, err
		} else if free {
			return now, u.finish(tx, u.created, nil, now)
		}
		// Another request created it at the same moment; the next attempt finds it.
	}
	return now, fault.New(fault.Conflict)
}

func (u upsert[T]) update(tx *db.Tx, was T) (T, error) {
	if u.stale != nil && u.stale(was) {
		return was, nil
	}
	now := u.changed(was)
	if equal(was, now) {
		return was, nil
	}
	u.stamp(&now)
	if err := u.save(now); err != nil {
		return now, err
	}
	return now, u.finish(tx, u.updated, &was, now)
}

func (u upsert[T]) finish(tx *db.Tx, name string, was *T, now T) error {
	if u.after != nil {
		if err := u.after(was, now); err != nil {
			return err
		}
	}
	if name == "" {
		return nil
	}
	_, err := event.Emit(tx, event.Change{Type: name, Object: now, Test: isTest(tx.Context())})
	return err
}

// whole is the gate for a record that the shop always sends in full; after makes the changes
// that follow from it.
func whole[T any, P interface {
	*T
	stamps() stamps
}](tx *db.Tx, t table[T], in T, after func(was *T, now T) error) (T, error) {
	test, sent := isTest(tx.Context()), P(&in).stamps()
	as := func(id uuid.UUID, created, updated clock.Time) T {
		out := in
		s := P(&out).stamps()
		*s.id, *s.created, *s.updated = id, created, updated
		return out
	}
	return upsert[T]{
		find:  func() (T, error) { return t.lock(tx, test, sent.externalID) },
		put:   func(v T) (bool, error) { return t.put(tx, test, v) },
		save:  func(v T) error { return t.save(tx, v) },
		stale: func(was T) bool { return isOlder(sent.sourceUpdated, P(&was).stamps().sourceUpdated) },
		made:  func() T { return as(tx.NewID(), clock.At(tx.Now()), clock.At(tx.Now())) },
		changed: func(was T) T {
			s := P(&was).stamps()
			return as(*s.id, *s.created, *s.updated)
		},
		stamp:   func(now *T) { *P(now).stamps().updated = clock.At(tx.Now()) },
		created: t.created, updated: t.updated, after: after,
	}.write(tx)
}

// Customers returns the customers, newest first.
func (s *Service) Customers(ctx context.Context, external string, p db.Page) (db.List[Customer], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Customer], error) {
		return customers(r, isTest(ctx), external, p)
	})
}

// Customer reads one customer.
func (s *Service) Customer(ctx context.Context, id uuid.UUID) (Customer, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (Customer, error) {
		c, err := customerByID(r, isTest(ctx), id)
		return c, db.NotFound(err)
	})
}

// PutCustomer writes a customer's data.
func (s *Service) PutCustomer(ctx context.Context, p Party) (c Customer, err error) {
	who, err := p.read("")
	if err != nil {
		return c, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if c, err = s.customer(tx, who); err != nil {
			return err
		}
		c, err = customerByID(&tx.Reader, isTest(ctx), c.ID)
		return err
	})
	return c, err
}

// customer finds or creates the customer that a party means, and stores what is new about
// them.
func (s *Service) customer(tx *db.Tx, p party) (Customer, error) {
	if p.contact != nil {
		if ok, err := s.Contacts.HasContact(&tx.Reader, *p.contact); err != nil {
			return Customer{}, err
		} else if !ok {
			return Customer{}, fault.Invalid(p.fieldName("contact_id"), "unknown_contact")
		}
	}
	test := isTest(tx.Context())
	return upsert[Customer]{
		find: func() (Customer, error) { return s.findCustomer(tx, test, p) },
		put:  func(c Customer) (bool, error) { return putCustomer(tx, test, c, p.emailKey) },
		save: func(c Customer) error { return saveCustomer(tx, c, p.emailKey) },
		made: func() Customer {
			c := Customer{ID: tx.NewID(), Balances: []Balance{}, CreatedAt: clock.At(tx.Now())}
			p.applyTo(&c)
			return c
		},
		changed: func(c Customer) Customer { p.applyTo(&c); return c },
		stamp:   func(c *Customer) { c.UpdatedAt = clock.At(tx.Now()) },
	}.write(tx)
}

// findCustomer finds a customer by the shop's id, else by contact, e-mail or phone. A
// customer with a shop id never matches a different shop id.
func (s *Service) findCustomer(tx *db.Tx, test bool, p party) (Customer, error) {
	if p.external != nil {
		if c, err := lockCustomer(tx, test, "external_id", *p.external, false); err == nil || !db.IsNoRow(err) {
			return c, err
		}
	}
	withoutShopID := p.external != nil
	if p.contact != nil {
		if c, err := lockCustomer(tx, test, "contact_id", *p.contact, withoutShopID); err == nil || !db.IsNoRow(err) {
			return c, err
		}
	}
	if p.emailKey != nil {
		if c, err := lockCustomer(tx, test, "email_key", *p.emailKey, withoutShopID); err == nil || !db.IsNoRow(err) {
			return c, err
		}
	}
	if p.phone != nil {
		return lockCustomer(tx, test, "phone", *p.phone, withoutShopID)
	}
	return Customer{}, db.ErrNoRow
}

// Entries returns ledger entries, newest first.
func (s *Service) Entries(ctx context.Context, customer *uuid.UUID, external string, p db.Page) (db.List[Entry], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Entry], error) {
		return entryTable.list(r, isTest(ctx), p, "customer_id", customer, external)
	})
}

// PutEntry writes or corrects a ledger entry, and updates the balance.
func (s *Service) PutEntry(ctx context.Context, who Party, in Entry) (out Entry, err error) {
	p, err := who.read("customer.")
	if err != nil {
		return out, err
	}
	return db.Write(ctx, s.DB.TenantOf(ctx), func(tx *db.Tx) (Entry, error) {
		c, err := s.customer(tx, p)
		if err != nil {
			return in, err
		}
		in.CustomerID = c.ID
		return whole(tx, entryTable, in, func(was *Entry, now Entry) error {
			if was != nil {
				if err := addBalance(tx, was.CustomerID, was.Currency, -was.Amount); err != nil {
					return err
				}
			}
			return addBalance(tx, now.CustomerID, now.Currency, now.Amount)
		})
	})
}

// Buyer is a contact with the data by which a shop may know it.
type Buyer struct {
	ContactID uuid.UUID
	// EmailKeys are folded addresses, Phones are in E.164 format.
	EmailKeys, Phones []string
	Test              bool
}

// Card is the shop's data about a contact.
type Card struct {
	Orders    []Order
	Shipments []Shipment
	Returns   []Return
	Balances  []Balance
}

// CardOf returns the card of a contact.
func (s *Service) CardOf(r *db.Reader, b Buyer) (Card, error) {
	ids, err := matching(r, b)
	if err != nil || len(ids) == 0 {
		return Card{}, err
	}
	return cardOf(r, ids)
}

// OrdersOf returns the orders of a contact, newest first.
func (s *Service) OrdersOf(r *db.Reader, b Buyer, p db.Page) (db.List[Order], error) {
	ids, err := matching(r, b)
	if err != nil || len(ids) == 0 {
		return db.List[Order]{}, err
	}
	return ordersOf(r, b.Test, ids, p)
}

// ContactMerged moves the loser's customers to the winner and returns their ids.
func (s *Service) ContactMerged(tx *db.Tx, loser, winner uuid.UUID) ([]uuid.UUID, error) {
	return repoint(tx, loser, winner)
}

// ContactParted moves customers back to a contact.
func (s *Service) ContactParted(tx *db.Tx, contact uuid.UUID, customers []uuid.UUID) error {
	for _, id := range customers {
		if err := setContact(tx, id, contact); err != nil {
			return err
		}
	}
	return nil
}
