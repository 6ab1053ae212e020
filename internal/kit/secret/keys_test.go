package secret_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/dbtest"
	"konak/internal/kit/secret"
)

// A database knows the master key that was recorded first, and no other.
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

// Of nodes that record different keys at the same moment one wins.
func TestKeysRecordedTogether(t *testing.T) {
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

// A database without any table has no keys, and looking makes none.
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
