package app_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	id "konak/internal/identity"
	"konak/internal/identity/signin"
	"konak/internal/kit/archive"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// leftOut are the tables that an archive does not hold: sign-ins and temporary codes.
var leftOut = []string{"session", "mfa_ticket", "handover", "oauth_code", "phone_ticket", "mobile_qr", "password_reset", "passkey_challenge", "partner_signup", "partner_signup_failure"}

// sealedBytes and sealedText match sealed values as a dump prints them: the part that
// differs each time, and all of it in a text.
var (
	sealedBytes = regexp.MustCompile(`\[147 107 110 107 1( [0-9]+){64}`)
	sealedText  = regexp.MustCompile(`k2tuawE[A-Za-z0-9+/]{85}`)
)

// comparable returns the rows of a dump by their tables, without some tables, and without
// what an import creates again: the wrapping of secrets, and the number that PostgreSQL
// gives to each event.
func comparable(dump string, without ...string) map[string][]string {
	dump = sealedBytes.ReplaceAllString(sealedText.ReplaceAllString(dump, "sealed"), "sealed")
	out := map[string][]string{}
	table := ""
	for line := range strings.Lines(dump) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.Contains(line, " ") {
			if line != "" {
				table = line
			}
			continue
		}
		if table == "outbox" {
			line = strings.TrimLeft(line, "0123456789 ")
		}
		out[table] = append(out[table], line)
	}
	for _, rows := range out {
		slices.Sort(rows)
	}
	for _, name := range without {
		delete(out, name)
	}
	return out
}

// readFiles returns the files of a workspace by their paths.
func readFiles(t *testing.T, cfg app.Config, tenant uuid.UUID) map[string]string {
	t.Helper()
	out := map[string]string{}
	root := filepath.Join(cfg.FilesFolder(), tenant.String())
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, root)] = string(b)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func archiveConfig(t *testing.T, s *apptest.Server) archive.Config {
	t.Helper()
	c, err := s.ArchiveConfig()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exportMine exports the workspace "mine".
func exportMine(t *testing.T, s *apptest.Server, tenant uuid.UUID, path string, to ...age.Recipient) (archive.Summary, error) {
	t.Helper()
	return archive.Export(t.Context(), archiveConfig(t, s), archive.Workspace{ID: tenant, Slug: "mine", Name: "mine"}, path, to)
}

// A workspace with a record of every kind is exported, deleted and imported: each table has
// the same rows as before, and each file its bytes. People who stayed because they are in
// another workspace are members again with their account. The other workspace does not
// change.
func TestExportDeleteImport(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			var cfg app.Config
			s := apptest.NewOn(t, dialect, func(c *app.Config) { cfg = *c })
			w, other := s.Workspace("mine"), s.Workspace("other")
			w.Sample(canary)
			other.Sample("other")
			if _, err := s.Identity.GrantRole(t.Context(), w.ID, "owner@other.example", id.RoleAgent); err != nil {
				t.Fatal(err)
			}
			s.Settle()
			setSuspended(t, s, "mine", true)
			path := filepath.Join(t.TempDir(), "mine.tar")
			exported, err := exportMine(t, s, w.ID, path)
			if err != nil {
				t.Fatal(err)
			}
			if exported.Rows < 50 || len(exported.Tables) < 40 || exported.Files < 1 || exported.Secrets < 2 {
				t.Errorf("exported %d rows of %d tables, %d files, %d secrets", exported.Rows, len(exported.Tables), exported.Files, exported.Secrets)
			}
			b, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(b), other.ID.String()) {
				t.Errorf("the archive names another workspace, %v", err)
			}
			if _, err := archive.Import(t.Context(), archiveConfig(t, s), path, ""); !errors.Is(err, archive.ErrTaken) {
				t.Errorf("beside itself: %v", err)
			}
			skip := append([]string{"audit_log"}, leftOut...)
			before, beforeOther := comparable(dbtest.Dump(t, s.DB, w.ID), skip...), dbtest.Dump(t, s.DB, other.ID)
			files := readFiles(t, cfg, w.ID)
			sealed, _ := countSealed(t, s.DB, 1)

			if _, err := s.DeleteWorkspace(t.Context(), "mine", "mine"); err != nil {
				t.Fatal(err)
			}
			got, err := archive.Import(t.Context(), archiveConfig(t, s), path, "")
			if err != nil {
				t.Fatal(err)
			}
			if got.Joined != 1 || got.People < 1 || got.Elsewhere || got.Rows != exported.Rows {
				t.Errorf("imported %d rows, %d people, %d of them joined", got.Rows, got.People, got.Joined)
			}
			if len(before) < 40 {
				t.Errorf("only %d tables are compared", len(before))
			}
			if diff := cmp.Diff(before, comparable(dbtest.Dump(t, s.DB, w.ID), skip...)); diff != "" {
				t.Errorf("the workspace changed:\n%s", diff)
			}
			if diff := cmp.Diff(files, readFiles(t, cfg, w.ID)); diff != "" {
				t.Errorf("its files changed:\n%s", diff)
			}
			if diff := cmp.Diff(beforeOther, dbtest.Dump(t, s.DB, other.ID)); diff != "" {
				t.Errorf("the other workspace changed:\n%s", diff)
			}
			if n, _ := countSealed(t, s.DB, 1); n != sealed {
				t.Errorf("%d of %d values are sealed", n, sealed)
			}
			if summary, err := s.WorkspaceSummary(t.Context(), "mine"); err != nil || summary.SuspendedAt == nil || summary.Deleting {
				t.Errorf("the workspace is %+v, %v", summary, err)
			}
			setSuspended(t, s, "mine", false)
			back := s.Client(w.SignIn("owner@mine.example").Token())
			back.Get("/api/crm/v1/contacts").Want(200)
			back.Post("/api/crm/v1/contacts", map[string]any{"name": "After"}).Want(201)
			other.Owner.Get("/api/v1/auth/me").Want(200)
		})
	}
}

