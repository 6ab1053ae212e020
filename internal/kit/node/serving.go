package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const (
	// RefreshEvery is how often a node records that it serves.
	RefreshEvery = 10 * time.Second
	// goneAfter is how long a node is regarded as serving after its last record.
	goneAfter = 3 * RefreshEvery
)

// ErrOtherStore means that another node keeps its files elsewhere.
var ErrOtherStore = errors.New("another node serves this database and keeps its files elsewhere, so each would miss the other's files; " +
	"give all nodes the same --s3-url, or a shared folder as files in their data folders")

// Serving is a node that serves a database.
type Serving struct {
	ID        uuid.UUID
	Host      string
	Version   string
	FileStore string // where its files are; the same for nodes that share files
	StartedAt time.Time
	SeenAt    time.Time
}

// Announce records that a node serves. It returns ErrOtherStore if another node serves the
// same database with other files. An embedded database has only one server: any other node
// recorded in it was killed, or served the database of which this is a backup.
func Announce(ctx context.Context, d *db.DB, n Serving) error {
	return d.System("serving nodes").InTx(ctx, func(tx *db.Tx) error {
		if d.Dialect() == db.SQLite {
			if err := tx.Exec(`DELETE FROM serving_node`); err != nil {
				return err
			}
		}
		if err := checkStore(&tx.Reader, tx.Now(), n.FileStore); err != nil {
			return err
		}
		now := clock.At(tx.Now())
		return tx.Exec(`INSERT INTO serving_node (id, host, version, file_store, started_at, seen_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			n.ID, n.Host, n.Version, n.FileStore, now, now)
	})
}

// CheckStore returns ErrOtherStore if Announce would, and records nothing.
func CheckStore(ctx context.Context, d *db.DB, s3URL, folder string) error {
	if d.Dialect() == db.SQLite {
		return nil
	}
	store, err := knownStore(folder)
	if s3URL != "" {
		store, err = s3Store(s3URL)
	}
	if err != nil {
		return err
	}
	_, err = db.Read(ctx, d.System("serving nodes"), func(r *db.Reader) (struct{}, error) {
		return struct{}{}, checkStore(r, d.Clock().Now(), store)
	})
	return err
}

func checkStore(r *db.Reader, now time.Time, store string) error {
	others, err := list(r, now)
	if err != nil {
		return err
	}
	for _, o := range others {
		if o.FileStore != store {
			return fmt.Errorf("the node on %s: %w", o.Host, ErrOtherStore)
		}
	}
	return nil
}

// Refresh records that a node still serves, and deletes nodes that are long gone.
func Refresh(ctx context.Context, d *db.DB, id uuid.UUID) error {
	return d.System("serving nodes").InTx(ctx, func(tx *db.Tx) error {
		if err := tx.Exec(`UPDATE serving_node SET seen_at = $1 WHERE id = $2`, clock.At(tx.Now()), id); err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM serving_node WHERE seen_at < $1`, clock.At(tx.Now().Add(-10*goneAfter)))
	})
}

// Leave records that a node no longer serves.
func Leave(ctx context.Context, d *db.DB, id uuid.UUID) error {
	return d.System("serving nodes").InTx(ctx, func(tx *db.Tx) error {
		return tx.Exec(`DELETE FROM serving_node WHERE id = $1`, id)
	})
}

// List returns the nodes that serve now, oldest first.
func List(ctx context.Context, d *db.DB) ([]Serving, error) {
	return db.Read(ctx, d.System("serving nodes"), func(r *db.Reader) ([]Serving, error) { return list(r, d.Clock().Now()) })
}

func list(r *db.Reader, now time.Time) ([]Serving, error) {
	return db.All(r, func(row db.Row) (n Serving, err error) {
		var started, seen clock.Time
		err = row.Scan(&n.ID, &n.Host, &n.Version, &n.FileStore, &started, &seen)
		n.StartedAt, n.SeenAt = started.Time, seen.Time
		return n, err
	}, `SELECT id, host, version, file_store, started_at, seen_at FROM serving_node WHERE seen_at >= $1 ORDER BY started_at, id`, clock.At(now.Add(-goneAfter)))
}

// storeFile is the name of the file that identifies a folder's file store.
const storeFile = ".store"

// FileStore returns a name for the place where files are stored: an S3 service, or without
// one a folder. Nodes with the same name share their files.
func FileStore(s3URL, folder string) (string, error) {
	if s3URL == "" {
		return FolderStore(folder)
	}
	return s3Store(s3URL)
}

func s3Store(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("--s3-url: it cannot be read") // the error would contain the secret
	}
	return "s3:" + u.Host + strings.TrimSuffix(u.Path, "/"), nil
}

// knownStore returns the name of the file store in a folder, empty if it has none yet.
func knownStore(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, storeFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// FolderStore returns the name of the file store in a folder and creates it the first time:
// nodes that share the folder read the same name.
func FolderStore(folder string) (string, error) {
	path := filepath.Join(folder, storeFile)
	for {
		text, err := os.ReadFile(path)
		if err == nil && len(text) > 0 {
			return strings.TrimSpace(string(text)), nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		// The file is created completely or not at all: another node may read it at the
		// same moment.
		f, err := os.CreateTemp(folder, storeFile+"-*")
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(rand.Text() + "\n")
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Link(f.Name(), path)
		}
		if err = errors.Join(ignoreExist(err), os.Remove(f.Name())); err != nil {
			return "", err
		}
	}
}

func ignoreExist(err error) error {
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}
