package backup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"konak/internal/kit/blob"
	"konak/internal/kit/db"
)

// CountedFiles opens the copy of a database and returns the checksums of the files that it
// refers to, by their paths in a backup.
func CountedFiles(ctx context.Context, path string) (counted map[string]string, err error) {
	d, err := db.Open(ctx, db.Options{URL: "sqlite:" + path})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return countedIn(ctx, d)
}

func countedIn(ctx context.Context, d *db.DB) (map[string]string, error) {
	counted := map[string]string{}
	err := blob.EachStored(ctx, d, func(b blob.Stored) error {
		counted[filesFolder+"/"+b.Name] = fmt.Sprintf("%x", b.Hash)
		return nil
	})
	return counted, err
}

// absent returns the paths, sorted, of the files that a database refers to and that are not
// in the backup or are different there.
func (m Manifest) absent(counted map[string]string) []string {
	for _, row := range m.Files {
		if counted[row.Path] == row.SHA256 {
			delete(counted, row.Path)
		}
	}
	return slices.Sorted(maps.Keys(counted))
}

// Verify reads a whole backup: it compares every file with the manifest, checks the
// database in it, and checks that every file that the database refers to is there, except
// those that the manifest names as missing. The identity file is needed for an encrypted
// backup. It changes nothing.
func Verify(ctx context.Context, name, identityFile string) (m Manifest, err error) {
	err = WithFolder(ctx, name, identityFile, os.TempDir(), func(folder string) error {
		if m, err = Compare(ctx, folder); err != nil {
			return err
		}
		return m.checkDatabase(ctx, folder)
	})
	return m, err
}

// checkDatabase checks a copy of the backup's database, because opening a database writes
// to it.
func (m Manifest) checkDatabase(ctx context.Context, folder string) (err error) {
	dir, err := os.MkdirTemp("", "konak-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	only := Manifest{Files: slices.DeleteFunc(slices.Clone(m.Files), func(r Row) bool { return r.Path != DatabaseFile })}
	if err := only.CopyInto(ctx, folder, dir); err != nil {
		return err
	}
	d, err := db.Open(ctx, db.Options{URL: "sqlite:" + filepath.Join(dir, DatabaseFile)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.CheckIntegrity(ctx); err != nil || m.S3 {
		return err
	}
	counted, err := countedIn(ctx, d)
	if err != nil {
		return err
	}
	unsaid := slices.DeleteFunc(m.absent(counted), func(path string) bool { return slices.Contains(m.Missing, path) })
	if len(unsaid) > 0 {
		return fmt.Errorf("the backup's database refers to files that are missing from it or differ: %s", Names(unsaid))
	}
	return nil
}

// listedNames is the number of files named in one line.
const listedNames = 10

// Names formats paths for people: the first few names, and the number of the others.
func Names(paths []string) string {
	text := strings.Join(paths[:min(len(paths), listedNames)], ", ")
	if more := len(paths) - listedNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
