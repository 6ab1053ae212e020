package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// openNode returns the error of opening a node with the settings.
func openNode(t *testing.T, cfg app.Config) error {
	t.Helper()
	a, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
	if err == nil {
		err = a.Close()
	}
	return err
}

// A second node on the same database without a key does not create its own.
func TestNodeWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			apptest.NewOn(t, d, func(c *app.Config) { cfg = *c })
			key, err := os.ReadFile(filepath.Join(cfg.Data, "master.key"))
			if err != nil {
				t.Fatal(err)
			}
			cfg.Data = t.TempDir()
			if err := openNode(t, cfg); err == nil || !strings.Contains(err.Error(), "restore the file") {
				t.Errorf("a node without the key says %v", err)
			}
			if _, err := os.Stat(filepath.Join(cfg.Data, "master.key")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a key was made: %v", err)
			}
			cfg.MasterKey = string(key)
			if err := openNode(t, cfg); err != nil {
				t.Errorf("a node with the key says %v", err)
			}
		})
	}
}

// Commands that run next to a server apply no migrations: they refuse a database that lacks
// one and leave it as it is.
func TestCommandsBesideServerDoNotMigrate(t *testing.T) {
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			s := apptest.NewOn(t, d, func(c *app.Config) { cfg = *c })
			applied := func() (n int) {
				err := s.DB.System("test").Read(t.Context(), func(r *db.Reader) (err error) {
					n, err = db.One(r, db.Scalar[int], `SELECT count(*) FROM goose_db_version WHERE version_id = 2`)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			look := func() error {
				a, err := app.OpenExisting(t.Context(), cfg, slog.New(slog.DiscardHandler), clock.System{})
				if err == nil {
					err = a.Close()
				}
				return err
			}
			if err := look(); err != nil {
				t.Fatal(err)
			}
			err := s.DB.System("test").InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`DELETE FROM goose_db_version WHERE version_id = 2`)
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := look(); err == nil || !strings.Contains(err.Error(), "konak migrate") {
				t.Errorf("looking says %v", err)
			}
			if n := applied(); n != 0 {
				t.Errorf("looking applied %d migrations", n)
			}
		})
	}
}

// The operator sees every mail that no mail server took, with its workspace, and each is a
// line in the log.
func TestOutboxOfAllWorkspaces(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		s.Workspace("acme")
		s.Client("").Post("/api/v1/auth/sign-up", map[string]any{
			"email": "yeni@firma.example", "password": "dört at yeşil çayırda koşar", "name": "Yeni", "workspace_name": "Firma",
		}).Want(200)
		s.Settle()
		s.Clock.Advance(time.Second)
		w.Owner.Post("/api/v1/auth/invitations", map[string]any{"email": "davetli@firma.example", "role": identity.RoleGuest}).Want(201)
		s.Settle()
		show := func(slug string, limit int) string {
			list, err := s.Outbox(t.Context(), slug, limit)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, m := range list {
				fmt.Fprintf(&b, "%s>%s ", m.Workspace, m.To)
			}
			return b.String()
		}
		if got := show("", 10); got != "demo>davetli@firma.example >yeni@firma.example " {
			t.Errorf("all: %s", got)
		}
		if got := show("", 1); got != "demo>davetli@firma.example " {
			t.Errorf("the newest: %s", got)
		}
		if got := show("demo", 10); got != "demo>davetli@firma.example " {
			t.Errorf("one workspace's: %s", got)
		}
		if got := show("acme", 10); got != "" {
			t.Errorf("another's: %s", got)
		}
		if n := strings.Count(s.Logs.String(), "a mail was kept"); n != 2 {
			t.Errorf("%d lines about 2 mails", n)
		}
	})
}
