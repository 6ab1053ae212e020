package conversation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/filetype"
)

// Prepare stores a file that a channel brings, for Inbound or Answer. One that
// may not be kept is remembered by its name only: what a customer sent must
// not vanish without a trace. It must not be called inside a transaction.
//
// It is for what the sender was told yes for already, so a full storage does
// not refuse it; PrepareWithin is for everything else.
func (s *Service) Prepare(ctx context.Context, name, declared string, r io.Reader) (Prepared, error) {
	return prepare(name, declared, r, func(r io.Reader) (blob.Blob, error) {
		return s.blobs.Put(ctx, caller.From(ctx).TenantID, r, MaxAttachment)
	})
}

// PrepareWithin stores a file as Prepare does, and returns storage_full where
// the pool has no room for it.
func (s *Service) PrepareWithin(ctx context.Context, pool blob.Pool, name, declared string, r io.Reader) (Prepared, error) {
	return prepare(name, declared, r, func(r io.Reader) (blob.Blob, error) {
		return s.blobs.PutWithin(ctx, caller.From(ctx).TenantID, pool, r, MaxAttachment)
	})
}

func prepare(name, declared string, r io.Reader, put func(io.Reader) (blob.Blob, error)) (Prepared, error) {
	p := Prepared{Name: name, DeclaredType: declared}
	head := bufio.NewReaderSize(r, filetype.HeadSize)
	start, err := head.Peek(filetype.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return p, err
	}
	if p.Type = filetype.Sniff(start); !filetype.Allowed(p.Type, name) {
		p.Blocked = BlockedType
		p.Size, err = io.Copy(io.Discard, head)
		return p, err
	}
	b, err := put(head)
	if errors.Is(err, blob.ErrTooLarge) {
		p.Blocked, p.Size = BlockedSize, MaxAttachment+1
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("conversation: store attachment: %w", err)
	}
	p.BlobID, p.Size = &b.ID, b.Size
	return p, nil
}

// Upload stores a file that the caller will attach to something.
func (s *Service) Upload(ctx context.Context, name, declared string, r io.Reader) (a Attachment, err error) {
	p, err := s.PrepareWithin(ctx, blob.Workspace, name, declared, r)
	switch {
	case err != nil:
		return a, err
	case p.Blocked == BlockedSize:
		return a, fault.New(fault.BodyTooLarge, MaxAttachment)
	case p.Blocked != "":
		return a, fault.Invalid("file", p.Blocked).Because(p.Type)
	case p.Size == 0:
		return a, fault.Invalid("file", "required")
	}
	err = s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		who := caller.From(ctx)
		a = p.attachment()
		a.ID, a.CreatedAt, a.uploader, a.test = tx.NewID(), clock.At(tx.Now()), &who.ID, who.Test
		if err := blob.Hold(tx, *a.BlobID); err != nil {
			return err
		}
		return putAttachment(tx, &a, nil)
	})
	return a, err
}

// Discard removes an upload that was not attached to anything.
func (s *Service) Discard(ctx context.Context, id uuid.UUID) error {
	return s.Tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		me := caller.From(ctx).ID
		if _, err := attachmentByID(&tx.Reader, id, me); err != nil {
			return db.OrNotFound(err)
		}
		found, err := waiting(tx, []uuid.UUID{id}, me)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.Conflict).Because("attached")
		}
		return s.discard(tx, []uuid.UUID{id})
	})
}

