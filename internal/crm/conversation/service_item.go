package conversation

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/count"
	"konak/internal/crm/conversation/hourly"
	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
)

// ReadConversation returns what fn reads of a conversation; not_found if it does not exist.
func ReadConversation[T any](ctx context.Context, s *Service, id uuid.UUID, fn func(*db.Reader, *Conversation) (T, error)) (T, error) {
	return db.Read(ctx, s.Tenant(ctx), func(r *db.Reader) (none T, err error) {
		c, err := ByID(r, id)
		if err != nil {
			return none, db.NotFound(err)
		}
		return fn(r, &c)
	})
}

// ReadItem returns what fn reads of an item of a conversation; not_found if one of the two
// does not exist.
func ReadItem[T any](ctx context.Context, s *Service, id, item uuid.UUID, fn func(*db.Reader, *Conversation, *Item) (T, error)) (T, error) {
	return ReadConversation(ctx, s, id, func(r *db.Reader, c *Conversation) (none T, err error) {
		i, err := ItemOf(r, id, item)
		if err != nil {
			return none, db.NotFound(err)
		}
		return fn(r, c, &i)
	})
}

// ChangeItem runs fn on an item whose conversation is locked, and announces the changed
// item to open panels.
func (s *Service) ChangeItem(ctx context.Context, id, item uuid.UUID, fn func(*db.Tx, *Conversation, *Item) error) (i Item, err error) {
	err = idempotency.Do(ctx, s.Tenant(ctx), &i, func(tx *db.Tx) error {
		c, err := LockLive(tx, id)
		if err != nil {
			return err
		}
		if i, err = ItemOf(&tx.Reader, id, item); err != nil {
			return db.NotFound(err)
		}
		err = fn(tx, &c, &i)
		if err != nil && !errors.Is(err, ErrUnchanged) {
			return err
		}
		if errors.Is(err, ErrUnchanged) {
			return FillItem(&tx.Reader, &i)
		}
		return s.AnnounceItem(tx, &c, &i)
	})
	return i, err
}

// ErrUnchanged means that there is nothing to write or announce.
var ErrUnchanged = errors.New("conversation: the item has not changed")

// RefreshPreview sets the preview to the newest remaining message and saves the
// conversation.
func (s *Service) RefreshPreview(tx *db.Tx, c *Conversation) error {
	was := c.Preview
	if err := s.SetNewestPreview(tx, c); err != nil || c.Preview == was {
		return err
	}
	c.UpdatedAt = clock.At(tx.Now())
	return Save(tx, c, c.State)
}

// SetNewestPreview sets the preview to the newest remaining message.
func (s *Service) SetNewestPreview(tx *db.Tx, c *Conversation) error {
	last, err := LastMessage(&tx.Reader, c.ID)
	if db.IsNoRow(err) {
		c.Preview, c.PreviewAuthorKind, c.PreviewAuthorID = "", nil, nil
		return nil
	}
	if err == nil {
		err = FillItem(&tx.Reader, &last)
	}
	c.SetPreview(&last)
	return err
}

// Email returns the original of a message that was received or sent by e-mail.
func (s *Service) Email(ctx context.Context, id, item uuid.UUID) (Email, error) {
	return ReadItem(ctx, s, id, item, func(r *db.Reader, _ *Conversation, i *Item) (Email, error) {
		e, err := emailOf(r, i.ID)
		return e, db.IfNoRow(err, fault.New(fault.NotFound).Because("no_email"))
	})
}

// RawEmail opens the message as it was transferred.
func (s *Service) RawEmail(ctx context.Context, id, item uuid.UUID) (Email, io.ReadSeekCloser, error) {
	e, err := s.Email(ctx, id, item)
	if err != nil {
		return e, nil, err
	}
	if e.RawBlobID == nil {
		return e, nil, fault.New(fault.NotFound).Because("no_original")
	}
	f, err := s.Blobs.Open(ctx, caller.From(ctx).TenantID, *e.RawBlobID)
	return e, f, err
}

// KeepEmail stores the e-mail that an item went out as, in the transaction that sent it.
// Inbound.Email does the same for received items.
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

// AISources lists what an answer of the assistant relied on; it is empty for items of
// others.
func (s *Service) AISources(ctx context.Context, id, item uuid.UUID) ([]AISource, error) {
	return ReadItem(ctx, s, id, item, func(r *db.Reader, _ *Conversation, i *Item) ([]AISource, error) { return sourcesOf(r, i.ID) })
}

// MarkLateAnswer records that a message which had failed is sent after all: it becomes the
// first answer if there is no other, and the customer waits only for what they wrote after
// it.
func (s *Service) MarkLateAnswer(tx *db.Tx, c *Conversation) error {
	was, changed := *c, false
	if c.FirstReplyAt == nil {
		c.FirstReplyAt, changed = clock.Ptr(tx.Now()), true
	}
	if c.WaitingSince != nil {
		since, err := UnansweredSince(&tx.Reader, c)
		if err != nil {
			return err
		}
		if since == nil || since.After(c.WaitingSince.Time) {
			c.WaitingSince, changed = since, true
		}
	}
	if !changed {
		return nil
	}
	c.UpdatedAt = clock.At(tx.Now())
	if err := addHour(tx, c, hourly.Happened{FirstReply: c.FirstReplyAt}); err != nil {
		return err
	}
	if err := Save(tx, c, c.State); err != nil {
		return err
	}
	return count.Move(tx, countKeyOf(&was), countKeyOf(c), c.ID)
}

// AddItem adds an entry to a timeline and changes nothing else.
func (s *Service) AddItem(tx *db.Tx, c *Conversation, item *Item) error {
	assignTimestamps(tx, c, []*Item{item})
	if err := Save(tx, c, c.State); err != nil {
		return err
	}
	return s.writeDependents(tx, c, c, []*Item{item})
}

// ImportMessage puts a past message in its place of a timeline, and triggers nothing.
func (s *Service) ImportMessage(tx *db.Tx, c Conversation, item *Item, at clock.Time) error {
	assignTimestamps(tx, &c, []*Item{item})
	item.CreatedAt = at
	if err := putItem(tx, item); err != nil {
		return err
	}
	return s.writeItemParts(tx, item)
}

// MarkWaiting records that the customer waits for an answer from now on, unless they wait
// already.
func (s *Service) MarkWaiting(tx *db.Tx, c *Conversation) error {
	if c.WaitingSince != nil || c.State == Closed {
		return nil
	}
	was := *c
	c.WaitingSince = clock.Ptr(tx.Now())
	if err := Save(tx, c, c.State); err != nil {
		return err
	}
	return count.Move(tx, countKeyOf(&was), countKeyOf(c), c.ID)
}
