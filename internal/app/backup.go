package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Manifest lists what a backup holds. It is written last, so a backup that broke
// off has none.
type Manifest struct {
	Version string     `json:"version"` // of the program that made it
	MadeAt  clock.Time `json:"made_at"`
	// S3 says that files lie with an S3 service and are not in the backup.
	S3    bool          `json:"s3"`
	Files []ManifestRow `json:"files"`
}

// ManifestRow is one file of a backup.
type ManifestRow struct {
	Path   string `json:"path"` // with slashes, below the backup's folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const manifestFile = "manifest.json"

// Backup copies the embedded database and its files into a new folder, beside a
// server that may run. The database is copied first, as it is at one moment; files
// that it refers to stay for a day after they were deleted, so they are all there
// when their turn comes. The master key is not copied: who has both can read every
// secret.
func Backup(ctx context.Context, cfg Config, log *slog.Logger, c clock.Source, target string) (Manifest, error) {
	m := Manifest{Version: Version, MadeAt: clock.At(c.Now()), S3: cfg.S3URL != ""}
	if !cfg.embedded() {
		return m, errors.New("konak backup copies the embedded database; copy PostgreSQL with pg_dump (docs/operating.md)")
	}
	d, err := OpenExistingDatabase(ctx, cfg, log, c)
	if err != nil {
		return m, err
	}
	defer func() { _ = d.Close() }()
	if err := os.Mkdir(target, 0o700); err != nil {
		return m, fmt.Errorf("the backup needs a new folder: %w", err)
	}
	if err := d.CopyTo(ctx, filepath.Join(target, databaseFile)); err != nil {
		return m, err
	}
	row, err := readRow(target, databaseFile)
	if err != nil {
		return m, err
	}
	m.Files = []ManifestRow{row}
	if !m.S3 {
		if err := m.addFiles(ctx, cfg, target); err != nil {
			return m, err
		}
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return m, err
	}
	return m, writeSynced(filepath.Join(target, manifestFile), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// addFiles copies the files of the data folder that nobody is still writing.
func (m *Manifest) addFiles(ctx context.Context, cfg Config, target string) error {
	return filepath.WalkDir(cfg.FilesFolder(), func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // deleted meanwhile, a day after nothing held it any more
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && path == filepath.Join(cfg.FilesFolder(), "incoming"):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		rel, err := filepath.Rel(cfg.Data, path)
		if err != nil {
			return err
		}
		if err := copyFile(path, filepath.Join(target, rel)); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		row, err := readRow(target, filepath.ToSlash(rel))
		m.Files = append(m.Files, row)
		return err
	})
}

// Restore puts a backup into a data folder that holds nothing but a master key, or
// is not there. Every file is compared with the manifest before the first is
// copied. It returns the manifest, and whether the master key of cfg fits.
func Restore(ctx context.Context, cfg Config, source string) (m Manifest, keyFits bool, err error) {
	if !cfg.embedded() {
		return m, false, errors.New("konak restore fills an embedded database; leave --db out")
	}
	if m, err = readManifest(source); err != nil {
		return m, false, err
	}
	if err := cfg.makeFolder(); err != nil {
		return m, false, err
	}
	entries, err := os.ReadDir(cfg.Data)
	if err != nil {
		return m, false, err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(secret.KeyPath(cfg.Data)) }) {
		return m, false, fmt.Errorf("%s is not empty; restore into a new folder (only master.key may be there)", cfg.Data)
	}
	// The database comes last: without it the folder is no installation.
	rows := slices.Clone(m.Files)
	slices.Reverse(rows)
	for _, row := range rows {
		path := filepath.FromSlash(row.Path)
		if err := errors.Join(ctx.Err(), copyFile(filepath.Join(source, path), filepath.Join(cfg.Data, path))); err != nil {
			return m, false, fmt.Errorf("%w; delete what is in %s before the next try", err, cfg.Data)
		}
	}
	if err := cfg.prepareData(); err != nil {
		return m, false, err
	}
	d, err := db.Open(ctx, db.Options{URL: cfg.DatabaseURL()})
	if err != nil {
		return m, false, err
	}
	return m, cfg.CheckKey(ctx, d) == nil, d.Close()
}

// readManifest reads a backup's manifest and compares every file with it.
func readManifest(source string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile(filepath.Join(source, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s has no %s: it is no backup, or one that broke off", source, manifestFile)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", filepath.Join(source, manifestFile), err)
	}
	for _, want := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(want.Path)) {
			return m, fmt.Errorf("the manifest names %q, which lies outside of the backup", want.Path)
		}
		got, err := readRow(source, want.Path)
		if err != nil {
			return m, err
		}
		if got != want {
			return m, fmt.Errorf("%s of the backup is damaged: its size or checksum is not that of the manifest", want.Path)
		}
	}
	if !slices.ContainsFunc(m.Files, func(r ManifestRow) bool { return r.Path == databaseFile }) {
		return m, fmt.Errorf("the manifest names no %s", databaseFile)
	}
	return m, nil
}

// readRow measures a file.
func readRow(folder, path string) (ManifestRow, error) {
	f, err := os.Open(filepath.Join(folder, filepath.FromSlash(path)))
	if err != nil {
		return ManifestRow{}, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return ManifestRow{Path: path, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// copyFile copies a file and its folders, for their owner alone.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return writeSynced(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
}

// writeSynced makes a new file that survives a power cut.
func writeSynced(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Sync(), f.Close())
}
