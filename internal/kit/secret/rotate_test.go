package secret_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/jobs"
	"konak/internal/kit/secret"
)

// openKeys returns the box of a database's keys.
func openKeys(t *testing.T, d *db.DB, master *secret.Box) *secret.Box {
	t.Helper()
	box, err := master.OpenKeys(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// recordKeys creates the keys of a new database and returns their box.
func recordKeys(t *testing.T, d *db.DB, master *secret.Box) *secret.Box {
	t.Helper()
	if err := master.RecordKey(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return openKeys(t, d, master)
}

// After a rotation the new master key opens everything and the old one nothing; derived
// keys stay the same. It can be interrupted and repeated at any step.
func TestRotation(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		old, next := newBox(t, 1), newBox(t, 2)
		before := recordKeys(t, d, old)
		if bytes.Equal(before.Derive("x"), old.Derive("x")) {
			t.Error("keys are derived from the master key")
		}
		tenant := dbtest.Tenant(t, d, "a")
		const values = 1203 // more than two batches
		err := d.Tenant(tenant).InTx(t.Context(), func(tx *db.Tx) error {
			for i := range values {
				ref := string(rune('a'+i%26)) + uuid.NewString()
				if err := tx.Exec(`INSERT INTO privacy_subject_key (tenant_id, subject_ref, sealed) VALUES ($1, $2, $3)`,
					tenant, ref, before.Seal(tenant, ref, []byte(ref))); err != nil {
					return err
				}
			}
			_, err := jobs.Enqueue(tx, "test.kind", tx.Now(), map[string]any{"sealed": before.Seal(tenant, "job", []byte("token")), "other": "abcd"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
				t.Fatal(err)
			}
		}
		if open, err := secret.RotationOpen(t.Context(), d); err != nil || !open {
			t.Errorf("begun: %v, %v", open, err)
		}
		// Between the two steps each master key opens what the other's box sealed.
		sealed := openKeys(t, d, next).Seal(tenant, "p", []byte("x"))
		if plain, err := openKeys(t, d, old).Open(tenant, "p", sealed); err != nil || string(plain) != "x" {
			t.Errorf("in the middle: %q, %v", plain, err)
		}
		n, err := secret.FinishRotation(t.Context(), d, next)
		if err != nil || n != values+1 {
			t.Errorf("%d values were sealed anew, %v", n, err)
		}
		if n, err := secret.FinishRotation(t.Context(), d, next); err != nil || n != 0 {
			t.Errorf("a second time: %d, %v", n, err)
		}
		if open, err := secret.RotationOpen(t.Context(), d); err != nil || open {
			t.Errorf("finished: %v, %v", open, err)
		}
		if err := old.CheckKey(t.Context(), d); !errors.Is(err, secret.ErrOtherKey) {
			t.Errorf("the old master key: %v", err)
		}
		after := openKeys(t, d, next)
		if !bytes.Equal(before.Derive("x"), after.Derive("x")) {
			t.Error("what is derived has changed")
		}
		err = d.Tenant(tenant).Read(t.Context(), func(r *db.Reader) error {
			type row struct {
				ref    string
				sealed []byte
			}
			rows, err := db.All(r, func(s db.Row) (v row, err error) {
				err = s.Scan(&v.ref, &v.sealed)
				return v, err
			}, `SELECT subject_ref, sealed FROM privacy_subject_key WHERE tenant_id = $1`, tenant)
			for _, v := range rows {
				if plain, err := after.Open(tenant, v.ref, v.sealed); err != nil || string(plain) != v.ref {
					t.Fatalf("%q, %v", plain, err)
				}
				if _, err := before.Open(tenant, v.ref, v.sealed); err == nil {
					t.Fatal("the old keys still open it")
				}
			}
			if len(rows) != values {
				t.Errorf("%d rows", len(rows))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		r, err := jobs.New(jobs.Config{DB: d, Log: slog.New(slog.DiscardHandler), Random: func() float64 { return 0 }, Kinds: []jobs.Kind{jobThatOpens(t, after, tenant)}})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.Step(t.Context()); err != nil || n != 1 {
			t.Errorf("%d jobs, %v", n, err)
		}
	})
}

// jobThatOpens is a kind of job that expects the token of TestRotation.
func jobThatOpens(t *testing.T, box *secret.Box, tenant uuid.UUID) jobs.Kind {
	return jobs.Kind{Name: "test.kind", PerNode: 1, PerTenant: 1, MaxAttempts: 1, Handler: func(_ context.Context, j *jobs.Job) error {
		var payload struct {
			Sealed []byte
			Other  string
		}
		if err := json.Unmarshal(j.Payload, &payload); err != nil {
			t.Error(err)
		}
		if plain, err := box.Open(tenant, "job", payload.Sealed); err != nil || string(plain) != "token" || payload.Other != "abcd" {
			t.Errorf("the job has %q and %q, %v", plain, payload.Other, err)
		}
		return nil
	}}
}
