package app_test

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"konak/internal/app"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/move"
	"konak/internal/kit/pgtest"
)

// An embedded installation with every record moves to PostgreSQL and is served there; the
// target is empty before, and nothing is moved while a server runs.
func TestMoveDatabase(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	b.w.Sample(canary)
	b.Settle()
	b.again(t, app.BackupOptions{Target: filepath.Join(t.TempDir(), "whole")})
	cfg, err := b.restore(t)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	target := pgtest.NewDatabase(t, "").Owner
	running := b.cfg
	if _, err := app.MoveDatabase(t.Context(), running, log, clock.System{}, target); err == nil || !strings.Contains(err.Error(), "another konak runs") {
		t.Errorf("beside a server: %v", err)
	}
	tables, err := app.MoveDatabase(t.Context(), cfg, log, clock.System{}, target)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, table := range tables {
		rows[table.Name] = table.Rows
	}
	if rows["tenant"] != 1 || rows["contact"] < 2 || rows["installation_key"] != 2 {
		t.Errorf("moved %v", rows)
	}
	cfg.DB = target
	a, err := app.Open(t.Context(), cfg, log, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`SELECT CAST(count(*) AS text) FROM conversation_item`, `SELECT name FROM contact ORDER BY id`, `SELECT email FROM app_user ORDER BY id`,
		`SELECT payload FROM outbox ORDER BY ` + db.SQLite.Position(), `SELECT payload FROM outbox ORDER BY id`,
	} {
		before, after := texts(t, b.DB, query), texts(t, a.DB, strings.Replace(query, db.SQLite.Position(), db.Postgres.Position(), 1))
		if diff := cmp.Diff(before, after); diff != "" || len(before) == 0 {
			t.Errorf("%s: %d rows: %s", query, len(before), diff)
		}
	}
	if lines := texts(t, a.DB, `SELECT object FROM audit_log WHERE action = 'database.moved_by_operator'`); len(lines) != 1 {
		t.Errorf("%d lines in the audit log", len(lines))
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	cfg.DB = ""
	mark := filepath.Join(cfg.Data, "konak.db.moved")
	if _, err := app.Open(t.Context(), cfg, log, clock.System{}); !errors.Is(err, move.ErrMoved) || !strings.Contains(err.Error(), "delete "+mark) {
		t.Errorf("the old copy is served by mistake: %v", err)
	}
	if _, err := app.OpenExisting(t.Context(), cfg, log, clock.System{}); !errors.Is(err, move.ErrMoved) {
		t.Errorf("a command looks at the old copy by mistake: %v", err)
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if _, err := app.MoveDatabase(t.Context(), cfg, log, clock.System{}, target); !errors.Is(err, move.ErrNotEmpty) {
		t.Errorf("a second time: %v", err)
	}
	if a, err = app.Open(t.Context(), cfg, log, clock.System{}); err != nil {
		t.Fatalf("the old copy, after its mark was deleted: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// texts returns the texts that a query finds.
func texts(t *testing.T, d *db.DB, query string) []string {
	t.Helper()
	out, err := db.Read(t.Context(), d.System("test"), func(r *db.Reader) ([]string, error) { return db.All(r, db.Scalar[string], query) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Files are moved to an S3 service and back, and a second run copies what is missing.
func TestMoveFiles(t *testing.T) {
	t.Parallel()
	b := backUp(t)
	memory := s3mem.New()
	if err := memory.CreateBucket("konak"); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(gofakes3.New(memory).Server())
	t.Cleanup(service.Close)
	log, cfg := slog.New(slog.DiscardHandler), b.cfg
	if _, err := app.MoveFiles(t.Context(), cfg, log, clock.System{}, true); err == nil || !strings.Contains(err.Error(), "--s3-url") {
		t.Errorf("without a service: %v", err)
	}
	cfg.S3URL = strings.Replace(service.URL, "http://", "http://key:secret@", 1) + "/konak"
	check := func(toS3 bool, want app.MovedFiles) {
		t.Helper()
		if got, err := app.MoveFiles(t.Context(), cfg, log, clock.System{}, toS3); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	check(true, app.MovedFiles{Copied: 1})
	check(true, app.MovedFiles{Present: 1})
	file := firstFile(t, cfg.Data)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check(false, app.MovedFiles{Copied: 1})
	if text, err := os.ReadFile(file); err != nil || string(text) != "hello" {
		t.Errorf("%q, %v", text, err)
	}
}
