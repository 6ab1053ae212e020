package reply

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/template"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// Opening is a conversation that an agent begins.
type Opening struct {
	ContactID uuid.UUID
	Channel   string
	AccountID *uuid.UUID
	Subject   string
	Body      string
	// Markdown and Signature mean the same as in an Answer.
	Markdown, Signature bool
	Priority            string
	GroupID             *uuid.UUID
	// Attachments are the caller's uploads.
	Attachments []uuid.UUID
	// Template is sent instead of Body, over the template's own account.
	Template *template.Use
}

// Begun is the result of an Opening.
type Begun struct {
	Conversation conversation.Conversation
	Item         conversation.Item
	Delivery     conversation.Delivery
	Route        *conversation.Route
	// Found is the route, even if it refused the message.
	Found  *conversation.Route
	Reused bool

	outgoing conversation.Outgoing
	// account is the account that the conversation belongs to: the route's, or the one that
	// refused.
	account *uuid.UUID
	why     notSent // what kept a template from being sent
}

// BeginAsAgent opens a conversation with a customer, or writes into the one that the
// customer has on that channel. The conversation is created even if the message cannot be
// delivered.
func (s *Service) BeginAsAgent(ctx context.Context, o Opening) (out Begun, err error) {
	source, ok := conversation.SourceOf(o.Channel)
	if !ok || !source.CanBegin {
		return out, fault.Invalid("channel", "not_allowed")
	}
	var refused error // by the policy; the conversation is created anyway
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &out, func(tx *db.Tx) error {
		refused = nil
		o := o
		out = Begun{Delivery: conversation.Delivery{Status: conversation.NotGoing}}
		ref, err := s.Conversations.FindCustomer(tx, conversation.NewConversation{ContactID: o.ContactID})
		if err != nil {
			return err
		}
		if err := s.Conversations.CheckOwnerAndGroup(tx, nil, o.GroupID); err != nil {
			return err
		}
		if err := s.checkAccount(&tx.Reader, o.Channel, o.AccountID); err != nil {
			return err
		}
		item := &conversation.Item{Kind: conversation.Message, Body: strings.TrimSpace(o.Body), Awaited: true}
		who := conversation.AuthorFrom(tx)
		item.AuthorKind, item.AuthorID = who.Kind, who.ID
		if o.Template != nil {
			o.Markdown, o.Signature = false, false // a template brings its own text
			err = s.useTemplate(tx, &o, ref, item, &out)
		} else if err = s.takeFiles(tx, item, o.Attachments, nil); err == nil {
			err = s.findOpeningRoute(tx, o, ref, &out)
		}
		if err != nil {
			return err
		}
		if err := s.completeBody(&tx.Reader, item, out.Route, o.Markdown, o.Signature); err != nil {
			return err
		}
		v, err := s.applyPolicy(tx, nil, o.Subject, item, out.Route, "")
		if f, ok := fault.As(err); ok {
			refused, err = err, nil
			out.Route, out.Delivery = nil, conversation.Delivery{Status: conversation.Failed, Error: string(f.Code)}
		} else if err == nil {
			o.Subject = v.Subject
		}
		if err != nil {
			return err
		}
		item.Unsent = out.Route == nil && source.NeedsRoute && !ref.Test
		was, err := s.reusable(tx, o, source, ref, out.account)
		switch {
		case err == nil:
			out.Reused = true
			addressTo(item, &was, out.Route)
			out.Conversation, err = s.Conversations.AddAnswer(tx, was, item)
		case db.IsNoRow(err):
			out.Conversation, err = s.beginWith(tx, o, source, ref, &out, item)
		}
		if err != nil {
			return err
		}
		out.Item = *item
		if out.Route == nil {
			return s.markRefused(tx, &out)
		}
		if v.Incident != nil {
			if err := s.Policy.RecordText(tx, v.Incident, item.ID.String()); err != nil {
				return err
			}
		}
		out.Delivery = conversation.Delivery{Status: conversation.Queued}
		out.outgoing, err = s.send(tx, &out.Conversation, item, out.Route)
		return err
	})
	if err == nil && refused != nil {
		err = s.Policy.RecordRefusal(ctx, refused)
	}
	if err != nil || out.Route == nil {
		return out, err
	}
	return out, s.push(ctx, &out)
}

