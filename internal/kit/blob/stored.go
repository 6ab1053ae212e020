package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Stored is a file that the database refers to.
type Stored struct {
	Tenant, ID uuid.UUID
	Name       string // below the folder or the prefix
	Size       int64
	Hash       []byte
}

// storedBatch is the number of rows read at a time.
const storedBatch = 1000

// EachStored calls fn with every file that the database refers to.
func EachStored(ctx context.Context, d *db.DB, fn func(Stored) error) error {
	var last kept
	for {
		list, err := db.Read(ctx, d.System("file check"), func(r *db.Reader) ([]kept, error) {
			return db.All(r, scanKept, `SELECT `+keptColumns+` FROM blob WHERE ready AND NOT going AND (tenant_id, id) > ($1, $2)
				ORDER BY tenant_id, id LIMIT $3`, last.tenant, last.ID, storedBatch)
		})
		if err != nil {
			return fmt.Errorf("blob: list: %w", err)
		}
		for _, k := range list {
			if err := fn(Stored{k.tenant, k.ID, name(k.tenant, k.ID), k.Size, k.Hash}); err != nil {
				return err
			}
		}
		if len(list) < storedBatch {
			return nil
		}
		last = list[len(list)-1]
	}
}

// CopyTo copies every file that the database refers to into another store of the same
// database, and compares size and hash on the way. Intact files that are already there are
// skipped, so it can be repeated after a crash. It returns the number of files copied and
// of those already present. A file that is missing or damaged here is an error that names
// it.
func (s *Store) CopyTo(ctx context.Context, target *Store) (copied, present int, err error) {
	err = EachStored(ctx, s.db, func(b Stored) error {
		if err := target.compare(ctx, b); err == nil {
			present++
			return nil
		} else if !isFinding(err) {
			return err
		}
		f, err := s.OpenFile(ctx, b.Tenant, b.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		defer func() { _ = f.Close() }()
		var received *os.File
		if _, err = f.Seek(0, io.SeekStart); err == nil { // it was read to compare its hash
			received, _, err = target.receive(f, b.Size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		defer func() { _ = os.Remove(received.Name()) }() // already moved if the target is a folder
		err = target.back.put(ctx, b.Name, received, b.Size)
		if err = errors.Join(err, received.Close()); err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		copied++
		return target.compare(ctx, b)
	})
	return copied, present, err
}

// compare returns nil if the store has a file with the right size and hash.
func (s *Store) compare(ctx context.Context, b Stored) error {
	return s.read(ctx, kept{Blob: Blob{ID: b.ID, Hash: b.Hash, Size: b.Size}, tenant: b.Tenant})
}

// OpenStored opens the bytes of a file, even if its record is gone. It first reads them
// once: the error is ErrMissing if they do not exist, and ErrDamaged if they differ.
func (s *Store) OpenStored(ctx context.Context, b Stored) (io.ReadCloser, error) {
	if err := s.compare(ctx, b); err != nil {
		return nil, err
	}
	f, _, err := s.back.open(ctx, name(b.Tenant, b.ID))
	return f, err
}

// PutStored writes the bytes of a file before its record is written, replacing those of an
// earlier attempt. It returns ErrDamaged or ErrTooLarge if they are not those of b.
func (s *Store) PutStored(ctx context.Context, b Stored, r io.Reader) error {
	f, got, err := s.receive(r, b.Size)
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name()) // already gone if it was moved to its place
	}()
	if got.Size != b.Size || !bytes.Equal(got.Hash, b.Hash) {
		return ErrDamaged
	}
	return s.back.put(ctx, name(b.Tenant, b.ID), f, b.Size)
}

// RemoveStored removes the bytes that PutStored wrote.
func (s *Store) RemoveStored(ctx context.Context, tenant, id uuid.UUID) error {
	return s.back.remove(ctx, name(tenant, id))
}
