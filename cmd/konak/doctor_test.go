package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/migrations"
)

// The doctor lists the files that were found missing, until they are back.
func TestDoctorListsLostFiles(t *testing.T) {
	t.Parallel()
	d := &checkup{}
	d.Data = t.TempDir()
	handle, err := db.Open(t.Context(), db.Options{URL: d.DatabaseURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = handle.Close() }()
	if _, err := handle.Migrate(t.Context(), migrations.Files); err != nil {
		t.Fatal(err)
	}
	d.db = handle
	store, err := blob.New(blob.Config{DB: handle, Folder: d.FilesFolder()})
	if err != nil {
		t.Fatal(err)
	}
	tenant := uuid.New()
	b, err := store.Put(t.Context(), tenant, strings.NewReader("fatura"), 100)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.files(t.Context()); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
	found, err := filepath.Glob(filepath.Join(d.FilesFolder(), "*", "*", b.ID.String()))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.Rename(found[0], found[0]+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), tenant, b.ID); err == nil {
		t.Fatal("opened")
	}
	if _, err := d.files(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of them are missing or damaged") || !strings.Contains(err.Error(), b.ID.String()) {
		t.Errorf("the doctor says %v", err)
	}
	if err := os.Rename(found[0]+"-away", found[0]); err != nil {
		t.Fatal(err)
	}
	f, err := store.Open(t.Context(), tenant, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := d.files(t.Context()); err != nil {
		t.Error(err)
	}
}
