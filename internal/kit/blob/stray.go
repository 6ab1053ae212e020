package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// errFound ends a walk.
var errFound = errors.New("found")

// Strays lists the folders of workspaces with files of which the database knows none: what
// an import left that was killed and never repeated, or what is newer than a database that
// was restored. With an S3 service it lists nothing.
func (s *Store) Strays(ctx context.Context) ([]string, error) {
	back, ok := s.back.(disk)
	if !ok {
		return nil, nil
	}
	entries, err := os.ReadDir(back.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob: strays: %w", err)
	}
	var out []string
	for _, e := range entries {
		tenant, err := uuid.Parse(e.Name())
		if err != nil || tenant == uuid.Nil || tenant.String() != e.Name() || !e.IsDir() {
			continue // of the store itself, or somebody's own
		}
		folder := filepath.Join(back.folder, e.Name())
		if holds, err := holdsFile(folder); err != nil {
			return nil, err
		} else if !holds {
			continue
		}
		known, err := db.Read(ctx, s.db.Tenant(tenant), func(r *db.Reader) (bool, error) {
			return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM blob WHERE tenant_id = $1)`, tenant)
		})
		if err != nil {
			return nil, fmt.Errorf("blob: strays: %w", err)
		}
		if !known {
			out = append(out, folder)
		}
	}
	return out, nil
}

// holdsFile says whether a folder, or one below it, holds a file.
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
