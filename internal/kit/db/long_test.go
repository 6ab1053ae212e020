package db_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
)

// A snapshot sees the state of one moment, whatever is committed meanwhile, and only what
// its tenant may see. It cannot write and cannot be started inside a transaction.
func TestReadSnapshot(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		tenant := dbtest.Tenant(t, d, "a")
		h := d.Tenant(tenant)
		add := func() {
			t.Helper()
			err := h.InTx(t.Context(), func(tx *db.Tx) error {
				return tx.Exec(`INSERT INTO mail_outbox (tenant_id, id, recipient, subject, sealed, created_at) VALUES ($1, $2, '', '', $3, 0)`, tenant, tx.NewID(), []byte("x"))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		count := func(r *db.Reader) (n int, err error) {
			err = db.ForEachRow(r, func(row db.Row) error {
				var recipient string
				n++
				return row.Scan(&recipient)
			}, `SELECT recipient FROM mail_outbox WHERE tenant_id = $1`, tenant)
			return n, err
		}
		add()
		err := h.Within(time.Minute).ReadSnapshot(t.Context(), func(r *db.Reader) error {
			for range 3 {
				if n, err := count(r); err != nil || n != 1 {
					return fmt.Errorf("%d rows, %w", n, err)
				}
				add()
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if n, err := db.Read(t.Context(), h, count); err != nil || n != 4 {
			t.Errorf("%d rows afterwards, %v", n, err)
		}
		stop := errors.New("stop")
		if err := h.ReadSnapshot(t.Context(), func(r *db.Reader) error {
			return db.ForEachRow(r, func(db.Row) error { return stop }, `SELECT 1 FROM mail_outbox WHERE tenant_id = $1`, tenant)
		}); !errors.Is(err, stop) {
			t.Errorf("the error of a row: %v", err)
		}
		err = h.InTx(t.Context(), func(*db.Tx) error {
			return h.ReadSnapshot(t.Context(), func(*db.Reader) error { return nil })
		})
		if !errors.Is(err, db.ErrNested) {
			t.Errorf("inside of a transaction: %v", err)
		}
	})
}

// A handle with its own limit may take longer than others; the next one may not.
func TestWithin(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.SQLite, clock.NewFake(dbtest.Start))
	h := d.Tenant(dbtest.Tenant(t, d, "a"))
	d.SetCap(10 * time.Millisecond)
	slow := func(tx *db.Tx) error {
		// Work that takes longer than the usual limit.
		err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) UPDATE tenant SET name = name WHERE (SELECT count(*) FROM n) < 0`)
		if err != nil {
			return err
		}
		return tx.Exec(`UPDATE tenant SET name = name`)
	}
	if err := h.Within(time.Hour).InTx(t.Context(), slow); err != nil {
		t.Errorf("with time: %v", err)
	}
	if err := h.InTx(t.Context(), slow); err == nil {
		t.Error("without time it was not refused")
	}
}

// The checksum of a schema changes with each migration.
func TestSchemaSum(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, files := range []fstest.MapFS{
		{"00001_a.sql": {Data: []byte("x")}},
		{"00001_a.sql": {Data: []byte("y")}},
		{"00001_b.sql": {Data: []byte("x")}},
		{"00001_a.sql": {Data: []byte("x")}, "00002_b.sql": {Data: []byte("")}},
	} {
		sum, err := db.SchemaSum(files)
		if err != nil || seen[sum] {
			t.Errorf("%v: %q again, %v", files, sum, err)
		}
		seen[sum] = true
	}
}