// A workspace is imported next to another one that has its short name: under a new name,
// which its help center also uses, and the other one does not change.
func TestImportUnderAnotherName(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("mine")
		w.Sample(canary)
		s.Settle()
		setSuspended(t, s, "mine", true)
		path := filepath.Join(t.TempDir(), "mine.tar")
		if _, err := exportMine(t, s, w.ID, path); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DeleteWorkspace(t.Context(), "mine", "mine"); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Second)
		taken := s.Workspace("mine")
		c := archiveConfig(t, s)
		if _, err := archive.Import(t.Context(), c, path, ""); !errors.Is(err, archive.ErrTaken) {
			t.Errorf("under a name that is taken: %v", err)
		}
		c.Slug = "mine-2"
		got, err := archive.Import(t.Context(), c, path, "")
		if err != nil || got.Workspace.Slug != "mine-2" || got.Workspace.ID != w.ID {
			t.Fatalf("%+v, %v", got.Workspace, err)
		}
		setSuspended(t, s, "mine-2", false)
		s.Client("").Host("mine-2.help.localhost").Get("/tr").Want(200)
		s.Client("").Host("mine.help.localhost").Get("/tr").Want(404)
		taken.Owner.Get("/api/v1/auth/me").Want(200)
	})
}

// A workspace of an embedded installation moves to one on PostgreSQL and works there.
func TestExportToAnotherInstallation(t *testing.T) {
	t.Parallel()
	from, to := apptest.New(t, db.SQLite), apptest.New(t, db.Postgres)
	to.Clock.Advance(time.Hour) // ids come from the time, and are not to be the same
	to.Workspace("first")
	w := from.Workspace("mine")
	w.Sample(canary)
	from.Settle()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path, keyFile := filepath.Join(t.TempDir(), "mine.tar.age"), filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(keyFile, []byte(identity.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	exported, err := exportMine(t, from, w.ID, path, identity.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	got, err := archive.Import(t.Context(), archiveConfig(t, to), path, keyFile)
	if err != nil || got.Rows != exported.Rows || !got.Elsewhere {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, table := range exported.Tables {
		if table.Name == "recovery_code" || table.Name == "privacy_ledger_signature" {
			continue
		}
		extra := int64(0)
		if table.Name == "audit_log" {
			extra = 1
		}
		if n := countRows(t, to.DB, table.Name, w.ID); n != table.Rows+extra {
			t.Errorf("%s has %d rows instead of %d", table.Name, n, table.Rows+extra)
		}
	}
	setSuspended(t, to, "mine", false)
	in, err := to.Accounts.SignIn(t.Context(), signin.Proof{
		Email: "owner@mine.example", Password: apptest.Password, Slug: "mine", Device: id.Device{Name: "test", IP: "127.0.0.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	search := func(c *apptest.Client) (found []string) {
		for _, path := range []string{"/api/crm/v1/contacts?q=", "/api/crm/v1/conversations?q="} {
			var list []struct{ ID string }
			c.Get(path + canary[:6]).Want(200).Data(&list)
			for _, record := range list {
				found = append(found, record.ID)
			}
		}
		return found
	}
	here, there := search(w.Owner), search(to.Client(in.Token))
	if diff := cmp.Diff(here, there); diff != "" || len(here) < 2 {
		t.Errorf("a search finds %d records, and there others:\n%s", len(here), diff)
	}
}

// The demo's workspace moves from either database to the other and is complete there: its
// lists, counters and views agree.
func TestExportOfTheDemo(t *testing.T) {
	t.Parallel()
	for from, to := range map[db.Dialect]db.Dialect{db.SQLite: db.Postgres, db.Postgres: db.SQLite} {
		t.Run(string(from), func(t *testing.T) {
			t.Parallel()
			open := func(d db.Dialect, start time.Time, demo bool) *app.App {
				a, err := app.Open(t.Context(), app.Config{
					DB: dbtest.URL(t, d), Data: t.TempDir(), Listen: "127.0.0.1:0", PrivateListen: "off", Domain: "localhost",
					SQLiteSync: "normal", RowSecurity: d == db.Postgres, Demo: demo,
				}, slog.New(slog.DiscardHandler), clock.NewFake(start))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = a.Close() })
				return a
			}
			src, dst := open(from, dbtest.Start, true), open(to, dbtest.Start.Add(time.Hour), false)
			w, err := src.WorkspaceSummary(t.Context(), "demo")
			if err != nil {
				t.Fatal(err)
			}
			identity, err := age.GenerateX25519Identity()
			if err != nil {
				t.Fatal(err)
			}
			path, keyFile := filepath.Join(t.TempDir(), "demo.tar.age"), filepath.Join(t.TempDir(), "key.txt")
			if err := os.WriteFile(keyFile, []byte(identity.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			config := func(a *app.App) archive.Config {
				c, err := a.ArchiveConfig()
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			exported, err := archive.Export(t.Context(), config(src), archive.Workspace{ID: w.ID, Slug: w.Slug, Name: w.Name}, path, []age.Recipient{identity.Recipient()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := archive.Import(t.Context(), config(dst), path, keyFile); err != nil {
				t.Fatal(err)
			}
			for _, table := range exported.Tables {
				extra := int64(0)
				if table.Name == "audit_log" {
					extra = 1
				}
				if n := countRows(t, dst.DB, table.Name, w.ID); n != table.Rows+extra {
					t.Errorf("%s has %d rows instead of %d", table.Name, n, table.Rows+extra)
				}
			}
			if _, err := dst.SetSuspended(t.Context(), "demo", false); err != nil {
				t.Fatal(err)
			}
			checkDemo(t, dst, "demo", [2]int{30, 40})
		})
	}
}

// countRows counts a workspace's rows in a table.
func countRows(t *testing.T, d *db.DB, table string, tenant uuid.UUID) (n int64) {
	t.Helper()
	where := `tenant_id = $1`
	switch table {
	case "tenant":
		where = `id = $1`
	case "app_user":
		where = `id IN (SELECT user_id FROM membership WHERE tenant_id = $1)`
	case "passkey":
		where = `user_id IN (SELECT user_id FROM membership WHERE tenant_id = $1)`
	}
	n, err := db.Read(t.Context(), d.System("test"), func(r *db.Reader) (int64, error) {
		return db.One(r, db.Scalar[int64], `SELECT count(*) FROM "`+table+`" WHERE `+where, tenant)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
