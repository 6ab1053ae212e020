package app_test

import (
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
	"konak/migrations"
)

// This program starts on a database with the schema of each version that was given out,
// migrates it and makes a workspace in it.
func TestUpgradeFromReleasedVersions(t *testing.T) {
	t.Parallel()
	released := fstest.MapFS{}
	for i, f := range migrations.Released() {
		text, err := fs.ReadFile(migrations.Files, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		released[f.Name] = &fstest.MapFile{Data: text}
		if list := migrations.Released(); i+1 < len(list) && list[i+1].Version == f.Version {
			continue
		}
		files := fstest.MapFS{}
		for name, file := range released {
			files[name] = file
		}
		for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
			t.Run(f.Version+"/"+string(dialect), func(t *testing.T) {
				t.Parallel()
				cfg := app.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost"}
				if dialect == db.Postgres {
					cfg.DB = pgtest.NewDatabase(t, "").Owner
				}
				d, err := db.Open(t.Context(), db.Options{URL: cfg.DatabaseURL()})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Migrate(t.Context(), files); err != nil {
					t.Fatal(err)
				}
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = a.Close() }()
				if _, _, err := a.CreateWorkspace(t.Context(), "Firma", app.NewOwner{Name: "Ayşe", Email: "ayse@example.com", Language: "tr"}); err != nil {
					t.Error(err)
				}
				if pending, err := a.DB.Pending(t.Context(), migrations.Files); err != nil || pending {
					t.Errorf("migrations wait: %v, %v", pending, err)
				}
			})
		}
	}
}
