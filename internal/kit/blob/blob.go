package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var (
	// ErrTooLarge reports that a stream exceeded its limit.
	ErrTooLarge = errors.New("blob: larger than allowed")
	// ErrMissing reports that a blob does not exist, or no longer exists.
	ErrMissing = errors.New("blob: missing")
	// ErrDamaged reports that the bytes of a blob differ from those that were stored.
	ErrDamaged = errors.New("blob: damaged")
)

// Blob is a stored file.
type Blob struct {
	ID   uuid.UUID
	Hash []byte // SHA-256
	Size int64
}

// backend is where the bytes are stored. Names are paths with slashes.
type backend interface {
	// put stores a whole file, replacing one of the same name; when it returns, the bytes
	// are safe.
	put(ctx context.Context, name string, f *os.File, size int64) error
	// open returns the file and its size, ErrMissing if it does not exist.
	open(ctx context.Context, name string) (io.ReadSeekCloser, int64, error)
	// remove removes the file; it is no error if it does not exist.
	remove(ctx context.Context, name string) error
	// check returns an error if the storage cannot be used.
	check(ctx context.Context) error
	// tenants lists the workspaces that have files.
	tenants(ctx context.Context) ([]uuid.UUID, error)
	// place returns where the files of a workspace are stored.
	place(tenant uuid.UUID) string
}

// Config is what a store needs.
type Config struct {
	DB *db.DB
	// Log gets an error for each blob that is found missing or damaged; nil for none.
	Log *slog.Logger
	// Metrics gets the number of blobs that are missing or damaged; nil for none.
	Metrics prometheus.Registerer
	// Folder is where blobs are stored, and streams while they are received.
	Folder string
	// S3URL is the S3 service that stores the blobs instead; "" for none.
	S3URL string
	// Quota is the number of bytes that a workspace without its own quota may keep; 0 for
	// DefaultQuota.
	Quota int64
}

// Store keeps blobs.
type Store struct {
	// Quota is Config.Quota.
	Quota int64

	db    *db.DB
	log   *slog.Logger
	back  backend
	spool string // folder of streams that are being received
}

// New opens a store. It returns an error if the S3 address is not valid.
func New(c Config) (*Store, error) {
	s := &Store{Quota: c.Quota, db: c.DB, log: c.Log, spool: filepath.Join(c.Folder, "incoming"), back: disk{c.Folder}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if c.S3URL != "" {
		remote, err := parseS3(c.S3URL)
		if err != nil {
			return nil, err
		}
		s.back = remote
	}
	if c.Metrics != nil {
		if err := c.Metrics.Register(collector{s}); err != nil {
			return nil, fmt.Errorf("blob: metrics: %w", err)
		}
	}
	return s, nil
}

// Check returns an error if files cannot be stored.
func (s *Store) Check(ctx context.Context) error { return s.back.check(ctx) }

// Put stores a stream of at most limit bytes. It reads to the end and must not be called
// inside a transaction. The bytes count towards the workspace's quota, but are stored even
// if it is used up: Put is for what has already been accepted, such as the files of a
// received mail. Everything else goes through PutWithin.
func (s *Store) Put(ctx context.Context, tenant uuid.UUID, r io.Reader, limit int64) (Blob, error) {
	return s.put(ctx, tenant, accepted, r, limit)
}

func (s *Store) put(ctx context.Context, tenant uuid.UUID, pool Pool, r io.Reader, limit int64) (Blob, error) {
	f, b, err := s.receive(r, limit)
	if err != nil {
		return Blob{}, err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name()) // already gone if it was moved to its place
	}()
	h := s.db.Tenant(tenant)
	var known bool
	err = h.InTx(ctx, func(tx *db.Tx) (err error) {
		if b.ID, known, err = reuse(tx, b); err != nil || known {
			return err
		}
		b.ID = tx.NewID()
		if err := s.count(tx, pool, b.Size); err != nil {
			return err
		}
		return begin(tx, b, pool == Visitors)
	})
	if err != nil {
		return Blob{}, err
	}
	if known {
		return b, s.restore(ctx, tenant, b, f)
	}
	if err := s.back.put(ctx, name(tenant, b.ID), f, b.Size); err != nil {
		return Blob{}, fmt.Errorf("blob: put: %w", err)
	}
	return b, h.InTx(ctx, func(tx *db.Tx) error { return finish(tx, b.ID) })
}

