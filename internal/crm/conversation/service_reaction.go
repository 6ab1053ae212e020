package conversation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Why a reaction cannot be carried out.
const (
	NoChannelCopy      = "no_channel_copy"     // the channel does not know this message
	ChannelUnsupported = "channel_unsupported" // the channel has no reactions
)

// SetReaction stores a reaction. One that was sent over a channel is the account's, which
// has one per message: it replaces a colleague's. If then is not nil, it runs in the same
// transaction.
func (s *Service) SetReaction(ctx context.Context, id, item uuid.UUID, re Reaction, ofAccount bool, then func(*db.Tx, *Conversation, *Item) error) (Item, error) {
	return s.ChangeItem(ctx, id, item, func(tx *db.Tx, c *Conversation, i *Item) error {
		re.At = clock.At(tx.Now())
		var err error
		if ofAccount {
			err = dropOurReactions(tx, i.ID)
		}
		if err == nil {
			err = PutReaction(tx, i.ID, re)
		}
		if err != nil {
			return fmt.Errorf("conversation: react: %w", err)
		}
		if then != nil {
			return then(tx, c, i)
		}
		return nil
	})
}
