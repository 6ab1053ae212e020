package conversation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// ReadItem runs fn on an item of a conversation.
func (s *Service) ReadItem(ctx context.Context, id, item uuid.UUID, fn func(*db.Reader, *Conversation, *Item) error) error {
	return s.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		c, err := ByID(r, id)
		if err != nil {
			return db.OrNotFound(err)
		}
		i, err := itemOf(r, id, item)
		if err != nil {
			return db.OrNotFound(err)
		}
		return fn(r, &c, &i)
	})
}

// ChangeItem runs fn on an item whose conversation is locked, and tells open
// panels what became of it.
func (s *Service) ChangeItem(ctx context.Context, id, item uuid.UUID, fn func(*db.Tx, *Conversation, *Item) error) (i Item, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &i, func(tx *db.Tx) error {
		c, err := LockLive(tx, id)
		if err != nil {
			return err
		}
		if i, err = itemOf(&tx.Reader, id, item); err != nil {
			return db.OrNotFound(err)
		}
		err = fn(tx, &c, &i)
		if err != nil && !errors.Is(err, errUnchanged) {
			return err
		}
		if errors.Is(err, errUnchanged) {
			return FillItem(&tx.Reader, &i)
		}
		if err := FillItem(&tx.Reader, &i); err != nil {
			return err
		}
		return s.Announce(tx, []string{ItemChanged}, nil, &c, &i)
	})
	return i, err
}

// errUnchanged says that there is nothing to write and nothing to tell.
var errUnchanged = errors.New("conversation: the item is as it was")

// editPolicyOf applies the policy to the caller.
func editPolicyOf(ctx context.Context, c *Conversation, i *Item, now clock.Source) EditPolicy {
	who := caller.From(ctx)
	mine := i.AuthorID != nil && *i.AuthorID == who.ID && i.AuthorKind == string(who.Kind) || typedBy(ctx, i)
	return policy(i, c.MergedIntoID != nil, mine, who.Can(perm.ConversationsDelete), now.Now())
}

// refusal turns a reason of the policy into an answer.
func refusal(reason string) error {
	if reason == otherAuthor {
		return Forbidden(perm.ConversationsDelete).Because(reason)
	}
	return fault.New(fault.Conflict).Because(reason)
}

// EditPolicy says what the caller may do with an item.
func (s *Service) EditPolicy(ctx context.Context, id, item uuid.UUID) (p EditPolicy, err error) {
	err = s.ReadItem(ctx, id, item, func(_ *db.Reader, c *Conversation, i *Item) error {
		p = editPolicyOf(ctx, c, i, s.db.Clock())
		return nil
	})
	return p, err
}

// EditItem gives a message or a note another text; what it said is kept. Nil
// mentions stay as they are.
func (s *Service) EditItem(ctx context.Context, id, item uuid.UUID, body string, mentions *[]uuid.UUID) (Item, error) {
	return s.ChangeItem(ctx, id, item, func(tx *db.Tx, c *Conversation, i *Item) error {
		if p := editPolicyOf(ctx, c, i, s.db.Clock()); !p.CanEdit {
			return refusal(*p.EditReason)
		}
		body = strings.TrimSpace(body)
		if err := FillItem(&tx.Reader, i); err != nil {
			return err
		}
		if body == "" && len(i.Attachments) == 0 {
			return fault.Invalid("body", "required")
		}
		recalled := false
		if mentions != nil {
			if i.Kind != Note && len(*mentions) > 0 {
				return fault.Invalid("mentions", "notes_only")
			}
			var err error
			if recalled, err = s.changeMentions(tx, i, *mentions); err != nil {
				return err
			}
		}
		if body == i.Body {
			if recalled {
				return nil
			}
			return errUnchanged
		}
		who := AuthorFrom(tx)
		old := Edition{ID: tx.NewID(), Body: i.Body, EditorKind: who.Kind, EditorID: who.ID, EditedAt: clock.At(tx.Now())}
		if err := putEdition(tx, i.ID, old); err != nil {
			return fmt.Errorf("conversation: keep edition: %w", err)
		}
		i.Body, i.EditedAt = body, &old.EditedAt
		if err := setBody(tx, i); err != nil {
			return fmt.Errorf("conversation: edit: %w", err)
		}
		if err := s.refreshPreview(tx, c); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_edited", i.ID.String(), map[string]string{"conversation": c.ID.String()})
	})
}

