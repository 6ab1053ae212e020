package secret_test

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/secret"
)

// A database accepts only the master key that was recorded first.
func TestMasterKeyOfADatabase(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		own, other := newBox(t, 1), newBox(t, 2)
		if known, err := secret.HasKeys(t.Context(), d); err != nil || known {
			t.Errorf("a new database has keys: %v, %v", known, err)
		}
		if err := own.CheckKey(t.Context(), d); !errors.Is(err, secret.ErrNoKeys) {
			t.Errorf("a new database says %v", err)
		}
		for range 2 {
			if err := own.RecordKey(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if known, err := secret.HasKeys(t.Context(), d); err != nil || !known {
			t.Errorf("recorded: %v, %v", known, err)
		}
		if err := own.CheckKey(t.Context(), d); err != nil {
			t.Error(err)
		}
		if err := other.CheckKey(t.Context(), d); !errors.Is(err, secret.ErrOtherKey) {
			t.Errorf("another key is checked with %v", err)
		}
		if err := other.RecordKey(t.Context(), d); !errors.Is(err, secret.ErrOtherKey) {
			t.Errorf("another key is recorded with %v", err)
		}
	})
}

// If nodes record different keys at the same moment, one of them wins.
func TestConcurrentKeyRecordsHaveOneWinner(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		errs := make([]error, 4)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = newBox(t, byte(i+1)).RecordKey(t.Context(), d) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, secret.ErrOtherKey) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d keys were recorded", won)
		}
	})
}

// A database without any table has no keys, and checking creates none.
func TestKeysOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if known, err := secret.HasKeys(t.Context(), d); err != nil || known {
		t.Errorf("%v, %v", known, err)
	}
}

// A box can check whether its keys are still those of the database.
func TestCheckCurrent(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		old, next := newBox(t, 1), newBox(t, 2)
		before := recordKeys(t, d, old)
		want := func(when string, box *secret.Box, want error) {
			t.Helper()
			if err := box.CheckCurrent(t.Context(), d); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", when, err, want)
			}
		}
		want("as recorded", before, nil)
		if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
			t.Fatal(err)
		}
		want("a box of before a rotation, during it", before, secret.ErrOtherKey)
		after := openKeys(t, d, next)
		want("a box of the new master key, during it", after, nil)
		if _, err := secret.FinishRotation(t.Context(), d, next); err != nil {
			t.Fatal(err)
		}
		want("a box of before a rotation, after it", before, secret.ErrOtherKey)
		want("a box of the new master key, after it", after, nil)
		err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`DELETE FROM installation_key`)
		})
		if err != nil {
			t.Fatal(err)
		}
		want("a database without keys", after, secret.ErrNoKeys)
		if err := next.RecordKey(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		want("another database of the same master key", after, secret.ErrOtherKey)
	})
}

// An incomplete set of keys opens nothing: everybody would know what is derived from an
// empty key.
func TestIncompleteKeysOpenNothing(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		own := newBox(t, 1)
		for id := range 2 {
			recordKeys(t, d, own)
			execute(t, d, `DELETE FROM installation_key WHERE id = $1`, id)
			if _, err := own.OpenKeys(t.Context(), d); err == nil {
				t.Errorf("without the key %d the others are used", id)
			}
			execute(t, d, `DELETE FROM installation_key`)
		}
	})
}

// Nothing is done twice: a start after a rotation records no key, and a rotation in
// progress is not begun again.
func TestKeysAreRecordedOnce(t *testing.T) {
	t.Parallel()
	dbtest.Run(t, func(t *testing.T, d *db.DB, _ *clock.Fake) {
		old, next := newBox(t, 1), newBox(t, 2)
		recordKeys(t, d, old)
		rows := func() string {
			t.Helper()
			list, err := db.Read(t.Context(), d.System("test"), func(r *db.Reader) ([]string, error) {
				return db.All(r, db.Scalar[string], `SELECT CAST(generation AS text) || '/' || CAST(id AS text) FROM installation_key ORDER BY generation, id`)
			})
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(list, " ")
		}
		for range 2 {
			if err := secret.BeginRotation(t.Context(), d, old, next); err != nil {
				t.Fatal(err)
			}
			if got := rows(); got != "1/0 1/1 1/2 2/0 2/1 2/2" {
				t.Errorf("begun: %s", got)
			}
		}
		if _, err := secret.FinishRotation(t.Context(), d, old); !errors.Is(err, secret.ErrOtherKey) {
			t.Errorf("finished with the old key: %v", err)
		}
		if _, err := secret.FinishRotation(t.Context(), d, next); err != nil {
			t.Fatal(err)
		}
		if err := next.RecordKey(t.Context(), d); err != nil || rows() != "2/0 2/1 2/2" {
			t.Errorf("started after it: %s, %v", rows(), err)
		}
	})
}

func execute(t *testing.T, d *db.DB, query string, args ...any) {
	t.Helper()
	if err := d.System("test").InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(query, args...)
	}); err != nil {
		t.Fatal(err)
	}
}
