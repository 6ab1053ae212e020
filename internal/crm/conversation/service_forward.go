package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// addresses reads a list of e-mail addresses, each once; a malformed one, or one
// that mail servers do not take, is a refusal on the field, never dropped.
func addresses(field string, list []string) ([]string, error) {
	out, seen := []string{}, map[string]bool{}
	for _, text := range list {
		a, ok := address.ParseEmail(text)
		if !ok || !a.ASCII() {
			return nil, fault.Invalid(field, "invalid_address")
		}
		if !seen[a.Key] {
			seen[a.Key], out = true, append(out, a.Address)
		}
	}
	return out, nil
}

// Forward sends a message or a note to people outside by e-mail and says whom.
func (s *Service) Forward(ctx context.Context, id, item uuid.UUID, f Forwarded) ([]string, error) {
	ctx = idempotency.View(ctx, func(Item) Forwarding { return Forwarding{To: f.To, Delivery: Queued} })
	_, err := s.ChangeItem(ctx, id, item, func(tx *db.Tx, c *Conversation, i *Item) (err error) {
		if f.To, err = addresses("to", f.To); err != nil {
			return err
		}
		if i.Kind == Event {
			return fault.New(fault.Conflict).Because(LockedEvent)
		}
		// There is nothing to show for it but the sending, so it is refused
		// rather than pretended.
		if c.Test || i.test {
			return fault.New(fault.TestEnvironment)
		}
		if err := filled(&tx.Reader, i); err != nil {
			return err
		}
		me := &Item{AuthorKind: string(caller.From(ctx).Kind), AuthorID: &caller.From(ctx).ID}
		if f.Agent, err = s.authorName(&tx.Reader, c, me); err != nil {
			return err
		}
		if f.Author, err = s.authorName(&tx.Reader, c, i); err != nil {
			return err
		}
		f.Note, f.At, f.Body, f.Files = strings.TrimSpace(f.Note), i.CreatedAt, i.Body, outgoingFiles(i)
		f.ConversationID = c.ID
		if c.Channel == Mail {
			f.MailboxID = c.ChannelAccountID
		}
		if f.Subject = c.Subject; f.Subject == "" {
			f.Subject = c.ContactName
		}
		if err := s.forwarder.Forward(tx, f); err != nil {
			return fmt.Errorf("conversation: forward: %w", err)
		}
		if err := s.record(tx, *c, c, "forwarded", map[string]any{"item_id": i.ID, "to": f.To}); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_forwarded", i.ID.String(), map[string]any{"conversation": c.ID, "to": f.To})
	})
	return f.To, err
}

// NotForwarded writes down that a forwarded message did not arrive.
func (s *Service) NotForwarded(ctx context.Context, id uuid.UUID, to []string, reason string) error {
	_, err := s.Change(ctx, id, func(tx *db.Tx, was Conversation) (Conversation, error) {
		c := was
		return c, s.record(tx, was, &c, "channel_delivery_failed", map[string]any{"to": to, "error": reason, "channel": Mail})
	})
	return err
}

// SetCopies replaces who gets a copy of e-mail answers.
func (s *Service) SetCopies(ctx context.Context, id uuid.UUID, list []string) (out []string, err error) {
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := lockUnmerged(tx, id); err != nil {
			return err
		}
		if out, err = addresses("email_cc", list); err != nil {
			return err
		}
		if err := putCopies(tx, id, out); err != nil {
			return fmt.Errorf("conversation: copies: %w", err)
		}
		return audit.Write(tx, "conversation.email_cc_set", id.String(), map[string]any{"email_cc": out})
	})
	return out, err
}
