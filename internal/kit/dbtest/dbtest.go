// Package dbtest runs a test on SQLite and on a real PostgreSQL.
//
// Every test gets its own database, copied from one that was migrated once. On PostgreSQL
// it works as a role without BYPASSRLS and with row security forced, so a query that
// forgets its tenant finds nothing there.
package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/pgtest"
	"konak/migrations"
)

// Start is the initial time of a test's fake clock.
var Start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// Run runs fn on both databases with a fake clock.
func Run(t *testing.T, fn func(t *testing.T, d *db.DB, c *clock.Fake)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := clock.NewFake(Start)
			fn(t, Open(t, dialect, c), c)
		})
	}
}

// Open returns a fresh, migrated database.
func Open(tb testing.TB, dialect db.Dialect, c clock.Source) *db.DB {
	tb.Helper()
	opts := db.Options{URL: URL(tb, dialect), Clock: c, RowSecurity: true, MaxConns: 12}
	d, err := db.Open(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// URL returns the address of a fresh, migrated database, for tests that start another
// process.
func URL(tb testing.TB, dialect db.Dialect) string {
	tb.Helper()
	if dialect == db.Postgres {
		name := pgtest.Template(tb, "konak_"+fingerprint(), func(owner string) error {
			return migrate(owner)
		})
		made := pgtest.NewDatabase(tb, name)
		owners.Store(made.Name, made.Owner)
		return made.App
	}
	b, err := sqliteTemplate()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "konak.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + path
}

var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "konak-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "template.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrate(url string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, db.Options{URL: url, RowSecurity: true})
	if err != nil {
		return err
	}
	if _, err = d.Migrate(ctx, migrations.Files); err == nil && d.Dialect() == db.Postgres {
		err = d.Grant(ctx, pgtest.AppRole)
	}
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// fingerprint changes with any migration, so that a template left on a server by an earlier
// test run is never used when it is out of date.
var fingerprint = sync.OnceValue(func() string {
	h := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(h, "%s\x00%s\x00", path, b)
		return err
	})
	if err != nil {
		panic(err) // an embedded file can always be read
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
})

// Tenant adds a workspace with all licences.
func Tenant(tb testing.TB, d *db.DB, slug string) uuid.UUID {
	tb.Helper()
	id := d.Clock().NewID()
	err := d.System("test").InTx(tb.Context(), func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO tenant (id, slug, name, licences, created_at) VALUES ($1, $2, $3, $4, $5)`,
			id, slug, slug, `["crm","telephony","ai","mail","erp","commerce","advisor"]`, clock.At(tx.Now()))
	})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}
