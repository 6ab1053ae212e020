package email

import (
	"context"
	"slices"
	"strings"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/db"
)

// handleBounce shows on a message that the mail we sent for it did not arrive.
func (s *Service) handleBounce(ctx context.Context, in *Incoming, b *message.Bounce) error {
	var l mailRecord
	known := false
	err := s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		for _, id := range b.MessageIDs {
			var err error
			if l, err = findOurMail(r, in.AccountID, id); err == nil && l.itemID != nil {
				known = true
				return nil
			} else if err != nil && !db.IsNoRow(err) {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !known:
		return s.finishIncoming(ctx, *in, Bounced, ReasonUnmatched)
	case !b.Final:
		return s.finishIncoming(ctx, *in, Bounced, ReasonDelayed)
	}
	in.ConversationID, in.ItemID = &l.conversationID, nil
	if l.isCopy(b.Recipient) {
		refused := []conversation.RefusedRecipient{{Address: b.Recipient, Reason: strings.TrimSpace(b.Status + " " + b.Reason)}}
		err = s.Inbound.RecordReport(ctx, *l.itemID, conversation.Delivery{Status: conversation.Sent, Refused: refused})
	} else {
		why := strings.TrimSpace(strings.Join([]string{b.Recipient, b.Status, b.Reason}, " "))
		err = s.Inbound.RecordOutcome(ctx, *l.itemID, conversation.Delivery{Status: conversation.Failed, Error: why})
	}
	if err := channel.IgnoreDeleted(err); err != nil {
		return err
	}
	return s.finishIncoming(ctx, *in, Bounced, b.Status)
}

// isCopy reports whether an address received a mail of ours as a copy: the first recipient
// is the person who is answered.
func (l *mailRecord) isCopy(addr string) bool {
	is := func(to string) bool { return address.Fold(to) == address.Fold(addr) }
	return len(l.recipients) > 1 && !is(l.recipients[0]) && slices.ContainsFunc(l.recipients[1:], is)
}
