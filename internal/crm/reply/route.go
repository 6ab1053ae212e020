package reply

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// findRoute finds the route of an answer: the channel that it names, else the
// conversation's own route, else the workspace's default. It is nil if none is needed; if
// none exists, the error is no_route.
func (s *Service) findRoute(tx *db.Tx, c *conversation.Conversation, a Answer) (*conversation.Route, error) {
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
		return orNoRoute(s.Conversations.FindRoute(&tx.Reader, c.ContactID, conversation.Wish{Channel: a.Channel, AccountID: a.AccountID}))
	}
	if source, _ := conversation.SourceOf(c.Channel); !source.NeedsRoute {
		if !answeredByMail(c) {
			return nil, nil
		}
		return s.defaultRoute(&tx.Reader, c.ContactID)
	}
	route, err := s.Conversations.FindRoute(&tx.Reader, c.ContactID, conversation.Wish{Channel: c.Channel, AccountID: c.ChannelAccountID})
	if route == nil && err == nil {
		route, err = s.defaultRoute(&tx.Reader, c.ContactID)
	}
	return orNoRoute(route, err)
}

// answeredByMail reports whether answers to a request that a program opened are sent as
// e-mails.
func answeredByMail(c *conversation.Conversation) bool {
	return c.ReplyRoute != nil && *c.ReplyRoute == conversation.ReplyByEmail
}

// defaultRoute returns the route of an answer if the conversation has none: an e-mail to
// the customer.
func (s *Service) defaultRoute(r *db.Reader, customer uuid.UUID) (*conversation.Route, error) {
	return s.Conversations.FindRoute(r, customer, conversation.Wish{Channel: conversation.Mail})
}

// orNoRoute returns no_route if there is no route.
func orNoRoute(route *conversation.Route, err error) (*conversation.Route, error) {
	if route == nil && err == nil {
		err = fault.New(fault.NoRoute)
	}
	return route, err
}

// checkAccount refuses an account that is not the workspace's, or not on the channel named
// with it.
func (s *Service) checkAccount(r *db.Reader, channel string, account *uuid.UUID) error {
	if account == nil {
		return nil
	}
	known, err := s.Conversations.Router.HasAccount(r, channel, *account)
	if err == nil && !known {
		err = fault.Invalid("channel_account_id", "unknown_account")
	}
	return err
}

// addressTo sets the destination of an outgoing message.
func addressTo(item *conversation.Item, c *conversation.Conversation, route *conversation.Route) {
	status := conversation.NotGoing
	item.Channel, item.ChannelAccountID = &c.Channel, c.ChannelAccountID
	if route != nil {
		status = conversation.Queued
		item.Channel, item.ChannelAccountID = &route.Channel, &route.AccountID
	}
	item.Delivery = &status
}

// ReplyChannel is a route that a reply could take.
type ReplyChannel struct {
	Kind             string     `json:"kind" enum:"conversation,identity,email,default" doc:"The conversation's own route, an identity or e-mail address of the contact, or the server's default"`
	Channel          string     `json:"channel" example:"whatsapp"`
	ChannelAccountID *uuid.UUID `json:"channel_account_id" nullable:"true" format:"uuid"`
	Address          string     `json:"address" example:"+905321234567"`
	Available        bool       `json:"available"`
	Reason           *string    `json:"reason" nullable:"true" example:"not_connected" doc:"Why it is not available"`
}

// ReplyChannels lists the routes that a reply can take.
func (s *Service) ReplyChannels(ctx context.Context, id uuid.UUID) (out []ReplyChannel, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		c, err := conversation.ByID(r, id)
		if err != nil {
			return db.NotFound(err)
		}
		who, err := s.Contacts.Whole(r, c.ContactID)
		if err != nil && !db.IsNoRow(err) {
			return err
		}
		ask := func(kind, channel, address string, account *uuid.UUID) error {
			row := ReplyChannel{Kind: kind, Channel: channel, ChannelAccountID: account, Address: address}
			route, err := s.Conversations.Router.Route(r, conversation.Wish{Contact: who, Channel: channel, AccountID: account})
			reason := "not_connected"
			f, refused := fault.As(err)
			switch source, _ := conversation.SourceOf(channel); {
			case refused:
				reason = string(f.Code)
			case err != nil:
				return err
			default:
				row.Available = route != nil || kind == "conversation" && !source.NeedsRoute
			}
			if !row.Available {
				row.Reason = &reason
			}
			// A mail shows its address, whoever chose the route.
			if route != nil && row.Available && channel == conversation.Mail && (kind == "conversation" || kind == "default") {
				row.ChannelAccountID, row.Address = &route.AccountID, route.Address
			}
			out = append(out, row)
			return nil
		}
		out = []ReplyChannel{}
		own, account := c.Channel, c.ChannelAccountID
		if source, _ := conversation.SourceOf(own); !source.NeedsRoute && answeredByMail(&c) {
			// If the workspace has no mailbox, the answer is read where the request came
			// from.
			if mail, err := s.defaultRoute(r, c.ContactID); mail != nil || err != nil {
				own, account = conversation.Mail, nil
			}
		}
		if err := ask("conversation", own, "", account); err != nil {
			return err
		}
		for _, i := range who.Identities {
			if err := ask("identity", i.Channel, i.ExternalID, i.ChannelAccountID); err != nil {
				return err
			}
		}
		for _, e := range who.Emails {
			if err := ask("email", conversation.Mail, e.Address, nil); err != nil {
				return err
			}
		}
		return ask("default", conversation.Mail, "", nil)
	})
	return out, err
}
