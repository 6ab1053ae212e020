package reply

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/edit"
	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// Forward sends a message or a note to outsiders by e-mail and returns the recipients.
func (s *Service) Forward(ctx context.Context, id, item uuid.UUID, f Forwarded) ([]string, error) {
	ctx = idempotency.View(ctx, func(conversation.Item) Forwarding { return Forwarding{To: f.To, Delivery: conversation.Queued} })
	_, err := s.Conversations.ChangeItem(ctx, id, item, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) (err error) {
		var ok bool
		if f.To, ok = address.ParseEmails(f.To); !ok {
			return fault.Invalid("to", "invalid_address")
		}
		if i.Kind == conversation.Event {
			return fault.New(fault.Conflict).Because(edit.LockedEvent)
		}
		// In the test environment nothing would be sent, so it is refused rather than
		// pretended.
		if c.Test || i.Test {
			return fault.New(fault.TestEnvironment)
		}
		if err := conversation.FillItem(&tx.Reader, i); err != nil {
			return err
		}
		me := &conversation.Item{AuthorKind: string(caller.From(ctx).Kind), AuthorID: &caller.From(ctx).ID}
		if f.Agent, err = s.authorName(&tx.Reader, c, me); err != nil {
			return err
		}
		if f.Author, err = s.authorName(&tx.Reader, c, i); err != nil {
			return err
		}
		f.Note, f.At, f.Body, f.Files = strings.TrimSpace(f.Note), i.CreatedAt, i.PlainBody(), outgoingFiles(i)
		f.ConversationID = c.ID
		if c.Channel == conversation.Mail {
			f.MailboxID = c.ChannelAccountID
		}
		if f.Subject = c.Subject; f.Subject == "" {
			f.Subject = c.ContactName
		}
		if err := s.checkForwarded(tx, &f); err != nil {
			return err
		}
		if err := s.Forwarder.Forward(tx, f); err != nil {
			return fmt.Errorf("conversation: forward: %w", err)
		}
		if err := s.Conversations.RecordEvent(tx, *c, c, "forwarded", map[string]any{"item_id": i.ID, "to": f.To}); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_forwarded", i.ID.String(), map[string]any{"conversation": c.ID, "to": f.To})
	})
	return f.To, s.RecordRefusal(ctx, err)
}
