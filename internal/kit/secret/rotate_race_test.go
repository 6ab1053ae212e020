package secret_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// sealedRow is a row of privacy_subject_key, in which the tests store sealed values.
type sealedRow struct {
	ref    string
	sealed []byte
}

// putSealed writes a row in its own transaction, replacing the one with the same ref.
func putSealed(t *testing.T, d *db.DB, tenant uuid.UUID, box *secret.Box, ref, plain string) {
	t.Helper()
	err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, $2, $3)
			ON CONFLICT (tenant_id, subject_ref) DO UPDATE SET sealed = excluded.sealed`, tenant, ref, box.Seal(tenant, ref, []byte(plain)))
	})
	if err != nil {
		t.Error(err)
	}
}

// Whatever is written while everything is resealed, with the previous key or with the new
// one, over old rows or as new ones, opens with the new master key afterwards and has the
// value that was written last.
func TestRotationDuringWrites(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		old, next := newBox(t, 1), newBox(t, 2)
		before, tenant := recordKeys(t, d, old), dbtest.Tenant(t, d, "a")
		const rows, writers, rounds = 1200, 4, 40
		want := map[string]string{}
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			for i := range rows {
				ref := fmt.Sprint("row ", i)
				want[ref] = "first"
				if err := tx.Exec(`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, $2, $3)`,
					tenant, ref, before.Seal(tenant, ref, []byte("first"))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
			t.Fatal(err)
		}
		boxes := []*secret.Box{before, openKeys(t, d, next), openKeys(t, d, old)}
		var wg, begun sync.WaitGroup
		wrote := make([]map[string]string, writers)
		begun.Add(writers)
		for w := range writers {
			wrote[w] = map[string]string{}
			wg.Go(func() {
				for i := range rounds {
					ref := fmt.Sprint("row ", w+writers*i) // its own rows
					if i%2 == 0 {
						ref = fmt.Sprint("new ", w, i)
					}
					for _, value := range []string{"second", "third"} {
						putSealed(t, d, tenant, boxes[(w+i)%len(boxes)], ref, value)
						wrote[w][ref] = value
					}
					if i == 1 {
						begun.Done()
					}
				}
			})
		}
		begun.Wait()
		if _, err := secret.FinishRotation(t.Context(), d, next); err != nil {
			t.Error(err)
		}
		wg.Wait()
		for _, w := range wrote {
			for ref, value := range w {
				want[ref] = value
			}
		}
		after := openKeys(t, d, next)
		got := listSealed(t, d, tenant)
		if len(got) != len(want) {
			t.Errorf("%d rows of %d", len(got), len(want))
		}
		for _, row := range got {
			if plain, err := after.Open(tenant, row.ref, row.sealed); err != nil || string(plain) != want[row.ref] {
				t.Fatalf("%s is %q, %v; want %q", row.ref, plain, err, want[row.ref])
			}
		}

		// The next rotation reseals what was left, and removes the previous key.
		third := newBox(t, 3)
		if err := secret.BeginRotation(t.Context(), d, next, third); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.FinishRotation(t.Context(), d, third); err != nil {
			t.Fatal(err)
		}
		newest := openKeys(t, d, third)
		for _, row := range listSealed(t, d, tenant) {
			if plain, err := newest.Open(tenant, row.ref, row.sealed); err != nil || string(plain) != want[row.ref] {
				t.Fatalf("after another rotation %s is %q, %v", row.ref, plain, err)
			}
			if _, err := after.Open(tenant, row.ref, row.sealed); err == nil {
				t.Fatalf("%s still has a key of before", row.ref)
			}
		}
		if _, err := newest.Open(tenant, "x", before.Seal(tenant, "x", nil)); err == nil {
			t.Error("the first sealing key is still there")
		}
	})
}

func listSealed(t *testing.T, d *db.DB, tenant uuid.UUID) []sealedRow {
	t.Helper()
	rows, err := db.Read(t.Context(), d.Tenant(tenant), func(r *db.Reader) ([]sealedRow, error) {
		return db.All(r, func(row db.Row) (v sealedRow, err error) {
			err = row.Scan(&v.ref, &v.sealed)
			return v, err
		}, `SELECT subject_ref, sealed FROM privacy_subject_key WHERE tenant_id = $1`, tenant)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Bytes from outside that begin like a sealed value, such as the answer of a webhook's
// receiver, neither stop a rotation nor are changed by it.
func TestRotationBesideForgedValues(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		old, next := newBox(t, 1), newBox(t, 2)
		before, tenant := recordKeys(t, d, old), dbtest.Tenant(t, d, "a")
		forged := append([]byte("\x93knk\x01\x00\x00\x00\x01"), bytes.Repeat([]byte("x"), 100)...)
		const many = 1100 // more than two batches
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			for i := range many {
				if err := tx.Exec(`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, $2, $3)`,
					tenant, fmt.Sprint(i), forged); err != nil {
					return err
				}
			}
			_, err := jobs.Enqueue(tx, "test.kind", tx.Now(), map[string]any{"text": base64.StdEncoding.EncodeToString(forged)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		putSealed(t, d, tenant, before, "true", "value") // behind them in the same table
		if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
			t.Fatal(err)
		}
		if n, err := secret.FinishRotation(t.Context(), d, next); err != nil || n != 1 {
			t.Errorf("%d values were sealed anew, %v", n, err)
		}
		kept, err := db.Read(t.Context(), d.Tenant(tenant), func(r *db.Reader) (int, error) {
			return db.One(r, db.Scalar[int], `SELECT count(*) FROM privacy_subject_key WHERE tenant_id = $1 AND sealed = $2`, tenant, forged)
		})
		if err != nil || kept != many {
			t.Errorf("%d of %d are as they were, %v", kept, many, err)
		}
	})
}
