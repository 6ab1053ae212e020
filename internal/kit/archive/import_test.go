package archive

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/blob"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// An import that fails after another one has written the same workspace leaves it its files.
func TestFilesOfAWorkspaceThatIsThere(t *testing.T) {
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
