package archive

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/secret"
	"konak/internal/kit/tenantrows"
)

// An import that fails after another one has written the same workspace does not remove its
// files.
func TestFailedImportSparesExistingFiles(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start))
	store, err := blob.New(blob.Config{DB: d, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tenant := dbtest.Tenant(t, d, "mine")
	b, err := store.Put(t.Context(), tenant, strings.NewReader("x"), 10)
	if err != nil {
		t.Fatal(err)
	}
	i := &importer{
		Config: Config{DB: d, Blobs: store}, checker: &checker{tenant: Workspace{ID: tenant, Slug: "mine"}}, put: []uuid.UUID{b.ID},
	}
	if err := i.removeFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := store.Open(t.Context(), tenant, b.ID)
	if err != nil {
		t.Fatalf("the file is gone: %v", err)
	}
	_ = f.Close()
}

// A file that was replaced after it was checked is refused.
func TestArchiveReplacedAfterCheckIsRefused(t *testing.T) {
	t.Parallel()
	open := func(start time.Time) Config {
		d := dbtest.Open(t, db.SQLite, clock.NewFake(start))
		store, err := blob.New(blob.Config{DB: d, Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		master, _ := secret.NewMaster()
		return Config{DB: d, Blobs: store, Box: master}
	}
	src, dst := open(dbtest.Start), open(dbtest.Start.Add(time.Hour))
	w := Workspace{ID: dbtest.Tenant(t, src.DB, "mine"), Slug: "mine", Name: "mine"}
	var paths [2]string
	for i := range paths { // the second has one more line in its audit log
		paths[i] = filepath.Join(t.TempDir(), "mine.tar")
		if _, err := Export(t.Context(), src, w, paths[i], nil); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := tenantrows.CopyTables(t.Context(), dst.DB)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := check(t.Context(), source{name: paths[0]}, tables)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, ErrDamaged} {
		im := &importer{Config: dst, checker: checked, source: source{name: paths[i]}, from: src.Box}
		undo := errors.New("undo")
		err := dst.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
			if err := im.insert(t.Context(), tx); err != nil {
				return err
			}
			return undo
		})
		if want == nil {
			want = undo
		}
		if !errors.Is(err, want) {
			t.Errorf("archive %d: %v", i, err)
		}
	}
}
