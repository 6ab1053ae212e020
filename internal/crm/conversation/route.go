package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Where answers to a request go that a program opened: by e-mail, or nowhere,
// because the program shows them itself.
const (
	ReplyByEmail = "email"
	ReplyNowhere = "none"
)

// way finds the route of an answer: the channel that it names, else the
// conversation's own route, else the workspace's default. It is nil where none
// is needed; where there is none, the error is no_route.
func (s *Service) way(tx *db.Tx, c *Conversation, a Answer) (*Route, error) {
	if a.Channel == "" && a.AccountID != nil {
		return nil, fault.Invalid("channel", "required")
	}
	if err := s.checkAccount(&tx.Reader, a.Channel, a.AccountID); err != nil {
		return nil, err
	}
	if c.Test || caller.From(tx.Context()).Test {
		return nil, nil
	}
	if a.Channel != "" {
		return orNoRoute(s.route(&tx.Reader, c.ContactID, Wish{Channel: a.Channel, AccountID: a.AccountID}))
	}
	if source, _ := sourceOf(c.Channel); !source.needsRoute {
		if c.ReplyRoute == nil || *c.ReplyRoute != ReplyByEmail {
			return nil, nil
		}
		return s.defaultRoute(&tx.Reader, c.ContactID)
	}
	route, err := s.route(&tx.Reader, c.ContactID, Wish{Channel: c.Channel, AccountID: c.ChannelAccountID})
	if route == nil && err == nil {
		route, err = s.defaultRoute(&tx.Reader, c.ContactID)
	}
	return orNoRoute(route, err)
}

// defaultRoute is the way that an answer takes where the conversation has none
// of its own: an e-mail to the customer.
func (s *Service) defaultRoute(r *db.Reader, customer uuid.UUID) (*Route, error) {
	return s.route(r, customer, Wish{Channel: Mail})
}

// orNoRoute turns a way that there is not into its refusal.
func orNoRoute(route *Route, err error) (*Route, error) {
	if route == nil && err == nil {
		err = fault.New(fault.NoRoute)
	}
	return route, err
}

// checkAccount refuses an account that is not the workspace's, or not on the
// channel that is named with it.
func (s *Service) checkAccount(r *db.Reader, channel string, account *uuid.UUID) error {
	if account == nil {
		return nil
	}
	known, err := s.router.HasAccount(r, channel, *account)
	if err == nil && !known {
		err = fault.Invalid("channel_account_id", "unknown_account")
	}
	return err
}

// route asks the router for the way to a customer. With a refusal comes the
// account that refuses.
func (s *Service) route(r *db.Reader, customer uuid.UUID, w Wish) (*Route, error) {
	var err error
	if w.Contact, err = s.contacts.Whole(r, customer); err != nil {
		if db.IsNoRow(err) {
			return nil, nil // a deleted contact cannot be reached
		}
		return nil, err
	}
	return s.router.Route(r, w)
}

// addressTo writes on an outgoing message where it goes.
func addressTo(item *Item, c *Conversation, route *Route) {
	status := NotGoing
	item.Channel, item.ChannelAccountID = &c.Channel, c.ChannelAccountID
	if route != nil {
		status = Queued
		item.Channel, item.ChannelAccountID = &route.Channel, &route.AccountID
	}
	item.Delivery = &status
}
