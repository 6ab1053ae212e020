package secret

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var (
	// ErrOtherKey says that a database was first served with another master key.
	ErrOtherKey = errors.New("this is not the master key that the database was first served with")
	// ErrNoKeyCheck says that a database was never served, so that every key fits.
	ErrNoKeyCheck = errors.New("the database was never served")
)

// CheckTable is the table that holds the check value. Who empties a database leaves
// it as it is.
const CheckTable = "master_key_check"

// checkPurpose and checkText are what the check value is sealed for and holds.
const (
	checkPurpose = "master_key_check"
	checkText    = "konak"
)

// HasKeyCheck says whether a database, migrated or not, holds a check value.
func HasKeyCheck(ctx context.Context, d *db.DB) (bool, error) {
	_, err := readKeyCheck(ctx, d)
	if errors.Is(err, ErrNoKeyCheck) {
		return false, nil
	}
	return err == nil, err
}

// CheckKey compares the master key with the database's check value. It returns
// ErrOtherKey where they do not fit, and ErrNoKeyCheck where there is no value.
func (b *Box) CheckKey(ctx context.Context, d *db.DB) error {
	sealed, err := readKeyCheck(ctx, d)
	if err != nil {
		return err
	}
	if _, err := b.Open(uuid.Nil, checkPurpose, sealed); err != nil {
		return ErrOtherKey
	}
	return nil
}

// RecordKey seals a check value into a migrated database that has none, and
// compares the master key with it: of two nodes that record at the same moment,
// the later gets ErrOtherKey unless they have the same key.
func (b *Box) RecordKey(ctx context.Context, d *db.DB) error {
	if err := b.CheckKey(ctx, d); !errors.Is(err, ErrNoKeyCheck) {
		return err
	}
	err := d.System("master key").InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO master_key_check (id, sealed, made_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING`,
			b.Seal(uuid.Nil, checkPurpose, []byte(checkText)), clock.At(tx.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("secret: record the master key: %w", err)
	}
	return b.CheckKey(ctx, d)
}

// readKeyCheck returns the sealed check value or ErrNoKeyCheck.
func readKeyCheck(ctx context.Context, d *db.DB) ([]byte, error) {
	if found, err := d.HasTable(ctx, CheckTable); err != nil {
		return nil, err
	} else if !found {
		return nil, ErrNoKeyCheck
	}
	sealed, err := db.Read(ctx, d.System("master key"), func(r *db.Reader) ([]byte, error) {
		return db.One(r, db.Scalar[[]byte], `SELECT sealed FROM master_key_check WHERE id = 1`)
	})
	if db.IsNoRow(err) {
		return nil, ErrNoKeyCheck
	}
	return sealed, err
}