// Editions lists what an item said before.
func (s *Service) Editions(ctx context.Context, id, item uuid.UUID, p db.Page) (out db.List[Edition], err error) {
	err = s.ReadItem(ctx, id, item, func(r *db.Reader, _ *Conversation, i *Item) (err error) {
		out, err = editions(r, i.ID, p)
		return err
	})
	return out, err
}

// DeleteItem hides a message or a note.
func (s *Service) DeleteItem(ctx context.Context, id, item uuid.UUID) error {
	_, err := s.ChangeItem(ctx, id, item, func(tx *db.Tx, c *Conversation, i *Item) error {
		if p := editPolicyOf(ctx, c, i, s.db.Clock()); !p.CanDelete {
			return refusal(*p.DeleteReason)
		}
		i.DeletedAt = clock.Ptr(tx.Now())
		if err := setDeleted(tx, i); err != nil {
			return fmt.Errorf("conversation: delete item: %w", err)
		}
		if err := s.refreshPreview(tx, c); err != nil {
			return err
		}
		return audit.Write(tx, "conversation.item_deleted", i.ID.String(), map[string]string{"conversation": c.ID.String()})
	})
	return err
}

// refreshPreview shows the newest message that is left in lists.
func (s *Service) refreshPreview(tx *db.Tx, c *Conversation) error {
	was := c.Preview
	if err := s.SetNewestPreview(tx, c); err != nil || c.Preview == was {
		return err
	}
	c.UpdatedAt = clock.At(tx.Now())
	return Save(tx, c, c.State)
}

// SetNewestPreview sets the preview to the newest message that is left.
func (s *Service) SetNewestPreview(tx *db.Tx, c *Conversation) error {
	last, err := LastMessage(&tx.Reader, c.ID)
	if db.IsNoRow(err) {
		c.Preview = ""
		return nil
	}
	if err == nil {
		err = FillItem(&tx.Reader, &last)
	}
	c.Preview = PreviewOf(&last)
	return err
}

// Email is the original of a message that came or went by e-mail.
func (s *Service) Email(ctx context.Context, id, item uuid.UUID) (e Email, err error) {
	err = s.ReadItem(ctx, id, item, func(r *db.Reader, _ *Conversation, i *Item) error {
		if e, err = emailOf(r, i.ID); db.IsNoRow(err) {
			return fault.New(fault.NotFound).Because("no_email")
		}
		return err
	})
	return e, err
}

// RawEmail opens the message as it came over the wire.
func (s *Service) RawEmail(ctx context.Context, id, item uuid.UUID) (Email, io.ReadSeekCloser, error) {
	e, err := s.Email(ctx, id, item)
	if err != nil {
		return e, nil, err
	}
	if e.RawBlobID == nil {
		return e, nil, fault.New(fault.NotFound).Because("no_original")
	}
	f, err := s.blobs.Open(ctx, caller.From(ctx).TenantID, *e.RawBlobID)
	return e, f, err
}

// KeepEmail writes down as which e-mail an item went out, in the transaction
// that sent it. Inbound.Email does the same for what comes in.
func (s *Service) KeepEmail(tx *db.Tx, item uuid.UUID, e Email) error {
	if e.RawBlobID != nil {
		if err := blob.Hold(tx, *e.RawBlobID); err != nil {
			return err
		}
	}
	replaced, err := putEmail(tx, item, &e)
	if err != nil {
		return fmt.Errorf("conversation: keep e-mail: %w", err)
	}
	if replaced != nil {
		return blob.Drop(tx, *replaced)
	}
	return nil
}

// AISources lists what an answer of the assistant relied on; nothing for what
// others wrote.
func (s *Service) AISources(ctx context.Context, id, item uuid.UUID) (out []AISource, err error) {
	err = s.ReadItem(ctx, id, item, func(r *db.Reader, _ *Conversation, i *Item) (err error) {
		out, err = sourcesOf(r, i.ID)
		return err
	})
	return out, err
}

// MarkFirstReply writes down that the first answer of a conversation leaves now;
// where one left before, it changes nothing.
func (s *Service) MarkFirstReply(tx *db.Tx, c *Conversation) error {
	if c.FirstReplyAt != nil {
		return nil
	}
	markAnswered(tx, c)
	c.UpdatedAt = clock.At(tx.Now())
	return Save(tx, c, c.State)
}
