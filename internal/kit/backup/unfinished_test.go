package backup_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"konak/internal/kit/backup"
	"konak/internal/kit/node"
)

// An interrupted restore leaves a mark, and the next one starts over. A finished one leaves
// none, and a folder in use is left alone.
func TestFill(t *testing.T) {
	t.Parallel()
	folder := made(t)
	m, err := backup.Compare(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	broken, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Fill(broken, folder, data); err == nil || !strings.Contains(err.Error(), "run the command again") {
		t.Errorf("one that was stopped: %v", err)
	}
	if err := backup.CheckUnfinished(data); !errors.Is(err, backup.ErrUnfinished) || !strings.Contains(err.Error(), data) {
		t.Errorf("its folder: %v", err)
	}
	write(t, filepath.Join(data, "files", "ab", "of-another-backup"), "x")
	write(t, filepath.Join(data, "konak.db"), "ro")
	if err := backup.CheckEmpty(data); err != nil {
		t.Errorf("the folder cannot be used again: %v", err)
	}
	if err := m.Fill(t.Context(), folder, data); err != nil {
		t.Fatal(err)
	}
	if err := backup.CheckUnfinished(data); err != nil {
		t.Errorf("after it was finished: %v", err)
	}
	for path, want := range map[string]string{"konak.db": "rows", "files/ab/one": "a price list", "master.key": "the key"} {
		if got := read(t, filepath.Join(data, path)); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if _, err := os.Stat(filepath.Join(data, "files", "ab", "of-another-backup")); err == nil {
		t.Error("what the earlier restore left is there")
	}
	if err := m.Fill(t.Context(), folder, data); err == nil || !strings.Contains(err.Error(), "is not empty") || backup.CheckUnfinished(data) != nil {
		t.Errorf("into an installation: %v, %v", err, backup.CheckUnfinished(data))
	}
	taken := t.TempDir()
	own, err := node.Take(taken)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if err := m.Fill(t.Context(), folder, taken); !errors.Is(err, node.ErrTaken) || backup.CheckUnfinished(taken) != nil {
		t.Errorf("into a folder that another process has: %v", err)
	}
}

// A file is written completely or not at all, and none is replaced: a truncated manifest
// would be taken for a backup.
func TestFilesAreWrittenAtomically(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "manifest.json")
	cut := io.MultiReader(strings.NewReader(`{"made_at`), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := backup.WriteSynced(path, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("what breaks off: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part of it is there: %v", err)
	}
	if err := backup.WriteSynced(path, strings.NewReader("{}")); err != nil || read(t, path) != "{}" {
		t.Errorf("the next try: %v", err)
	}
	if err := backup.WriteSynced(path, strings.NewReader("another")); !errors.Is(err, fs.ErrExist) || read(t, path) != "{}" {
		t.Errorf("where one is: %v", err)
	}
}

// A backup whose manifest was damaged later does not prevent the next ones.
func TestScheduleGoesOnAfterADamagedManifest(t *testing.T) {
	t.Parallel()
	s := backup.Schedule{Folder: t.TempDir(), Every: time.Hour, Keep: 2}
	src := source(t, "rows")
	first := filepath.Join(s.Folder, "konak-20261117T100000Z")
	src.Now = time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)
	if _, err := backup.WriteFolder(t.Context(), src, first, ""); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.Folder, "konak-20261117T110000Z", "manifest.json"), `{"made_at`)
	next, previous, err := s.Next(src.Now.Add(2 * time.Hour))
	if err != nil || previous != first || filepath.Base(next) != "konak-20261117T120000Z" {
		t.Errorf("the next is %q after %q, %v", next, previous, err)
	}
	if at, err := s.Newest(); err != nil || !at.Equal(src.Now) {
		t.Errorf("the newest is of %v, %v", at, err)
	}
	if err := os.Remove(filepath.Join(first, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if next, previous, err := s.Next(src.Now.Add(time.Minute)); err != nil || previous != "" || next == "" {
		t.Errorf("without a whole one the next is %q after %q, %v", next, previous, err)
	}
}
