// Package backup writes and reads backups of an embedded installation: a folder, or one
// file, with the database as it was at one moment, the files that it refers to, and a
// manifest with the size and the checksum of each.
//
// The manifest is written last, so an interrupted backup has no manifest and is refused. A
// backup in a folder is complete by itself; files that the previous backup also has share
// their disk space with it (hard links) if the file system can do that.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"konak/internal/kit/clock"
)

// The names inside a backup.
const (
	ManifestFile = "manifest.json"
	DatabaseFile = "konak.db"
	KeyFile      = "master.key"
	filesFolder  = "files"
	incoming     = "incoming" // files that are still being written
	partSuffix   = ".part"    // of a file of a backup that is not complete yet
)

// Manifest lists what a backup contains.
type Manifest struct {
	Version string     `json:"version"` // of the program that made it
	MadeAt  clock.Time `json:"made_at"`
	// S3 means that the files are in an S3 service and not in the backup.
	S3    bool  `json:"s3"`
	Files []Row `json:"files"`
	// Missing lists the files that the database refers to and that were absent or different
	// when the backup was made.
	Missing []string `json:"missing,omitempty"`
}

// Row is one file of a backup.
type Row struct {
	Path   string `json:"path"` // with slashes, below the backup's folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Source is what is copied into a backup.
type Source struct {
	Version string
	Now     time.Time
	// Database copies the database into a new file at path.
	Database func(ctx context.Context, path string) error
	// Counted returns the checksums of the files that such a copy of the database refers
	// to, by their paths in a backup; nil if missing files are not checked.
	Counted func(ctx context.Context, path string) (map[string]string, error)
	// Files is the folder of the files; empty if an S3 service has them.
	Files string
	// Key is the text of the master key if the backup is to contain it.
	Key string
}

// WriteFolder writes a backup into a new folder. Files that the backup in the folder
// previous already has are not copied again; previous may be empty. The database is copied
// first: deleted files that it refers to are kept for another day, so they are still there
// when they are copied. Files that are missing or different nevertheless are named in the
// manifest, and the rest is written.
func WriteFolder(ctx context.Context, src Source, target, previous string) (Manifest, error) {
	m := Manifest{Version: src.Version, MadeAt: clock.At(src.Now), S3: src.Files == ""}
	known := map[string]Row{}
	if previous != "" {
		before, err := ReadManifest(previous)
		if err != nil {
			return m, err
		}
		for _, row := range before.Files {
			known[row.Path] = row
		}
	}
	if err := os.Mkdir(target, 0o700); err != nil {
		return m, fmt.Errorf("the backup needs a new folder: %w", err)
	}
	if err := src.Database(ctx, filepath.Join(target, DatabaseFile)); err != nil {
		return m, err
	}
	var counted map[string]string
	if src.Counted != nil && src.Files != "" {
		var err error
		if counted, err = src.Counted(ctx, filepath.Join(target, DatabaseFile)); err != nil {
			return m, err
		}
	}
	if src.Key != "" {
		if err := writeSynced(filepath.Join(target, KeyFile), strings.NewReader(src.Key)); err != nil {
			return m, err
		}
	}
	for _, name := range []string{DatabaseFile, KeyFile} {
		row, err := readRow(target, name)
		if errors.Is(err, fs.ErrNotExist) && name == KeyFile {
			continue
		}
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, row)
	}
	if src.Files != "" {
		if err := m.addFiles(ctx, src.Files, target, previous, known); err != nil {
			return m, err
		}
	}
	m.Missing = m.absent(counted)
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	return m, writeSynced(filepath.Join(target, ManifestFile), strings.NewReader(string(text)))
}

// addFiles adds the files that are not still being written. A file never changes once it is
// there, so a file that the previous backup has is linked to it.
func (m *Manifest) addFiles(ctx context.Context, folder, target, previous string, known map[string]Row) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // deleted meanwhile, a day after the last reference to it
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && path == filepath.Join(folder, incoming):
			return fs.SkipDir
		case e.IsDir() || strings.HasPrefix(e.Name(), "."):
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name := filesFolder + "/" + filepath.ToSlash(rel)
		to := filepath.Join(target, filesFolder, rel)
		if before, ok := known[name]; ok && linkFile(previous, before, to) {
			m.Files = append(m.Files, before)
			return nil
		}
		if err := copyFile(path, to); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		row, err := readRow(target, name)
		m.Files = append(m.Files, row)
		return err
	})
}

// linkFile links a file of an earlier backup under a second name, and reports whether that
// worked. A file that was damaged since then is not used.
func linkFile(backup string, row Row, to string) bool {
	if got, err := readRow(backup, row.Path); err != nil || got != row || os.MkdirAll(filepath.Dir(to), 0o700) != nil {
		return false
	}
	return os.Link(filepath.Join(backup, filepath.FromSlash(row.Path)), to) == nil
}

// ReadManifest reads the manifest of a backup in a folder.
func ReadManifest(folder string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(filepath.Join(folder, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s has no %s: it is not a backup, or an incomplete one", folder, ManifestFile)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s of the backup is cut off or damaged: %w", ManifestFile, err)
	}
	for _, row := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(row.Path)) {
			return m, fmt.Errorf("the manifest names %q, which is outside the backup", row.Path)
		}
	}
	if !slices.ContainsFunc(m.Files, func(r Row) bool { return r.Path == DatabaseFile }) {
		return m, fmt.Errorf("the manifest does not list %s", DatabaseFile)
	}
	return m, nil
}

// Compare reads every file of a backup in a folder and compares it with the manifest,
// which it returns.
func Compare(ctx context.Context, folder string) (Manifest, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return m, err
	}
	for _, want := range m.Files {
		got, err := readRow(folder, want.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return m, fmt.Errorf("%s is missing from the backup: it is cut off, or the file was deleted since", want.Path)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return m, err
		}
		if got != want {
			return m, fmt.Errorf("%s of the backup is damaged: its size or checksum does not match the manifest", want.Path)
		}
	}
	return m, nil
}

// CopyInto copies the files of a backup into a data folder. The database comes last:
// without it the folder is not an installation. The backup's key is copied if the folder
// has none.
func (m Manifest) CopyInto(ctx context.Context, source, data string) error {
	rows := slices.Clone(m.Files)
	slices.Reverse(rows)
	for _, row := range rows {
		path := filepath.FromSlash(row.Path)
		err := copyFile(filepath.Join(source, path), filepath.Join(data, path))
		if row.Path == KeyFile && errors.Is(err, fs.ErrExist) {
			err = nil
		}
		if err := errors.Join(ctx.Err(), err); err != nil {
			return err
		}
	}
	return nil
}

// readRow returns the size and checksum of a file.
func readRow(folder, path string) (Row, error) {
	f, err := os.Open(filepath.Join(folder, filepath.FromSlash(path)))
	if err != nil {
		return Row{}, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return Row{Path: path, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// copyFile copies a file and creates its folders, accessible only to the owner.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return writeSynced(to, in)
}

// writeSynced creates a file that survives a power cut completely or not at all.
func writeSynced(path string, r io.Reader) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	part := path + partSuffix
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}
