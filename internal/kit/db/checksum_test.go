package db_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/fstest"

	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
)

// oneTable returns one migration per file, each of which creates one table.
func oneTable(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for file, table := range files {
		out[file] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE " + table + " (id bigint PRIMARY KEY);\n")}
	}
	return out
}

// A database whose migrations are not those of the program is refused, both when migrating
// and when only checking, and stays unchanged.
func TestOtherMigrationsAreRefused(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "x.db") },
		"postgres": func(t *testing.T) string { return pgtest.NewDatabase(t, "").Owner },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := db.Open(t.Context(), db.Options{URL: url(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			applied := oneTable(map[string]string{"00001_one.sql": "one", "00002_two.sql": "two"})
			for range 2 {
				if _, err := d.Migrate(t.Context(), applied); err != nil {
					t.Fatal(err)
				}
			}
			for _, tc := range []struct {
				files fstest.MapFS
				want  error
				text  string
			}{
				{oneTable(map[string]string{"00001_one.sql": "one", "00003_three.sql": "three"}), db.ErrUnknownMigration, "migration 00002: "},
				{oneTable(map[string]string{"00001_one.sql": "one", "00002_two.sql": "zwei", "00003_three.sql": "three"}), db.ErrChangedMigration, "migration 00002_two.sql: "},
			} {
				_, err := d.Migrate(t.Context(), tc.files)
				if !errors.Is(err, tc.want) || err.Error() != tc.text+tc.want.Error() {
					t.Errorf("migrating says %v", err)
				}
				if _, err := d.Pending(t.Context(), tc.files); !errors.Is(err, tc.want) {
					t.Errorf("looking says %v", err)
				}
				if found, err := d.HasTable(t.Context(), "three"); err != nil || found {
					t.Errorf("a refused migration ran: %v, %v", found, err)
				}
			}
			added := oneTable(map[string]string{"00001_one.sql": "one", "00002_two.sql": "two", "00003_three.sql": "three"})
			if versions, err := d.Migrate(t.Context(), added); err != nil || len(versions) != 1 {
				t.Errorf("an added migration: %v, %v", versions, err)
			}
		})
	}
}
