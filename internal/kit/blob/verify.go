package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// The kinds of damage of a blob, as in its row and Finding.
const (
	Missing = "missing"
	Damaged = "damaged"
)

// Open opens a blob after checking its size. The caller must close the result.
// Reading it from the beginning returns the last bytes only if the whole blob has
// the right hash, and ErrDamaged otherwise.
//
// It returns file_missing (which is also ErrMissing) if the blob or its bytes do
// not exist, and file_damaged (ErrDamaged) if they differ from those that were
// stored.
func (s *Store) Open(ctx context.Context, tenant, id uuid.UUID) (io.ReadSeekCloser, error) {
	r, err := s.open(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// OpenFile opens a blob that can be read in any order. It first reads the whole blob, and
// returns the errors of Open, also for a wrong hash. A blob on an S3 service is copied to a
// temporary file that disappears when closed.
func (s *Store) OpenFile(ctx context.Context, tenant, id uuid.UUID) (*os.File, error) {
	r, err := s.open(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	if f, ok := r.file.(*os.File); ok {
		if _, err := io.Copy(io.Discard, r); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
	defer func() { _ = r.Close() }()
	return s.Spool(r, r.blob.Size)
}

// open is Open with its concrete result.
func (s *Store) open(ctx context.Context, tenant, id uuid.UUID) (*checkedReader, error) {
	k, err := db.Read(ctx, s.db.Tenant(tenant), func(r *db.Reader) (kept, error) { return find(r, id) })
	if err != nil {
		return nil, db.IfNoRow(fmt.Errorf("blob: open: %w", err), asFault(ErrMissing))
	}
	if k.damage != "" { // it may have been restored since
		if err := s.verify(ctx, k); err != nil {
			return nil, asFault(err)
		}
	}
	f, err := s.openSized(ctx, k)
	if isFinding(err) {
		return nil, asFault(errors.Join(err, s.record(ctx, k, err)))
	}
	if err != nil {
		return nil, err
	}
	return &checkedReader{file: f, hash: sha256.New(), blob: k.Blob, damaged: func() error {
		// The reader may have been cancelled by now; the finding is recorded anyway.
		return asFault(errors.Join(ErrDamaged, s.verify(context.WithoutCancel(ctx), k)))
	}}, nil
}

// asFault turns a finding into the caller's fault, and returns other errors unchanged.
func asFault(err error) error {
	switch {
	case errors.Is(err, ErrMissing):
		return fault.New(fault.FileMissing).Wrap(err)
	case errors.Is(err, ErrDamaged):
		return fault.New(fault.FileDamaged).Wrap(err)
	}
	return err
}

// isFinding reports whether an error concerns the blob itself and not its storage.
func isFinding(err error) bool { return errors.Is(err, ErrMissing) || errors.Is(err, ErrDamaged) }

// openSized opens the bytes of a blob. It returns ErrMissing if they do not exist and
// ErrDamaged if their number differs from the stored size.
func (s *Store) openSized(ctx context.Context, k kept) (io.ReadSeekCloser, error) {
	f, size, err := s.back.open(ctx, name(k.tenant, k.ID))
	if err != nil {
		return nil, err
	}
	if size != k.Size {
		return nil, errors.Join(fmt.Errorf("%w: %d bytes instead of %d", ErrDamaged, size, k.Size), f.Close())
	}
	return f, nil
}

// verify reads the whole blob and records the result. It returns ErrMissing or ErrDamaged
// if that is the result, and another error if the blob cannot be read now.
func (s *Store) verify(ctx context.Context, k kept) error {
	found := s.read(ctx, k)
	if found != nil && !isFinding(found) {
		return found
	}
	return errors.Join(found, s.record(ctx, k, found))
}

// read reads the whole blob and returns the same errors as verify.
func (s *Store) read(ctx context.Context, k kept) error {
	f, err := s.openSized(ctx, k)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(io.Discard, &checkedReader{file: f, hash: sha256.New(), blob: k.Blob, damaged: func() error { return ErrDamaged }})
	if err != nil && !isFinding(err) {
		return fmt.Errorf("blob: verify: %w", err)
	}
	return err
}

const (
	// checkEvery is the time after which an intact blob is read again.
	checkEvery = 30 * 24 * time.Hour
	// recheckEvery is the same for a damaged blob, which somebody may have restored.
	recheckEvery = 24 * time.Hour
)

// record records the result of reading a blob: nil for nothing wrong. A new finding is
// logged as an error. A blob that is being removed is left alone.
func (s *Store) record(ctx context.Context, k kept, found error) error {
	damage, next := "", checkEvery
	switch {
	case errors.Is(found, ErrMissing):
		damage, next = Missing, recheckEvery
	case found != nil:
		damage, next = Damaged, recheckEvery
	}
	changed, err := db.Write(ctx, s.db.Tenant(k.tenant), func(tx *db.Tx) (bool, error) {
		return setDamage(tx, k.ID, damage, clock.At(tx.Now().Add(next)))
	})
	switch {
	case err != nil:
		return fmt.Errorf("blob: record: %w", err)
	case changed && damage != "":
		s.log.ErrorContext(ctx, "a stored file is "+damage, "tenant", k.tenant, "blob", k.ID, "file", name(k.tenant, k.ID), "reason", found)
	case changed:
		s.log.InfoContext(ctx, "a stored file is intact again", "tenant", k.tenant, "blob", k.ID)
	}
	return nil
}

// restore writes the bytes of a known blob again if the store has lost or damaged them.
func (s *Store) restore(ctx context.Context, tenant uuid.UUID, b Blob, f *os.File) error {
	k := kept{Blob: b, tenant: tenant}
	err := s.verify(ctx, k)
	if !isFinding(err) {
		return err
	}
	if err := s.back.put(ctx, name(tenant, b.ID), f, b.Size); err != nil {
		return fmt.Errorf("blob: put: %w", err)
	}
	return s.record(ctx, k, nil)
}

// checkedReader hashes a blob while it is read from its beginning.
type checkedReader struct {
	file io.ReadSeekCloser
	blob Blob
	// hash covers the first hashed bytes of the file; at is where the next read begins.
	hash       hash.Hash
	hashed, at int64
	// damaged is called if the file differs from the blob; the reader returns its error.
	damaged func() error
}

// Read implements io.Reader. It returns damaged's error instead of the last bytes if the
// whole file was read and differs from the blob.
func (r *checkedReader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	follows := r.at == r.hashed
	r.at += int64(n)
	if follows && n > 0 {
		r.hash.Write(p[:n])
		r.hashed = r.at
		if r.hashed >= r.blob.Size && !bytes.Equal(r.hash.Sum(nil), r.blob.Hash) {
			return 0, r.damaged()
		}
	}
	// A file that the disk cannot read is lost, as is a truncated one.
	if errors.Is(err, io.EOF) && r.at < r.blob.Size || errors.Is(err, syscall.EIO) {
		return 0, r.damaged()
	}
	return n, err
}

// Seek implements io.Seeker.
func (r *checkedReader) Seek(offset int64, whence int) (int64, error) {
	at, err := r.file.Seek(offset, whence)
	if err != nil {
		return at, err
	}
	if r.at = at; at == 0 {
		r.hash.Reset()
		r.hashed = 0
	}
	return at, nil
}

// Close implements io.Closer.
func (r *checkedReader) Close() error { return r.file.Close() }
