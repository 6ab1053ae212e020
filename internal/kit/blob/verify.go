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

// What can be wrong with a blob, as its row and Finding have it.
const (
	Missing = "missing"
	Damaged = "damaged"
)

// Open reads a blob, whose size it has checked. Closing the result is the
// caller's. Whoever reads it from its beginning receives its last bytes only
// if the whole has the right hash, and ErrDamaged otherwise.
//
// It returns file_missing (which is ErrMissing too) where there is no such blob
// or its bytes are gone, and file_damaged (ErrDamaged) where they are not those
// that were stored.
func (s *Store) Open(ctx context.Context, tenant, id uuid.UUID) (io.ReadSeekCloser, error) {
	r, err := s.open(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// OpenFile opens a blob that can be read in any order. It reads the whole of it
// once, and returns errors as Open does, also for another hash. A blob that lies
// with an S3 service is copied to a file that is gone when it is closed.
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

// open does what Open says.
func (s *Store) open(ctx context.Context, tenant, id uuid.UUID) (*checkedReader, error) {
	k, err := db.Read(ctx, s.db.Tenant(tenant), func(r *db.Reader) (kept, error) { return find(r, id) })
	if db.IsNoRow(err) {
		return nil, asFault(ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("blob: open: %w", err)
	}
	if k.damage != "" { // it may have been brought back since
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
		// The reader may be cut off by now; the finding is written down all the same.
		return asFault(errors.Join(ErrDamaged, s.verify(context.WithoutCancel(ctx), k)))
	}}, nil
}

// asFault turns a finding into what a caller is told, and leaves other errors
// as they are.
func asFault(err error) error {
	switch {
	case errors.Is(err, ErrMissing):
		return fault.New(fault.FileMissing).Wrap(err)
	case errors.Is(err, ErrDamaged):
		return fault.New(fault.FileDamaged).Wrap(err)
	}
	return err
}

// isFinding says whether an error is about the blob itself and not about the
// place where it lies.
func isFinding(err error) bool { return errors.Is(err, ErrMissing) || errors.Is(err, ErrDamaged) }

// openSized opens the bytes of a blob. It returns ErrMissing where there are
// none and ErrDamaged where they are not as many as were stored.
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

// verify reads the whole of a blob and writes down what it finds. It returns
// ErrMissing or ErrDamaged where that is what it found, and another error where
// the blob could not be read now.
func (s *Store) verify(ctx context.Context, k kept) error {
	found := s.read(ctx, k)
	if found != nil && !isFinding(found) {
		return found
	}
	return errors.Join(found, s.record(ctx, k, found))
}

// read reads the whole of a blob and returns as verify does.
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
	// checkEvery is how long after a blob was last found whole it is read again.
	checkEvery = 30 * 24 * time.Hour
	// recheckEvery is the same for one that was not: somebody may bring it back.
	recheckEvery = 24 * time.Hour
)

// record writes down what reading a blob found: nil for nothing wrong. What is
// found for the first time is an alarm in the log. A blob that is being removed
// is left alone.
func (s *Store) record(ctx context.Context, k kept, found error) error {
	damage, next := "", checkEvery
	switch {
	case errors.Is(found, ErrMissing):
		damage, next = Missing, recheckEvery
	case found != nil:
		damage, next = Damaged, recheckEvery
	}
	var changed bool
	err := s.db.Tenant(k.tenant).InTx(ctx, func(tx *db.Tx) (err error) {
		changed, err = setDamage(tx, k.ID, damage, clock.At(tx.Now().Add(next)))
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("blob: record: %w", err)
	case changed && damage != "":
		s.log.ErrorContext(ctx, "a stored file is "+damage, "tenant", k.tenant, "blob", k.ID, "file", name(k.tenant, k.ID), "reason", found)
	case changed:
		s.log.InfoContext(ctx, "a stored file is whole again", "tenant", k.tenant, "blob", k.ID)
	}
	return nil
}

// restore writes the bytes of a blob that the store should have already, where
// it has them no more or not as they were.
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
	// hash has the first hashed bytes of the file; at is where the next read
	// begins.
	hash       hash.Hash
	hashed, at int64
	// damaged is called when the file is not the blob; the reader returns its
	// error.
	damaged func() error
}

// Read implements io.Reader. It returns damaged's error in place of the last
// bytes where the whole was read and is not the blob.
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
	// A disk that cannot read a file has lost it, as one that cut it has.
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
