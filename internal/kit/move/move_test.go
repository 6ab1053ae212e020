package move_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/move"
	"konak/internal/kit/pgtest"
	"konak/migrations"
)

// A value that arrives changed or not at all is noticed, and nothing of the move remains,
// so that it can be run again. A target with rows or with other tables is refused.
func TestCopyIsCompared(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, db.SQLite)
	source, err := db.Open(t.Context(), db.Options{URL: url, Clock: clock.NewFake(dbtest.Start)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	tenant := dbtest.Tenant(t, source, "mine")
	dbtest.Tenant(t, source, "other")
	err = source.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		return audit.Write(tx, "thing.changed", "çğış", map[string]any{"a": 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	to := pgtest.NewDatabase(t, "").Owner
	target, err := db.Open(t.Context(), db.Options{URL: to})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	if _, err := target.Migrate(t.Context(), migrations.Files); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	exec := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := conn.Exec(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	count := func(query string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const references = `SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`
	before := count(references)
	run := func() ([]move.Table, error) {
		return move.Copy(t.Context(), source, target, filepath.Clean(strings.TrimPrefix(url, "sqlite:")), to)
	}
	for name, body := range map[string]string{
		"another value":  `NEW.name := upper(NEW.name); RETURN NEW;`,
		"another number": `NEW.created_at := NEW.created_at + 1; RETURN NEW;`,
		"another flag":   `NEW.demo := NOT NEW.demo; RETURN NEW;`,
		"a row less":     `IF NEW.slug = 'other' THEN RETURN NULL; END IF; RETURN NEW;`,
	} {
		exec(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN `+body+` END $$`,
			`CREATE TRIGGER spoil BEFORE INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION spoil()`)
		if _, err := run(); err == nil || !strings.Contains(err.Error(), "table tenant: ") || !strings.Contains(err.Error(), "rows arrived, or values differ") {
			t.Errorf("%s: %v", name, err)
		}
		exec(`DROP TRIGGER spoil ON tenant`, `DROP FUNCTION spoil()`)
		if n := count(`SELECT (SELECT count(*) FROM tenant) + (SELECT count(*) FROM audit_log)`); n != 0 {
			t.Errorf("%s: %d rows stay", name, n)
		}
	}
	exec(`ALTER TABLE tenant ADD COLUMN of_another_program text`)
	if _, err := run(); err == nil || !strings.Contains(err.Error(), "different tables") {
		t.Errorf("other tables: %v", err)
	}
	exec(`ALTER TABLE tenant DROP COLUMN of_another_program`)

	moved, err := run()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, m := range moved {
		rows[m.Name] = m.Rows
	}
	if rows["tenant"] != 2 || rows["audit_log"] != 1 || count(`SELECT count(*) FROM audit_log WHERE object = 'çğış'`) != 1 {
		t.Errorf("moved %v", rows)
	}
	if after := count(references); after != before || before == 0 {
		t.Errorf("%d of %d references are back", after, before)
	}
	if err := move.CheckMark(url); !errors.Is(err, move.ErrMoved) {
		t.Errorf("the source has no mark: %v", err)
	}
	if _, err := run(); !errors.Is(err, move.ErrNotEmpty) {
		t.Errorf("a second time: %v", err)
	}
	// A move that was killed after its rows were committed is finished by the next.
	exec(`DELETE FROM audit_log WHERE action = 'database.moved_by_operator'`)
	if err := os.Remove(strings.TrimPrefix(url, "sqlite:") + ".moved"); err != nil {
		t.Fatal(err)
	}
	again, err := run()
	if diff := cmp.Diff(moved, again); err != nil || diff != "" {
		t.Errorf("after it was killed: %v, %s", err, diff)
	}
	if err := move.CheckMark(url); !errors.Is(err, move.ErrMoved) {
		t.Errorf("the source has no mark after it was killed: %v", err)
	}
	if n := count(`SELECT count(*) FROM audit_log WHERE action = 'database.moved_by_operator'`); n != 1 {
		t.Errorf("%d lines in the audit log", n)
	}
}
