package migrations_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing"

	"konak/migrations"
)

// The migrations of released versions are never changed or removed: databases exist that
// they were applied to. Until a version is tagged, make freeze rewrites its list.
func TestReleasedMigrationsAreUnchanged(t *testing.T) {
	t.Parallel()
	list := migrations.Released()
	if len(list) == 0 {
		t.Fatal("no migration is released")
	}
	for _, r := range list {
		text, err := fs.ReadFile(migrations.Files, r.Name)
		if err != nil {
			t.Errorf("%s of version %s: %v", r.Name, r.Version, err)
			continue
		}
		if sum := sha256.Sum256(text); !strings.EqualFold(hex.EncodeToString(sum[:]), r.SHA256) {
			t.Errorf("%s of version %s was changed; add a migration instead (make freeze, if the version is not tagged yet)", r.Name, r.Version)
		}
	}
}
