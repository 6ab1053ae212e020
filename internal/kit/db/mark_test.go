package db_test

import (
	"slices"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/migrations"
)

func TestMark(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		system := d.System("test")
		marked := func() (ok bool) {
			t.Helper()
			if err := system.Read(t.Context(), func(r *db.Reader) (err error) { ok, err = db.Marked(r, "x"); return err }); err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if marked() {
			t.Error("marked before")
		}
		for range 2 {
			if err := system.InTx(t.Context(), func(tx *db.Tx) error { return db.Mark(tx, "x") }); err != nil {
				t.Fatal(err)
			}
		}
		if !marked() {
			t.Error("not marked")
		}
	})
}

// Rows that refer to each other are deleted together, and no tables but ours are touched.
func TestEmpty(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tables, err := db.TablesOf(migrations.Files)
		if err != nil {
			t.Fatal(err)
		}
		have := dbtest.Tables(t, d)
		delete(have, "goose_db_version")
		delete(have, "migration_checksum")
		for _, name := range tables {
			if _, ok := have[name]; !ok {
				t.Errorf("there is no table %s", name)
			}
			delete(have, name)
		}
		for name := range have {
			t.Errorf("%s is not among the tables of the migrations", name)
		}
		h := d.Tenant(dbtest.Tenant(t, d, "a"))
		if err := h.InTx(t.Context(), func(tx *db.Tx) error { return add(tx, "kept@example.com") }); err != nil {
			t.Fatal(err)
		}
		tables = slices.DeleteFunc(tables, func(name string) bool { return name == "advisor_revision" })
		if err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error { return db.Empty(tx, tables) }); err != nil {
			t.Fatal(err)
		}
		if left := emails(t, h); len(left) != 0 {
			t.Errorf("left %v", left)
		}
		dbtest.Tenant(t, d, "a") // the name is free again
	})
}
