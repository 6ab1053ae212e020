package app_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	serving "konak/internal/kit/node"
	"konak/internal/kit/secret"
)

// countSealed counts the sealed values of one key in every column of the database, as bytes
// and as base64 in texts.
func countSealed(t *testing.T, d *db.DB, key byte) (n int, where []string) {
	t.Helper()
	head := []byte("\x93knk\x01\x00\x00\x00" + string(key))
	columns, err := d.Columns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		var find string
		switch {
		case c.Table == "installation_key":
			continue
		case c.Type == "bytea":
			literal := "x'" + hex.EncodeToString(head) + "'"
			if d.Dialect() == db.Postgres {
				literal = `'\x` + hex.EncodeToString(head) + `'::bytea`
			}
			find = fmt.Sprintf(`substr("%s", 1, %d) = %s`, c.Name, len(head), literal)
		case c.Type == "text":
			find = `"` + c.Name + `" LIKE '%` + base64.StdEncoding.EncodeToString(head) + `%'`
		default:
			continue
		}
		err := d.System("test").Read(t.Context(), func(r *db.Reader) error {
			k, err := db.One(r, db.Scalar[int], `SELECT count(*) FROM "`+c.Table+`" WHERE `+find)
			if n += k; k > 0 {
				where = append(where, c.Table+"."+c.Name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return n, where
}

// A new master key seals everything that modules had sealed; the old one is kept separately
// and opens nothing. A running server is not touched, and an interrupted rotation
// continues.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			s := apptest.NewOn(t, dialect, func(c *app.Config) { cfg = *c })
			log := slog.New(slog.DiscardHandler)
			w := s.Workspace("demo")
			w.Sample(canary)
			s.Settle()
			before, where := countSealed(t, s.DB, 1)
			if before < 2 {
				t.Fatalf("%d values are sealed, in %v", before, where)
			}
			rotate := func() (app.Rotation, error) { return app.RotateKey(t.Context(), cfg, log, clock.System{}, "") }

			running := uuid.New()
			// The time of the fake clock would be long past for the command.
			d, err := db.Open(t.Context(), db.Options{URL: cfg.DatabaseURL()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			if err := serving.Announce(t.Context(), d, serving.Serving{ID: running, Host: "one", Version: "0.1.0", FileStore: "a"}); err != nil {
				t.Fatal(err)
			}
			if _, err := rotate(); err == nil || !strings.Contains(err.Error(), "a server runs on one") {
				t.Fatalf("beside a server: %v", err)
			}
			if err := serving.Leave(t.Context(), d, running); err != nil {
				t.Fatal(err)
			}

			// An earlier run was interrupted after the database knew the new key.
			old, err := secret.ReadBox(cfg.Data)
			if err != nil {
				t.Fatal(err)
			}
			next, text := secret.NewMaster()
			if err := secret.WriteKey(filepath.Join(cfg.Data, "master.key.new"), text); err != nil {
				t.Fatal(err)
			}
			if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
				t.Fatal(err)
			}
			r, err := rotate()
			if err != nil || r.Sealed != before || !r.Resumed {
				t.Fatalf("%+v, %v; %d values were sealed in %v", r, err, before, where)
			}
			if n, where := countSealed(t, s.DB, 1); n != 0 {
				t.Errorf("%d values have the old key: %v", n, where)
			}
			if n, _ := countSealed(t, s.DB, 2); n != before {
				t.Errorf("%d of %d values have the new key", n, before)
			}
			for file, fits := range map[string]bool{r.KeyFile: true, r.OldKeyFile: false} {
				key, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				with := cfg
				with.MasterKey = string(key)
				if err := with.CheckKey(t.Context(), s.DB); (err == nil) != fits {
					t.Errorf("%s: %v", file, err)
				}
			}
			if _, err := os.Stat(r.KeyFile + ".new"); err == nil {
				t.Error("the new key was left beside its file")
			}
			if _, err := rotate(); err == nil || !strings.Contains(err.Error(), "holds the key of an earlier rotation") {
				t.Errorf("with an old key that is still there: %v", err)
			}

			// Another was interrupted after the key file was replaced.
			third, text := secret.NewMaster()
			err = errors.Join(secret.BeginRotation(t.Context(), d, next, third), os.Rename(r.KeyFile, r.OldKeyFile), secret.WriteKey(r.KeyFile, text))
			if err != nil {
				t.Fatal(err)
			}
			if r, err := rotate(); err != nil || r.Sealed != before || !r.Resumed {
				t.Errorf("%+v, %v; %d values were sealed", r, err, before)
			}
			if n, _ := countSealed(t, s.DB, 3); n != before {
				t.Errorf("%d of %d values have the newest key", n, before)
			}
		})
	}
}

// If the master key is a setting, the new one is written to a named file.
func TestRotateKeyGivenAsSetting(t *testing.T) {
	t.Parallel()
	var cfg app.Config
	apptest.NewWith(t, func(c *app.Config) {
		c.MasterKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		cfg = *c
	})
	log := slog.New(slog.DiscardHandler)
	if _, err := app.RotateKey(t.Context(), cfg, log, clock.System{}, ""); err == nil || !strings.Contains(err.Error(), "--new-key-file") {
		t.Errorf("without a file: %v", err)
	}
	target := filepath.Join(t.TempDir(), "next.key")
	r, err := app.RotateKey(t.Context(), cfg, log, clock.System{}, target)
	if err != nil || r.KeyFile != target || r.OldKeyFile != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	key, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MasterKey = string(key)
	if _, err := app.RotateKey(t.Context(), cfg, log, clock.System{}, target); err == nil || !strings.Contains(err.Error(), "file exists") {
		t.Errorf("into a file that is there: %v", err)
	}
}

// An interrupted rotation whose new key was lost before it was used gets another one.
func TestRotateKeyAfterLosingNewKey(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			s := apptest.NewOn(t, dialect, func(c *app.Config) { cfg = *c })
			s.Workspace("demo").Sample(canary)
			s.Settle()
			before, _ := countSealed(t, s.DB, 1)
			old, err := secret.ReadBox(cfg.Data)
			if err != nil {
				t.Fatal(err)
			}
			lost, _ := secret.NewMaster()
			if err := secret.BeginRotation(t.Context(), s.DB, old, lost); err != nil {
				t.Fatal(err)
			}
			r, err := app.RotateKey(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{}, "")
			if err != nil || r.Sealed != before || r.Resumed {
				t.Fatalf("%+v, %v; %d values were sealed", r, err, before)
			}
			if open, err := secret.RotationOpen(t.Context(), s.DB); err != nil || open {
				t.Errorf("the rotation is open: %v, %v", open, err)
			}
			now, err := secret.ReadBox(cfg.Data)
			if err != nil {
				t.Fatal(err)
			}
			if err := now.CheckKey(t.Context(), s.DB); err != nil {
				t.Errorf("the new key: %v", err)
			}
			for name, box := range map[string]*secret.Box{"the old key": old, "the lost key": lost} {
				if err := box.CheckKey(t.Context(), s.DB); !errors.Is(err, secret.ErrOtherKey) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
