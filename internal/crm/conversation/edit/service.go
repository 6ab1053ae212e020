package edit

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/crm/conversation"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// Config is what the package needs.
type Config struct {
	DB            *db.DB
	Conversations *conversation.Service
}

// Service edits and deletes items.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// editPolicyOf applies the policy to the caller.
func editPolicyOf(ctx context.Context, c *conversation.Conversation, i *conversation.Item, now clock.Source) EditPolicy {
	who := caller.From(ctx)
	mine := i.AuthorID != nil && *i.AuthorID == who.ID && i.AuthorKind == string(who.Kind) || typedBy(ctx, i)
	return policy(i, c.MergedIntoID != nil, mine, who.Can(perm.ConversationsDelete), now.Now())
}

// refusal turns a reason of the policy into a fault.
func refusal(reason string) error {
	if reason == otherAuthor {
		return fault.Lacking(perm.ConversationsDelete).Because(reason)
	}
	return fault.New(fault.Conflict).Because(reason)
}

// Policy returns what the caller may do with an item.
func (s *Service) Policy(ctx context.Context, id, item uuid.UUID) (EditPolicy, error) {
	return conversation.ReadItem(ctx, s.Conversations, id, item, func(_ *db.Reader, c *conversation.Conversation, i *conversation.Item) (EditPolicy, error) {
		return editPolicyOf(ctx, c, i, s.DB.Clock()), nil
	})
}

// Edit replaces the text of a message or a note and keeps the earlier text. Nil mentions
// stay as they are.
func (s *Service) Edit(ctx context.Context, id, item uuid.UUID, body string, mentions *[]uuid.UUID) (conversation.Item, error) {
	return s.Conversations.ChangeItem(ctx, id, item, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if p := editPolicyOf(ctx, c, i, s.DB.Clock()); !p.CanEdit {
			return refusal(*p.EditReason)
		}
		body = strings.TrimSpace(body)
		if err := conversation.FillItem(&tx.Reader, i); err != nil {
			return err
		}
		if body == "" && len(i.Attachments) == 0 {
			return fault.Invalid("body", "required")
		}
		recalled := false
		if mentions != nil {
			if i.Kind != conversation.Note && len(*mentions) > 0 {
				return fault.Invalid("mentions", "notes_only")
			}
			var err error
			if recalled, err = s.Conversations.ChangeMentions(tx, i, *mentions); err != nil {
				return err
			}
		}
		if body == i.Body {
			if recalled {
				return nil
			}
			return conversation.ErrUnchanged
		}
		if err := s.setBody(tx, c, i, body, conversation.AuthorFrom(tx)); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_edited", i.ID.String(), map[string]string{"conversation": c.ID.String()})
	})
}

// setBody replaces the text of an item and keeps the earlier text.
func (s *Service) setBody(tx *db.Tx, c *conversation.Conversation, i *conversation.Item, body string, by conversation.Author) error {
	old := Edition{ID: tx.NewID(), Body: i.Body, EditorKind: by.Kind, EditorID: by.ID, EditedAt: clock.At(tx.Now())}
	if err := putEdition(tx, i.ID, old); err != nil {
		return fmt.Errorf("conversation: keep edition: %w", err)
	}
	i.Body, i.EditedAt = body, &old.EditedAt
	if err := conversation.SetBody(tx, i); err != nil {
		return fmt.Errorf("conversation: edit: %w", err)
	}
	return s.Conversations.RefreshPreview(tx, c)
}

// Revisions lists the earlier texts of an item.
func (s *Service) Revisions(ctx context.Context, id, item uuid.UUID, p db.Page) (db.List[Edition], error) {
	return conversation.ReadItem(ctx, s.Conversations, id, item, func(r *db.Reader, _ *conversation.Conversation, i *conversation.Item) (db.List[Edition], error) {
		return editions(r, i.ID, p)
	})
}

// Delete hides a message or a note.
func (s *Service) Delete(ctx context.Context, id, item uuid.UUID) error {
	_, err := s.Conversations.ChangeItem(ctx, id, item, func(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
		if p := editPolicyOf(ctx, c, i, s.DB.Clock()); !p.CanDelete {
			return refusal(*p.DeleteReason)
		}
		if err := s.hide(tx, c, i); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_deleted", i.ID.String(), map[string]string{"conversation": c.ID.String()})
	})
	return err
}

// hide marks an item as deleted.
func (s *Service) hide(tx *db.Tx, c *conversation.Conversation, i *conversation.Item) error {
	i.DeletedAt = clock.Ptr(tx.Now())
	if err := conversation.SetDeleted(tx, i); err != nil {
		return fmt.Errorf("conversation: delete item: %w", err)
	}
	return s.Conversations.RefreshPreview(tx, c)
}
