package app_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/backup"
	"konak/internal/kit/clock"
	"konak/internal/kit/dbtest"
)

// again makes another backup of the same server.
func (b *backedUp) again(t *testing.T, o app.BackupOptions) backup.Manifest {
	t.Helper()
	m, err := app.Backup(t.Context(), b.cfg, slog.New(slog.DiscardHandler), clock.System{}, o)
	if err != nil {
		t.Fatal(err)
	}
	b.dir = o.Target
	return m
}

// restored restores the backup, opens it and compares it with the original.
func (b *backedUp) restored(t *testing.T) {
	t.Helper()
	cfg, err := b.restore(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(readFolder(t, b.cfg.FilesFolder()), readFolder(t, cfg.FilesFolder())); diff != "" {
		t.Error(diff)
	}
	a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if diff := cmp.Diff(b.dump, dbtest.Dump(t, a.DB, b.w.ID)); diff != "" {
		t.Error(diff)
	}
}

// A second backup shares the files of the first, and is complete without it.
func TestIncrementalBackup(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	first := b.dir
	b.again(t, app.BackupOptions{Target: filepath.Join(t.TempDir(), "second"), Previous: first})
	old, err := os.Stat(firstFile(t, first))
	if err != nil {
		t.Fatal(err)
	}
	now, err := os.Stat(firstFile(t, b.dir))
	if err != nil || !os.SameFile(old, now) {
		t.Errorf("the file was copied again: %v", err)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Verify(t.Context(), b.dir, ""); err != nil {
		t.Error(err)
	}
	b.restored(t)
}

// Files in an S3 service are not part of a backup, which is complete without them.
func TestBackupWithoutFiles(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	cfg, target := b.cfg, filepath.Join(t.TempDir(), "without")
	cfg.S3URL = "https://key:secret@s3.example.com/files"
	if _, err := app.Backup(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{}, app.BackupOptions{Target: target}); err != nil {
		t.Fatal(err)
	}
	if m, err := backup.Verify(t.Context(), target, ""); err != nil || !m.S3 || len(m.Files) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// A backup may be one file, with the master key if requested.
func TestBackupInOneFile(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	m := b.again(t, app.BackupOptions{Target: filepath.Join(t.TempDir(), "all.tar"), WithKey: true})
	if info, err := os.Stat(b.dir); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	verified, err := backup.Verify(t.Context(), b.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, verified); diff != "" {
		t.Error(diff)
	}
	b.restored(t)
	// A folder without a key gets the one of the backup.
	cfg := b.cfg
	cfg.Data = filepath.Join(t.TempDir(), "data")
	if _, fits, err := app.Restore(t.Context(), cfg, b.dir, ""); err != nil || !fits {
		t.Errorf("the key fits: %v, %v", fits, err)
	}
}

// Only the recipients of an encrypted backup can read it.
func TestEncryptedBackup(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	dir := t.TempDir()
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]*age.X25519Identity{"mine": mine, "other": other} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(id.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.again(t, app.BackupOptions{Target: filepath.Join(dir, "all.tar.age"), Recipients: []string{mine.Recipient().String()}})
	text, err := os.ReadFile(b.dir)
	if err != nil || strings.Contains(string(text), "manifest.json") {
		t.Errorf("it is not encrypted, %v", err)
	}
	b.identity = filepath.Join(dir, "mine")
	if _, err := backup.Verify(t.Context(), b.dir, b.identity); err != nil {
		t.Error(err)
	}
	b.restored(t)
	for identity, want := range map[string]string{filepath.Join(dir, "other"): "was encrypted for others", "": "--age-identity"} {
		if _, err := backup.Verify(t.Context(), b.dir, identity); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v", identity, err)
		}
	}
	for name, o := range map[string]app.BackupOptions{
		"--age-recipient": {Target: filepath.Join(dir, "x.tar"), Recipients: []string{mine.Recipient().String()}},
		"NAME.tar.age":    {Target: filepath.Join(dir, "x"), Recipients: []string{mine.Recipient().String()}},
		"age1nobody":      {Target: filepath.Join(dir, "x.tar.age"), Recipients: []string{"age1nobody"}},
		"new file":        {Target: b.dir, Recipients: []string{mine.Recipient().String()}},
		"--previous":      {Target: filepath.Join(dir, "x.tar"), Previous: dir},
	} {
		if _, err := app.Backup(t.Context(), b.cfg, slog.New(slog.DiscardHandler), clock.System{}, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A backup of an installation with a missing or wrong file names the file and holds the
// rest; verifying names it too. A file that the manifest does not name is damage.
func TestBackupReportsMissingFile(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	b.w.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=b.txt", "second").Want(201)
	file := firstFile(t, b.cfg.Data)
	for _, what := range []string{"damaged", "missing"} {
		lose := func() error { return os.WriteFile(file, []byte("other"), 0o600) }
		if what == "missing" {
			lose = func() error { return os.Remove(file) }
		}
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		m := b.again(t, app.BackupOptions{Target: filepath.Join(t.TempDir(), what)})
		if len(m.Missing) != 1 || !strings.HasSuffix(file, strings.TrimPrefix(m.Missing[0], "files/")) {
			t.Errorf("%s: the backup says %v", what, m.Missing)
		}
		verified, err := backup.Verify(t.Context(), b.dir, "")
		if err != nil || !slices.Equal(verified.Missing, m.Missing) {
			t.Errorf("%s: verifying says %v, %v", what, verified.Missing, err)
		}
		if what == "damaged" {
			continue
		}
		if err := replaceIn(filepath.Join(b.dir, "manifest.json"), m.Missing[0], "files/of/another"); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Verify(t.Context(), b.dir, ""); err == nil || !strings.Contains(err.Error(), "refers to files that are missing from it or differ: "+m.Missing[0]) {
			t.Errorf("a file that is not named: %v", err)
		}
	}
}

// A server makes backups by itself and keeps a fixed number of them; interrupted ones are
// removed.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := apptest.NewWith(t, func(c *app.Config) {
		c.DB, c.BackupFolder, c.BackupEvery, c.BackupKeep = "", folder, time.Hour, 2
	})
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "konak-20200101T000000Z"), 0o700), os.Mkdir(filepath.Join(folder, "mine"), 0o700)); err != nil {
		t.Fatal(err)
	}
	step := func(want int) {
		t.Helper()
		if n, err := s.StepBackup(t.Context()); err != nil || n != want {
			t.Errorf("%d backups, %v; want %d", n, err, want)
		}
	}
	newest := func() string {
		return regexp.MustCompile(`(?m)^konak_backup_newest_timestamp_seconds .*$`).FindString(scrape(s))
	}
	if got := newest(); got != "konak_backup_newest_timestamp_seconds 0" {
		t.Errorf("without a backup the metric is %q", got)
	}
	step(1)
	if got := newest(); got == "" || strings.HasSuffix(got, " 0") {
		t.Errorf("with a backup the metric is %q", got)
	}
	step(0)
	s.Clock.Advance(59 * time.Minute)
	step(0)
	for range 3 {
		s.Clock.Advance(time.Hour)
		step(1)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"konak-20261115T115900Z", "konak-20261115T125900Z", "mine"}, names); diff != "" {
		t.Error(diff)
	}
	if _, err := backup.Verify(t.Context(), filepath.Join(folder, names[1]), ""); err != nil {
		t.Error(err)
	}
}

// A schedule that cannot work is refused.
func TestBackupSettings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for want, change := range map[string]func(*app.Config){
		"--backup-every":        func(c *app.Config) { c.BackupEvery = time.Second },
		"--backup-keep":         func(c *app.Config) { c.BackupKeep = 0 },
		"is not a folder":       func(c *app.Config) { c.BackupFolder = filepath.Join(folder, "nothing") },
		"is in the data folder": func(c *app.Config) { c.Data = filepath.Dir(folder) },
		"for the embedded data": func(c *app.Config) { c.DB = "postgres://konak@127.0.0.1:1/konak" },
	} {
		c := app.Config{Data: t.TempDir(), Domain: "localhost", Listen: "127.0.0.1:0", BackupFolder: folder, BackupEvery: time.Hour, BackupKeep: 1}
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
