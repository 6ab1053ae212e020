package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// disk stores blobs as files in a folder.
type disk struct{ folder string }

func (d disk) path(name string) string { return filepath.Join(d.folder, filepath.FromSlash(name)) }

// put moves the file to its place once its bytes are on the disk: a file with a blob's name
// is always complete.
func (d disk) put(_ context.Context, name string, f *os.File, _ int64) error {
	to := d.path(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return err
	}
	// The name is safe once its folder is synced, and a new folder once its parent is.
	for dir := filepath.Dir(to); ; dir = filepath.Dir(dir) {
		if err := syncFolder(dir); err != nil {
			return err
		}
		if dir == filepath.Clean(d.folder) {
			return nil
		}
	}
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d disk) open(_ context.Context, name string) (io.ReadSeekCloser, int64, error) {
	f, err := os.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, ErrMissing
	}
	if err != nil {
		return nil, 0, fmt.Errorf("blob: open: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("blob: open: %w", err), f.Close())
	}
	return f, info.Size(), nil
}

func (d disk) remove(_ context.Context, name string) error {
	if err := os.Remove(d.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d disk) check(context.Context) error {
	if err := os.MkdirAll(d.folder, 0o700); err != nil {
		return fmt.Errorf("the files folder cannot be created: %w", err)
	}
	f, err := os.CreateTemp(d.folder, "check-*")
	if err != nil {
		return fmt.Errorf("the files folder is not writable: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (d disk) tenants(context.Context) ([]uuid.UUID, error) {
	entries, err := os.ReadDir(d.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []uuid.UUID
	for _, e := range entries {
		tenant, ok := tenantOf(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		holds, err := holdsFile(d.place(tenant))
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, tenant)
		}
	}
	return out, nil
}

func (d disk) place(tenant uuid.UUID) string { return d.path(tenant.String()) }

// errFound ends a walk.
var errFound = errors.New("found")

// holdsFile reports whether a folder, or one below it, contains a file.
func holdsFile(folder string) (bool, error) {
	err := filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			return errFound
		}
		return err
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}
