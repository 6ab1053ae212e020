package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
)

// Konak's files are readable only by its own user: in a folder that everybody may read, and
// if the files were created with wider modes.
func TestDataFilesAreReadableByOwnerOnly(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		var cfg *app.Config
		s := apptest.NewWith(t, func(c *app.Config) {
			c.DB, cfg = "", c
			if err := os.Chmod(c.Data, 0o777); err != nil { //nolint:gosec // that is the case
				t.Fatal(err)
			}
			if !before {
				return
			}
			if err := os.Mkdir(filepath.Join(c.Data, "files"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"konak.db", "konak.db-wal"} {
				if err := os.WriteFile(filepath.Join(c.Data, name), nil, 0o644); err != nil { //nolint:gosec // that is the case
					t.Fatal(err)
				}
			}
			if exposed, err := c.Exposed(); err != nil || len(exposed) != 3 {
				t.Errorf("exposed: %v, %v", exposed, err)
			}
		})
		w := s.Workspace("demo")
		who := w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif"}).Want(201).ID()
		w.Owner.Post("/api/crm/v1/conversations", map[string]any{"contact_id": who, "subject": "x", "body": "y"}).Want(201)
		w.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename=a.txt", "hello").Want(201)
		seen := 0
		err := filepath.WalkDir(cfg.Data, func(path string, e fs.DirEntry, err error) error {
			if err != nil || path == cfg.Data {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			seen++
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %o", path, info.Mode().Perm())
			}
			return nil
		})
		if err != nil || seen < 5 {
			t.Errorf("%d files, %v", seen, err)
		}
		if exposed, err := cfg.Exposed(); err != nil || len(exposed) != 0 {
			t.Errorf("exposed: %v, %v", exposed, err)
		}
	}
}
