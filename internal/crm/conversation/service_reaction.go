package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Why a reaction cannot be carried out.
const (
	NoChannelCopy      = "no_channel_copy"     // the channel does not know this message
	ChannelUnsupported = "channel_unsupported" // the channel has no reactions
)

// React puts the caller's sign on a message, through the channel's own way; an
// empty one takes it away.
func (s *Service) React(ctx context.Context, id, item uuid.UUID, sign string) (Item, error) {
	var out OutgoingReaction
	err := s.ReadItem(ctx, id, item, func(r *db.Reader, c *Conversation, i *Item) (err error) {
		if sign != "" && !emoji(sign) {
			return fault.Invalid("emoji", "not_an_emoji")
		}
		out, err = s.reactionWay(r, c, i)
		return err
	})
	if err != nil {
		return Item{}, err
	}
	// The channel is asked before anything is written: what the panel shows is
	// what the customer sees.
	if out.Emoji = sign; out.Route.Channel != "" {
		if err := s.router.(Reactor).React(ctx, out); err != nil {
			return Item{}, err
		}
	}
	who := caller.From(ctx)
	return s.reacted(ctx, id, item, Reaction{Emoji: sign, AuthorKind: string(who.Kind), AuthorID: who.ID}, out.Route.Channel != "")
}

// reactionWay finds the channel's way for a reaction; none for what is a test.
func (s *Service) reactionWay(r *db.Reader, c *Conversation, i *Item) (out OutgoingReaction, err error) {
	unsupported := func(reason string) (OutgoingReaction, error) {
		return OutgoingReaction{}, fault.New(fault.ReactionUnsupported).Because(reason)
	}
	if i.Kind != Message {
		return unsupported(NoChannelCopy)
	}
	if c.Test || i.test || caller.From(r.Context()).Test {
		return OutgoingReaction{}, nil
	}
	if reacts, ok := s.router.(Reactor); !ok || i.Channel == nil || i.ChannelAccountID == nil || !reacts.Reacts(*i.Channel) {
		return unsupported(ChannelUnsupported)
	}
	if i.providerMessageID == nil {
		return unsupported(NoChannelCopy)
	}
	route, err := s.route(r, c.ContactID, Wish{Channel: *i.Channel, AccountID: i.ChannelAccountID})
	if err != nil {
		return out, err
	}
	if route == nil {
		return unsupported(string(fault.NoRoute))
	}
	return OutgoingReaction{
		ConversationID: c.ID, ItemID: i.ID, ContactID: c.ContactID, Route: *route,
		ProviderMessageID: *i.providerMessageID, OwnMessage: i.AuthorKind != ByContact,
	}, nil
}

// reacted keeps a reaction. One that went over a channel is the account's, which
// has one on a message: it takes the place of a colleague's.
func (s *Service) reacted(ctx context.Context, id, item uuid.UUID, re Reaction, ofAccount bool) (Item, error) {
	return s.ChangeItem(ctx, id, item, func(tx *db.Tx, _ *Conversation, i *Item) error {
		re.At = clock.At(tx.Now())
		var err error
		if ofAccount {
			err = dropOurReactions(tx, i.ID)
		}
		switch {
		case err != nil:
		case re.Emoji == "":
			err = dropReaction(tx, i.ID, re.AuthorKind, re.AuthorID)
		default:
			err = putReaction(tx, i.ID, re)
		}
		if err != nil {
			return fmt.Errorf("conversation: react: %w", err)
		}
		return nil
	})
}

// CustomerReacted keeps a customer's reaction to a message that the channel
// names; an empty sign takes it away. A message that we do not have is passed
// over, as is a sign that is none.
func (s *Service) CustomerReacted(ctx context.Context, account uuid.UUID, providerMessageID, sign string) error {
	var i Item
	var customer uuid.UUID
	err := s.Tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if i, err = itemByProvider(r, account, providerMessageID); err != nil {
			return err
		}
		c, err := ByID(r, i.ConversationID)
		customer = c.ContactID
		return err
	})
	if db.IsNoRow(err) || err == nil && sign != "" && !emoji(sign) {
		return nil
	}
	if err == nil {
		_, err = s.reacted(ctx, i.ConversationID, i.ID, Reaction{Emoji: sign, AuthorKind: ByContact, AuthorID: customer}, false)
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