// receive writes a stream to its own file: only then are its size and hash known.
func (s *Store) receive(r io.Reader, limit int64) (*os.File, Blob, error) {
	if err := os.MkdirAll(s.spool, 0o700); err != nil {
		return nil, Blob{}, fmt.Errorf("blob: %w", err)
	}
	f, err := os.CreateTemp(s.spool, "*")
	if err != nil {
		return nil, Blob{}, fmt.Errorf("blob: %w", err)
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, Blob{}, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, Blob{Hash: hash.Sum(nil), Size: n}, nil
}

// Spool writes a stream of at most limit bytes to a temporary file that disappears when
// closed, for data that is too large for memory and not to be kept yet.
func (s *Store) Spool(r io.Reader, limit int64) (*os.File, error) {
	f, _, err := s.receive(r, limit)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Find returns a blob's hash and size without touching its bytes; ErrMissing if it does not
// exist.
func Find(r *db.Reader, id uuid.UUID) (Blob, error) {
	b, err := find(r, id)
	return b.Blob, db.IfNoRow(err, ErrMissing)
}

// Hold counts one more record that needs a blob, in the transaction that writes the record.
func Hold(tx *db.Tx, id uuid.UUID) error {
	ok, err := hold(tx, id)
	if err == nil && !ok {
		return ErrMissing
	}
	return err
}

// Drop counts one record less, in the transaction that removes the record.
func Drop(tx *db.Tx, id uuid.UUID) error { return drop(tx, id) }

const (
	// grace is how long an unheld blob is kept.
	grace      = 24 * time.Hour
	sweepRound = 100
)

// Sweep removes blobs that have not been held for a day and returns their number.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	h := s.db.System("blob sweep")
	list, err := db.Write(ctx, h, func(tx *db.Tx) ([]owned, error) { return markUnheld(tx, clock.At(tx.Now().Add(-grace)), sweepRound) })
	if err != nil {
		return 0, fmt.Errorf("blob: sweep: %w", err)
	}
	for i, o := range list {
		if err := s.back.remove(ctx, name(o.tenant, o.id)); err != nil {
			return i, fmt.Errorf("blob: remove: %w", err)
		}
		if err := h.InTx(ctx, func(tx *db.Tx) error { return forget(tx, o) }); err != nil {
			return i, fmt.Errorf("blob: sweep: %w", err)
		}
	}
	return len(list), s.clearSpool()
}

// RemoveAll removes every blob of a workspace, held or not, and returns their number.
// Nobody may write to the workspace meanwhile. After a crash it can be repeated.
func (s *Store) RemoveAll(ctx context.Context, tenant uuid.UUID) (total int, err error) {
	h := s.db.Tenant(tenant)
	for n := sweepRound; n == sweepRound; total += n {
		list, err := db.Write(ctx, h, func(tx *db.Tx) ([]owned, error) { return markAny(tx, sweepRound) })
		if err != nil {
			return total, fmt.Errorf("blob: remove all: %w", err)
		}
		for _, o := range list {
			if err := s.back.remove(ctx, name(o.tenant, o.id)); err != nil {
				return total, fmt.Errorf("blob: remove all: %w", err)
			}
			if err := h.InTx(ctx, func(tx *db.Tx) error { return forget(tx, o) }); err != nil {
				return total, fmt.Errorf("blob: remove all: %w", err)
			}
		}
		n = len(list)
	}
	return total, nil
}

// clearSpool removes the files left by processes that died while receiving.
func (s *Store) clearSpool() error {
	left, err := os.ReadDir(s.spool)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: sweep: %w", err)
	}
	for _, e := range left {
		info, err := e.Info()
		if err != nil || s.db.Clock().Now().Sub(info.ModTime()) < grace {
			continue // gone meanwhile, or still being received
		}
		if err := os.Remove(filepath.Join(s.spool, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blob: sweep: %w", err)
		}
	}
	return nil
}

// name returns the path of a blob. A workspace's blobs are spread over folders by the
// random end of their id.
func name(tenant, id uuid.UUID) string {
	text := id.String()
	return tenant.String() + "/" + text[len(text)-2:] + "/" + text
}
