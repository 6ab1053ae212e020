package file

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

// Config is what the package needs.
type Config struct {
	DB    *db.DB
	Blobs *blob.Store
}

// Service stores and opens the files of messages.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Prepare stores a file that a channel brings, for Inbound or Answer. Of a file that
// may not be kept, only the name is recorded, so that what a customer sent does not
// vanish without a trace. It must not be called inside a transaction.
//
// It is for files that were already accepted from the sender, so it does not refuse
// them when the storage is full; PrepareWithin is for all others.
func (s *Service) Prepare(ctx context.Context, name, declared string, r io.Reader) (Prepared, error) {
	return prepare(name, declared, r, func(r io.Reader) (blob.Blob, error) {
		return s.Blobs.Put(ctx, caller.From(ctx).TenantID, r, MaxSize)
	})
}

// PrepareWithin stores a file as Prepare does, and returns storage_full if the pool is too
// full for it.
func (s *Service) PrepareWithin(ctx context.Context, pool blob.Pool, name, declared string, r io.Reader) (Prepared, error) {
	return prepare(name, declared, r, func(r io.Reader) (blob.Blob, error) {
		return s.Blobs.PutWithin(ctx, caller.From(ctx).TenantID, pool, r, MaxSize)
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
		p.Size, err = io.Copy(io.Discard, io.LimitReader(head, MaxSize+1))
		return p, err
	}
	b, err := put(head)
	if errors.Is(err, blob.ErrTooLarge) {
		p.Blocked, p.Size = BlockedSize, MaxSize+1
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("file: store: %w", err)
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
		return a, fault.New(fault.BodyTooLarge, MaxSize)
	case p.Blocked != "":
		return a, fault.Invalid("file", p.Blocked).Because(p.Type)
	case p.Size == 0:
		return a, fault.Invalid("file", "required")
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		who := caller.From(ctx)
		a = p.Attachment()
		a.ID, a.CreatedAt, a.uploader, a.test = tx.NewID(), clock.At(tx.Now()), &who.ID, who.Test
		if err := blob.Hold(tx, *a.BlobID); err != nil {
			return err
		}
		return put(tx, &a, nil)
	})
	return a, err
}

// Discard removes an upload that was not attached to anything.
func (s *Service) Discard(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		me := caller.From(ctx).ID
		if _, err := byID(&tx.Reader, id, me); err != nil {
			return db.NotFound(err)
		}
		found, err := lockUnattached(tx, []uuid.UUID{id}, me)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.New(fault.Conflict).Because("attached")
		}
		return Remove(tx, []uuid.UUID{id})
	})
}

// Remove deletes uploads that belong to no item, and releases their blobs.
func Remove(tx *db.Tx, ids []uuid.UUID) error {
	blobs, err := drop(tx, ids)
	if err != nil {
		return fmt.Errorf("file: drop: %w", err)
	}
	for _, id := range blobs {
		if err := blob.Drop(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// Open finds a file and opens it.
func (s *Service) Open(ctx context.Context, id uuid.UUID) (a Attachment, content io.ReadSeekCloser, err error) {
	who := caller.From(ctx)
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		a, err = byID(r, id, who.ID)
		return db.NotFound(err)
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
	content, err = s.Blobs.Open(ctx, who.TenantID, *a.BlobID)
	return a, content, err
}

// ReadFile opens a file of an outgoing message; channels use it to read the bytes.
func (s *Service) ReadFile(ctx context.Context, f Outgoing) (io.ReadSeekCloser, error) {
	return s.Blobs.Open(ctx, caller.From(ctx).TenantID, f.BlobID)
}

// LostReason returns why the content of a file cannot be sent, file_missing or
// file_damaged, from an error of ReadFile or of reading what it returned. It returns false
// for any other error, after which the file may be readable later.
func LostReason(err error) (string, bool) {
	for _, code := range []fault.Code{fault.FileMissing, fault.FileDamaged} {
		if fault.Is(err, code) {
			return string(code), true
		}
	}
	return "", false
}

// Take collects the files of an item that is about to be written: the caller's uploads,
// which are locked, and prepared files. It returns a validation fault on attachments if
// there are too many, or if an upload is not the caller's or is already attached.
func Take(tx *db.Tx, uploads []uuid.UUID, prepared []Prepared) ([]Attachment, error) {
	list := []Attachment{}
	uploads = slices.Clone(uploads)
	slices.SortFunc(uploads, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	uploads = slices.Compact(uploads)
	if len(uploads)+len(prepared) > MaxPerItem {
		return nil, fault.Invalid("attachments", "too_many")
	}
	if len(uploads) > 0 {
		found, err := lockUnattached(tx, uploads, caller.From(tx.Context()).ID)
		if err != nil {
			return nil, fmt.Errorf("file: uploads: %w", err)
		}
		if len(found) < len(uploads) {
			return nil, fault.Invalid("attachments", "unknown_attachment")
		}
		slices.SortFunc(found, func(a, b Attachment) int { return slices.Compare(a.ID[:], b.ID[:]) })
		list = found
	}
	for _, p := range prepared {
		a := p.Attachment()
		a.ID, a.CreatedAt = tx.NewID(), clock.At(tx.Now())
		list = append(list, a)
	}
	return list, nil
}

// Attach adds files to a newly written item: uploads are assigned to it, prepared files
// become rows.
func Attach(tx *db.Tx, item uuid.UUID, test bool, list []Attachment) error {
	for n := range list {
		a := &list[n]
		if !a.fresh {
			if err := claim(tx, a.ID, item); err != nil {
				return fmt.Errorf("file: attach: %w", err)
			}
			continue
		}
		a.test = test
		if a.BlobID != nil {
			if err := blob.Hold(tx, *a.BlobID); err != nil {
				return err
			}
		}
		if err := put(tx, a, &item); err != nil {
			return fmt.Errorf("file: attach: %w", err)
		}
		a.fresh = false
	}
	return nil
}

const (
	// keepUploads is how long an upload waits for its item.
	keepUploads = 24 * time.Hour
	sweepRound  = 200
)

// CleanUploads removes old uploads that were never attached and returns the number found.
func (s *Service) CleanUploads(ctx context.Context) (int, error) {
	var rows []forgottenUpload
	err := s.DB.System("upload sweep").Read(ctx, func(r *db.Reader) (err error) {
		rows, err = listForgotten(r, clock.At(s.DB.Clock().Now().Add(-keepUploads)), sweepRound)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("file: forgotten uploads: %w", err)
	}
	for _, d := range rows {
		err := s.DB.Tenant(d.tenant).InTx(ctx, func(tx *db.Tx) error {
			if still, err := stillWaiting(tx, d.id); err != nil || !still {
				return err
			}
			return Remove(tx, []uuid.UUID{d.id})
		})
		if err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// OpenOn opens a file of a message that went over a channel account, in one conversation or
// in any (nil); other files are not_found.
func (s *Service) OpenOn(ctx context.Context, account uuid.UUID, conversation *uuid.UUID, id uuid.UUID) (a Attachment, content io.ReadSeekCloser, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		theirs, err := attachedOn(r, account, conversation, id)
		if err == nil && !theirs {
			err = fault.New(fault.NotFound)
		}
		return err
	})
	if err != nil {
		return a, nil, err
	}
	return s.Open(ctx, id)
}