func (s *Service) discard(tx *db.Tx, ids []uuid.UUID) error {
	blobs, err := dropAttachments(tx, ids)
	if err != nil {
		return fmt.Errorf("conversation: drop attachments: %w", err)
	}
	for _, id := range blobs {
		if err := blob.Drop(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// Attachment finds a file and opens it.
func (s *Service) Attachment(ctx context.Context, id uuid.UUID) (a Attachment, content io.ReadSeekCloser, err error) {
	who := caller.From(ctx)
	err = s.Tenant(ctx).Read(ctx, func(r *db.Reader) error {
		a, err = attachmentByID(r, id, who.ID)
		return db.OrNotFound(err)
	})
	if err != nil {
		return a, nil, err
	}
	if a.Pending {
		return a, nil, fault.New(fault.Conflict).Because("pending")
	}
	if a.BlobID == nil {
		return a, nil, fault.New(fault.Conflict).Because(*a.Blocked)
	}
	content, err = s.blobs.Open(ctx, who.TenantID, *a.BlobID)
	return a, content, err
}

// ReadFile opens a file of an outgoing message; a channel's way to its bytes.
func (s *Service) ReadFile(ctx context.Context, f OutgoingFile) (io.ReadSeekCloser, error) {
	return s.blobs.Open(ctx, caller.From(ctx).TenantID, f.BlobID)
}

// take puts uploads and prepared files on an item that is about to be written.
// Both are looked at here, so that a refusal comes before anything is written.
func (s *Service) take(tx *db.Tx, item *Item, uploads []uuid.UUID, prepared []Prepared) error {
	item.Attachments = []Attachment{}
	uploads = slices.Clone(uploads)
	slices.SortFunc(uploads, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	uploads = slices.Compact(uploads)
	if len(uploads)+len(prepared) > MaxAttachments {
		return fault.Invalid("attachments", "too_many")
	}
	if len(uploads) > 0 {
		found, err := waiting(tx, uploads, caller.From(tx.Context()).ID)
		if err != nil {
			return fmt.Errorf("conversation: attachments: %w", err)
		}
		if len(found) < len(uploads) {
			return fault.Invalid("attachments", "unknown_attachment")
		}
		slices.SortFunc(found, func(a, b Attachment) int { return slices.Compare(a.ID[:], b.ID[:]) })
		item.Attachments = found
	}
	for _, p := range prepared {
		a := p.attachment()
		a.ID, a.CreatedAt = tx.NewID(), clock.At(tx.Now())
		item.Attachments = append(item.Attachments, a)
	}
	return nil
}

// bind writes what hangs on an item that was written just now.
func (s *Service) bind(tx *db.Tx, item *Item) error {
	for n := range item.Attachments {
		a := &item.Attachments[n]
		if !a.fresh {
			if err := claimAttachment(tx, a.ID, item.ID); err != nil {
				return fmt.Errorf("conversation: attach: %w", err)
			}
			continue
		}
		a.test = item.test
		if a.BlobID != nil {
			if err := blob.Hold(tx, *a.BlobID); err != nil {
				return err
			}
		}
		if err := putAttachment(tx, a, &item.ID); err != nil {
			return fmt.Errorf("conversation: attach: %w", err)
		}
		a.fresh = false
	}
	if item.email != nil {
		if err := s.KeepEmail(tx, item.ID, *item.email); err != nil {
			return err
		}
	}
	if err := s.call(tx, item, item.Mentions); err != nil {
		return err
	}
	return putSources(tx, item.ID, item.sources)
}

// filled reads what belongs to one item.
func filled(r *db.Reader, item *Item) error {
	one := []Item{*item}
	err := FillItems(r, one)
	*item = one[0]
	return err
}

// FillItems reads the files of items, the reactions to them and whom they call.
func FillItems(r *db.Reader, list []Item) error {
	ids, notes := make([]uuid.UUID, 0, len(list)), []uuid.UUID{}
	for _, i := range list {
		if i.Kind != Event {
			ids = append(ids, i.ID)
		}
		if i.Kind == Note {
			notes = append(notes, i.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	files, err := attachmentsOf(r, ids)
	if err != nil {
		return err
	}
	reactions, err := reactionsTo(r, ids)
	if err != nil {
		return err
	}
	mentions, err := mentionsIn(r, notes)
	if err != nil {
		return err
	}
	for n := range list {
		i := &list[n]
		i.Attachments, i.Tepkiler, i.Mentions = db.OrEmpty(files[i.ID]), db.OrEmpty(reactions[i.ID]), db.OrEmpty(mentions[i.ID])
	}
	return nil
}

const (
	// keepUploads is how long an upload waits for its item.
	keepUploads = 24 * time.Hour
	sweepRound  = 200
)

// CleanUploads removes uploads that nobody attached and says how many.
func (s *Service) CleanUploads(ctx context.Context) (int, error) {
	var rows []dueRow
	err := s.db.System("upload sweep").Read(ctx, func(r *db.Reader) (err error) {
		rows, err = forgotten(r, clock.At(s.db.Clock().Now().Add(-keepUploads)), sweepRound)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("conversation: forgotten uploads: %w", err)
	}
	for _, d := range rows {
		err := s.db.Tenant(d.tenant).InTx(ctx, func(tx *db.Tx) error {
			if still, err := stillWaiting(tx, d.id); err != nil || !still {
				return err
			}
			return s.discard(tx, []uuid.UUID{d.id})
		})
		if err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
