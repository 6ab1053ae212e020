package dbtest

import (
	"context"
	"sync"
	"testing"

	"konak/internal/kit/db"
)

// owners holds the addresses of databases as their owner, by the database's name.
var owners sync.Map

// RefuseUpdates makes every UPDATE of a table fail, as in a failing database, until allow
// is called.
func RefuseUpdates(tb testing.TB, d *db.DB, table string) (allow func()) {
	tb.Helper()
	return refuse(tb, d, "UPDATE", table)
}

// RefuseInserts makes every INSERT into a table fail until allow is called.
func RefuseInserts(tb testing.TB, d *db.DB, table string) (allow func()) {
	tb.Helper()
	return refuse(tb, d, "INSERT", table)
}

// RefuseDeletes makes every DELETE from a table fail until allow is called.
func RefuseDeletes(tb testing.TB, d *db.DB, table string) (allow func()) {
	tb.Helper()
	return refuse(tb, d, "DELETE", table)
}

func refuse(tb testing.TB, d *db.DB, verb, table string) (allow func()) {
	tb.Helper()
	name := "refuse_" + table
	if d.Dialect() == db.SQLite {
		change(tb, d, `CREATE TRIGGER `+name+` BEFORE `+verb+` ON `+table+` BEGIN SELECT RAISE(ABORT, 'the test refuses it'); END`)
		return func() { change(tb, d, `DROP TRIGGER `+name) }
	}
	owner := ownerOf(tb, d)
	change(tb, owner, `CREATE FUNCTION `+name+`() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the test refuses it'; END $$`,
		`CREATE TRIGGER `+name+` BEFORE `+verb+` ON `+table+` FOR EACH ROW EXECUTE FUNCTION `+name+`()`)
	return func() { change(tb, owner, `DROP TRIGGER `+name+` ON `+table, `DROP FUNCTION `+name+`()`) }
}

// ownerOf opens a PostgreSQL database as its owner, which may change its tables.
func ownerOf(tb testing.TB, d *db.DB) *db.DB {
	tb.Helper()
	var name string
	read(tb, d, func(r *db.Reader) (err error) {
		name, err = db.One(r, db.Scalar[string], `SELECT current_database()`)
		return err
	})
	url, ok := owners.Load(name)
	if !ok {
		tb.Fatalf("database %q was not made by dbtest", name)
	}
	owner, err := db.Open(tb.Context(), db.Options{URL: url.(string), MaxConns: 2})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = owner.Close() })
	return owner
}

func change(tb testing.TB, d *db.DB, statements ...string) {
	tb.Helper()
	err := d.System("test").InTx(context.WithoutCancel(tb.Context()), func(tx *db.Tx) error {
		for _, s := range statements {
			if err := tx.Exec(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Error(err)
	}
}
