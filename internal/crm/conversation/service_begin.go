package conversation

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Opening is a conversation that an agent begins.
type Opening struct {
	ContactID uuid.UUID
	Channel   string
	AccountID *uuid.UUID
	Subject   string
	Body      string
	Priority  string
	GroupID   *uuid.UUID
	// Attachments are the caller's uploads.
	Attachments []uuid.UUID
	// Template is sent instead of Body, over the template's own account.
	Template *template.Use
}

// Begun is what became of it.
type Begun struct {
	Conversation Conversation
	Item         Item
	Delivery     Delivery
	Route        *Route
	Reused       bool

	outgoing Outgoing
	// account is where the conversation belongs: the route's, or that of the
	// account which refused.
	account *uuid.UUID
	why     kept // what kept a template from being sent
}

// BeginAsAgent opens a conversation with a customer, or writes into the one
// that the customer has on that channel. It is made even where the message
// cannot be delivered.
func (s *Service) BeginAsAgent(ctx context.Context, o Opening) (out Begun, err error) {
	source, ok := sourceOf(o.Channel)
	if !ok {
		return out, fault.Invalid("channel", "not_allowed")
	}
	err = idempotency.Do(ctx, s.Tenant(ctx), &out, func(tx *db.Tx) error {
		out = Begun{Delivery: Delivery{Status: NotGoing}}
		ref, err := s.customer(tx, NewConversation{ContactID: o.ContactID})
		if err != nil {
			return err
		}
		if err := s.checkPlace(tx, nil, o.GroupID); err != nil {
			return err
		}
		if err := s.checkAccount(&tx.Reader, o.Channel, o.AccountID); err != nil {
			return err
		}
		item := &Item{Kind: Message, Body: strings.TrimSpace(o.Body), awaited: true}
		who := author(tx)
		item.AuthorKind, item.AuthorID = who.Kind, who.ID
		if o.Template != nil {
			err = s.templateOut(tx, &o, ref, item, &out)
		} else if err = s.compose(tx, item, o.Attachments, nil); err == nil {
			err = s.wayOut(tx, o, ref, &out)
		}
		if err != nil {
			return err
		}
		item.unsent = out.Route == nil && source.needsRoute && !ref.Test
		was, err := s.reusable(tx, o, source, ref, out.account)
		switch {
		case err == nil:
			out.Reused = true
			addressTo(item, &was, out.Route)
			out.Conversation, err = s.answered(tx, was, item)
		case db.IsNoRow(err):
			out.Conversation, err = s.beginWith(tx, o, source, ref, &out, item)
		}
		if err != nil {
			return err
		}
		out.Item = *item
		if out.Route == nil {
			return s.undelivered(tx, &out)
		}
		out.Delivery = Delivery{Status: Queued}
		out.outgoing, err = s.send(tx, &out.Conversation, item, out.Route)
		return err
	})
	if err != nil || out.Route == nil {
		return out, err
	}
	return out, s.push(ctx, &out)
}

// wayOut finds the route. A refusal, such as a closed window, is kept as the
// delivery's failure and does not stop the conversation, which belongs to the
// account that refused.
func (s *Service) wayOut(tx *db.Tx, o Opening, ref contact.Ref, out *Begun) error {
	out.account = o.AccountID
	if ref.Test {
		return nil
	}
	route, err := s.route(&tx.Reader, ref.ID, Wish{Channel: o.Channel, AccountID: o.AccountID})
	if route != nil {
		out.account = &route.AccountID
	}
	if f, ok := fault.As(err); ok {
		out.Delivery = Delivery{Status: Failed, Error: string(f.Code)}
		return nil
	}
	out.Route = route
	return err
}

// reusable is the conversation that the customer has on a messaging channel: on
// the account, or on any where none is known.
func (s *Service) reusable(tx *db.Tx, o Opening, source Source, ref contact.Ref, account *uuid.UUID) (Conversation, error) {
	if !source.Messaging {
		return Conversation{}, db.ErrNoRow
	}
	if account != nil {
		return lockThreadOn(tx, o.Channel, *account, ref.ID)
	}
	return lockChannelThread(tx, o.Channel, ref.ID)
}

func (s *Service) beginWith(tx *db.Tx, o Opening, source Source, ref contact.Ref, out *Begun, item *Item) (Conversation, error) {
	c := Conversation{
		Channel: o.Channel, ChannelAccountID: out.account, singleThread: source.Messaging && out.account != nil,
		Talep: source.Talep, ContactID: ref.ID, ContactName: ref.Name,
		Subject: strings.TrimSpace(o.Subject), Priority: o.Priority, GroupID: o.GroupID, OwnerID: item.AuthorID, Test: ref.Test,
	}
	if !item.unsent {
		c.FirstReplyAt = clock.Ptr(tx.Now())
	}
	if item.AuthorKind != ByAgent {
		c.OwnerID = nil
	}
	addressTo(item, &c, out.Route)
	free, err := s.begin(tx, &c, Begin, item)
	if err == nil && !free {
		err = contact.ErrRace
	}
	if err != nil || item.unsent {
		return c, err
	}
	return c, s.contacts.Reached(tx, ref.ID)
}

// undelivered leaves the trace of a message that was refused before it left.
func (s *Service) undelivered(tx *db.Tx, out *Begun) error {
	if out.Delivery.Status != Failed {
		return nil
	}
	c, item, err := s.failed(tx, out.Conversation.ID, out.Item, out.Delivery)
	out.Conversation, out.Item = c, item
	return err
}

// push tries to deliver while the agent waits, and writes the outcome down.
func (s *Service) push(ctx context.Context, out *Begun) error {
	d, err := s.router.Push(ctx, out.outgoing)
	if err != nil {
		// It was taken durably, so it stays on its way.
		d = Delivery{Status: Queued}
	}
	out.Delivery = d
	// The channel's own report may have been faster.
	c, item, err := s.reported(ctx, out.Item.ID, d)
	if err != nil {
		return err
	}
	out.Conversation, out.Item = c, item
	if item.Delivery != nil && *item.Delivery != d.Status {
		if out.Delivery.Status = *item.Delivery; item.DeliveryError != nil {
			out.Delivery.Error = *item.DeliveryError
		}
	}
	return idempotency.Amend(ctx, s.Tenant(ctx), *out)
}
