package reply

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/emoji"
	"konak/internal/kit/fault"
)

// React puts the caller's reaction on a message, via the channel; an empty sign removes it.
func (s *Service) React(ctx context.Context, id, item uuid.UUID, sign string) (conversation.Item, error) {
	out, err := conversation.ReadItem(ctx, s.Conversations, id, item, func(r *db.Reader, c *conversation.Conversation, i *conversation.Item) (conversation.OutgoingReaction, error) {
		if sign != "" && !emoji.Is(sign) {
			return conversation.OutgoingReaction{}, fault.Invalid("emoji", "not_an_emoji")
		}
		return s.findReactionRoute(r, c, i)
	})
	if err != nil {
		return conversation.Item{}, err
	}
	// The channel is asked before anything is written, so that the panel shows what the
	// customer sees.
	if out.Emoji = sign; out.Route.Channel != "" {
		if err := s.Conversations.Router.(conversation.Reactor).React(ctx, out); err != nil {
			return conversation.Item{}, err
		}
	}
	who := caller.From(ctx)
	return s.Conversations.SetReaction(ctx, id, item, conversation.Reaction{Emoji: sign, AuthorKind: string(who.Kind), AuthorID: who.ID}, out.Route.Channel != "", nil)
}

// findReactionRoute finds the channel's route for a reaction; it is empty in the test
// environment.
func (s *Service) findReactionRoute(r *db.Reader, c *conversation.Conversation, i *conversation.Item) (out conversation.OutgoingReaction, err error) {
	unsupported := func(reason string) (conversation.OutgoingReaction, error) {
		return conversation.OutgoingReaction{}, fault.New(fault.ReactionUnsupported).Because(reason)
	}
	if i.Kind != conversation.Message {
		return unsupported(conversation.NoChannelCopy)
	}
	if c.Test || i.Test || caller.From(r.Context()).Test {
		return conversation.OutgoingReaction{}, nil
	}
	if reacts, ok := s.Conversations.Router.(conversation.Reactor); !ok || i.Channel == nil || i.ChannelAccountID == nil || !reacts.Reacts(*i.Channel) {
		return unsupported(conversation.ChannelUnsupported)
	}
	if i.ProviderMessageID == nil || i.Delivery != nil && *i.Delivery == conversation.Failed {
		return unsupported(conversation.NoChannelCopy)
	}
	route, err := s.Conversations.FindRoute(r, c.ContactID, conversation.Wish{Channel: *i.Channel, AccountID: i.ChannelAccountID})
	if err != nil {
		return out, err
	}
	if route == nil {
		return unsupported(string(fault.NoRoute))
	}
	return conversation.OutgoingReaction{
		ConversationID: c.ID, ItemID: i.ID, ContactID: c.ContactID, Route: *route,
		ProviderMessageID: *i.ProviderMessageID, OwnMessage: i.AuthorKind != conversation.ByContact,
	}, nil
}
