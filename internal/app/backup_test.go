package app_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/backup"
	"konak/internal/kit/clock"
	"konak/internal/kit/dbtest"
)

// backedUp is a server on an embedded database with a workspace, a contact and a file, and
// a backup of it that was made while it ran.
type backedUp struct {
	*apptest.Server
	cfg  app.Config
	w    *apptest.Workspace
	dump string
	dir  string // the backup, a folder or a file
	// identity is the file that opens an encrypted backup.
	identity string
}

func backUp(t *testing.T) *backedUp {
	t.Helper()
	b := &backedUp{dir: filepath.Join(t.TempDir(), "backup")}
	b.Server = apptest.NewWith(t, func(c *app.Config) { c.DB = ""; b.cfg = *c })
	b.w = b.Workspace("demo")
	b.w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201)
	b.w.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=a.txt", "hello").Want(201)
	b.dump = dbtest.Dump(t, b.DB, b.w.ID)
	if _, err := app.Backup(t.Context(), b.cfg, slog.New(slog.DiscardHandler), clock.System{}, app.BackupOptions{Target: b.dir}); err != nil {
		t.Fatal(err)
	}
	return b
}

// restore puts the backup into a new folder that holds the master key.
func (b *backedUp) restore(t *testing.T) (app.Config, error) {
	t.Helper()
	cfg := b.cfg
	cfg.Data = filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(b.cfg.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Data, "master.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	_, fits, err := app.Restore(t.Context(), cfg, b.dir, b.identity)
	if err == nil && !fits {
		t.Error("the master key does not fit")
	}
	return cfg, err
}

// readFolder returns the content of all files below a folder.
func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A restored backup has the state at the moment of the backup, and can be served.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	files := readFolder(t, b.cfg.FilesFolder())
	b.w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Later"}).Want(201)
	if _, err := os.Stat(filepath.Join(b.dir, "master.key")); err == nil {
		t.Error("the master key is in the backup")
	}
	cfg, err := b.restore(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, readFolder(t, cfg.FilesFolder())); diff != "" || len(files) == 0 {
		t.Errorf("%d files: %s", len(files), diff)
	}
	a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if diff := cmp.Diff(b.dump, dbtest.Dump(t, a.DB, b.w.ID)); diff != "" || !strings.Contains(b.dump, "Elif") {
		t.Error(diff)
	}
	if exposed, err := cfg.Exposed(); err != nil || len(exposed) != 0 {
		t.Errorf("exposed: %v, %v", exposed, err)
	}
}

// An incomplete backup is refused before anything is restored.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, b *backedUp) error{
		"has no manifest":         func(t *testing.T, b *backedUp) error { return os.Remove(filepath.Join(b.dir, "manifest.json")) },
		"is damaged":              func(t *testing.T, b *backedUp) error { return appendTo(firstFile(t, b.dir), "x") },
		"missing from the backup": func(t *testing.T, b *backedUp) error { return os.Remove(firstFile(t, b.dir)) },
		"is outside": func(t *testing.T, b *backedUp) error {
			return replaceIn(filepath.Join(b.dir, "manifest.json"), `"konak.db"`, `"../konak.db"`)
		},
		"does not list konak.db": func(t *testing.T, b *backedUp) error {
			return os.WriteFile(filepath.Join(b.dir, "manifest.json"), []byte(`{}`), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := backUp(t)
			if err := damage(t, b); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Verify(t.Context(), b.dir, ""); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("verifying says %v", err)
			}
			cfg, err := b.restore(t)
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("restoring says %v", err)
			}
			if left := readFolder(t, cfg.Data); len(left) != 1 { // the key
				t.Errorf("%d files were restored", len(left)-1)
			}
		})
	}
}

// firstFile returns one of the workspace's files in a backup.
func firstFile(t *testing.T, dir string) string {
	t.Helper()
	for path := range readFolder(t, filepath.Join(dir, "files")) {
		return filepath.Join(dir, "files", path)
	}
	t.Fatal("the backup has no files")
	return ""
}

func appendTo(path, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, text...), 0o600)
}

func replaceIn(path, old, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), old, text, 1)), 0o600)
}

// A folder with an interrupted restore is not served as a new installation, and the next
// restore fills it.
func TestUnfinishedRestoreIsNotServed(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	log := slog.New(slog.DiscardHandler)
	cfg := b.cfg
	cfg.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(cfg.Data, "restore.unfinished"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Open(t.Context(), cfg, log, clock.System{}); !errors.Is(err, backup.ErrUnfinished) {
		t.Errorf("the server: %v", err)
	}
	if _, err := app.OpenExisting(t.Context(), cfg, log, clock.System{}); !errors.Is(err, backup.ErrUnfinished) {
		t.Errorf("a command: %v", err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "konak.db")); err == nil {
		t.Error("a database was made")
	}
	if _, _, err := app.Restore(t.Context(), cfg, b.dir, ""); err != nil {
		t.Fatal(err)
	}
	if err := cfg.Check(); err != nil {
		t.Errorf("after the next restore: %v", err)
	}
}

// Neither backup nor restore overwrites anything, and both say what they need.
func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	log := slog.New(slog.DiscardHandler)
	if _, err := app.Backup(t.Context(), b.cfg, log, clock.System{}, app.BackupOptions{Target: b.dir}); err == nil || !strings.Contains(err.Error(), "new folder") {
		t.Errorf("a second backup in the same folder: %v", err)
	}
	if _, _, err := app.Restore(t.Context(), b.cfg, b.dir, ""); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a restore onto the running server: %v", err)
	}
	if _, err := app.Backup(t.Context(), b.cfg, log, clock.System{}, app.BackupOptions{Target: filepath.Join(b.cfg.Data, "files", "x")}); err == nil || !strings.Contains(err.Error(), "in the data folder") {
		t.Errorf("a backup of itself: %v", err)
	}
	elsewhere := b.cfg
	elsewhere.DB = "postgres://konak@127.0.0.1:1/konak"
	if _, err := app.Backup(t.Context(), elsewhere, log, clock.System{}, app.BackupOptions{Target: filepath.Join(t.TempDir(), "x")}); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("a backup of PostgreSQL: %v", err)
	}
	if _, _, err := app.Restore(t.Context(), elsewhere, b.dir, ""); err == nil || !strings.Contains(err.Error(), "leave --db out") {
		t.Errorf("a restore into PostgreSQL: %v", err)
	}
	nowhere := b.cfg
	nowhere.Data = filepath.Join(t.TempDir(), "nothing")
	if _, err := app.Backup(t.Context(), nowhere, log, clock.System{}, app.BackupOptions{Target: filepath.Join(t.TempDir(), "x")}); err == nil || !strings.Contains(err.Error(), "there is no database") {
		t.Errorf("a backup of nothing: %v", err)
	}
}