// findOpeningRoute finds the route. A refusal, such as a closed window, is recorded as the
// delivery's failure and does not stop the conversation, which belongs to the account that
// refused.
func (s *Service) findOpeningRoute(tx *db.Tx, o Opening, ref contact.Ref, out *Begun) error {
	out.account = o.AccountID
	if ref.Test {
		return nil
	}
	route, err := s.Conversations.FindRoute(&tx.Reader, ref.ID, conversation.Wish{Channel: o.Channel, AccountID: o.AccountID})
	if out.Found = route; route != nil {
		out.account = &route.AccountID
	}
	if f, ok := fault.As(err); ok {
		out.Delivery = conversation.Delivery{Status: conversation.Failed, Error: string(f.Code)}
		return nil
	}
	out.Route = route
	return err
}

// reusable returns the conversation that the customer has on a messaging channel: on the
// account, or on any account if none is known.
func (s *Service) reusable(tx *db.Tx, o Opening, source conversation.Source, ref contact.Ref, account *uuid.UUID) (conversation.Conversation, error) {
	if !source.Messaging {
		return conversation.Conversation{}, db.ErrNoRow
	}
	if account != nil {
		return conversation.LockThreadOn(tx, o.Channel, *account, ref.ID)
	}
	return conversation.LockChannelThread(tx, o.Channel, ref.ID)
}

func (s *Service) beginWith(tx *db.Tx, o Opening, source conversation.Source, ref contact.Ref, out *Begun, item *conversation.Item) (conversation.Conversation, error) {
	c := conversation.Conversation{
		Channel: o.Channel, ChannelAccountID: out.account, SingleThread: source.Messaging && out.account != nil,
		IsRequest: source.IsRequest, ContactID: ref.ID, ContactName: ref.Name,
		Subject: strings.TrimSpace(o.Subject), Priority: o.Priority, GroupID: o.GroupID, OwnerID: item.AuthorID, Test: ref.Test,
	}
	if !item.Unsent {
		c.FirstReplyAt = clock.Ptr(tx.Now())
	}
	if item.AuthorKind != conversation.ByAgent || !caller.From(tx.Context()).Can(perm.ConversationsView) {
		c.OwnerID = nil // an owner sees conversations
	}
	addressTo(item, &c, out.Route)
	free, err := s.Conversations.Start(tx, &c, conversation.Begin, item)
	if err == nil && !free {
		err = contact.ErrRace
	}
	if err != nil || item.Unsent {
		return c, err
	}
	return c, s.Contacts.MarkContacted(tx, ref.ID)
}

// markRefused records the failure of a message that was refused before it was sent.
func (s *Service) markRefused(tx *db.Tx, out *Begun) error {
	if out.Delivery.Status != conversation.Failed {
		return nil
	}
	c, item, err := s.Inbound.MarkFailed(tx, out.Conversation.ID, out.Item, out.Delivery)
	out.Conversation, out.Item = c, item
	return err
}

// push tries to deliver while the agent waits, and records the outcome.
func (s *Service) push(ctx context.Context, out *Begun) error {
	d, err := s.Conversations.Router.Push(ctx, out.outgoing)
	if err != nil {
		// It was queued durably, so it stays on its way.
		d = conversation.Delivery{Status: conversation.Queued}
	}
	out.Delivery = d
	// The channel's own report may have been faster.
	c, item, err := s.Inbound.ApplyReport(ctx, out.Item.ID, d)
	if err != nil {
		return err
	}
	out.Conversation, out.Item = c, item
	if item.Delivery != nil && *item.Delivery != d.Status {
		if out.Delivery.Status = *item.Delivery; item.DeliveryError != nil {
			out.Delivery.Error = *item.DeliveryError
		}
	}
	return idempotency.Amend(ctx, s.DB.TenantOf(ctx), *out)
}
