package secret

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

var (
	// ErrOtherKey reports that the keys of a database were sealed with another master key.
	ErrOtherKey = errors.New("this is not the master key of the database")
	// ErrNoKeys reports that a database was never served, so any master key fits.
	ErrNoKeys = errors.New("the database was never served")
)

// KeyTable is the table that holds the installation's keys. Emptying a database must not
// touch it.
const KeyTable = "installation_key"

// The ids of the first keys: derivationKey is the key from which others are derived, and
// firstSealingKey the first that seals.
const (
	derivationKey   = 0
	firstSealingKey = 1
)

// keyRow is one key of the installation, sealed with one master key.
type keyRow struct {
	generation int64
	id         uint32
	sealed     []byte
}

// HasKeys reports whether a database, migrated or not, holds keys.
func HasKeys(ctx context.Context, d *db.DB) (bool, error) {
	rows, err := readKeys(ctx, d)
	return len(rows) > 0, err
}

// CheckKey checks that the master key b opens the keys of the database. It returns
// ErrOtherKey if it opens none of them, and ErrNoKeys if there are none.
func (b *Box) CheckKey(ctx context.Context, d *db.DB) error {
	_, err := b.OpenKeys(ctx, d)
	return err
}

// OpenKeys opens the keys of the database with the master key b and returns the box that
// seals with them. It returns ErrOtherKey if b opens none of them, and ErrNoKeys if there
// are none.
func (b *Box) OpenKeys(ctx context.Context, d *db.DB) (*Box, error) {
	_, keys, err := b.openNewest(ctx, d)
	if err != nil {
		return nil, err
	}
	box, err := boxOf(keys)
	if err != nil {
		return nil, err
	}
	box.master = b
	return box, nil
}

// CheckCurrent reads the keys of the database again and compares them with those of the box
// b, which OpenKeys returned. It returns ErrOtherKey if b cannot open what is sealed from
// now on, because the database was replaced or its master key changed, and ErrNoKeys if the
// database no longer has keys.
func (b *Box) CheckCurrent(ctx context.Context, d *db.DB) error {
	now, err := b.master.OpenKeys(ctx, d)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.wraps[now.current], b.wraps[now.current]) {
		return ErrOtherKey
	}
	return nil
}

// openNewest returns the newest generation that the master key b opens, and its keys.
func (b *Box) openNewest(ctx context.Context, d *db.DB) (int64, map[uint32][]byte, error) {
	rows, err := readKeys(ctx, d)
	if err != nil {
		return 0, nil, err
	}
	if len(rows) == 0 {
		return 0, nil, ErrNoKeys
	}
	generation, keys := int64(0), map[uint32][]byte{}
	for _, row := range rows { // the newest first
		if generation != 0 && row.generation != generation {
			break
		}
		key, err := b.Open(uuid.Nil, keyPlace(row.id), row.sealed)
		if err != nil {
			continue
		}
		generation, keys[row.id] = row.generation, key
	}
	if generation == 0 {
		return 0, nil, ErrOtherKey
	}
	return generation, keys, nil
}

// boxOf returns the box of an installation's keys.
func boxOf(keys map[uint32][]byte) (*Box, error) {
	root, current := keys[derivationKey], slices.Max(slices.Collect(maps.Keys(keys)))
	if root == nil || current < firstSealingKey {
		return nil, errors.New("secret: keys of the installation are missing")
	}
	box := &Box{root: root, current: current, wraps: map[uint32][]byte{}}
	for id, key := range keys {
		if id != derivationKey {
			box.wraps[id] = wrapKey(key)
		}
	}
	return box, nil
}

// RecordKey creates the keys of a migrated database that has none, and checks them with the
// master key b: if two nodes do this at the same moment, the later one gets ErrOtherKey
// unless they have the same master key.
func (b *Box) RecordKey(ctx context.Context, d *db.DB) error {
	if err := b.CheckKey(ctx, d); !errors.Is(err, ErrNoKeys) {
		return err
	}
	err := d.System("master key").InTx(ctx, func(tx *db.Tx) error {
		for _, id := range []uint32{derivationKey, firstSealingKey} {
			if err := b.putKey(tx, 1, id, newKey()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("secret: record the master key: %w", err)
	}
	return b.CheckKey(ctx, d)
}

// putKey seals a key of the installation with the master key b. It does not replace an
// existing key with that id in the generation.
func (b *Box) putKey(tx *db.Tx, generation int64, id uint32, key []byte) error {
	return tx.Exec(`INSERT INTO installation_key (generation, id, sealed, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		generation, int64(id), b.Seal(uuid.Nil, keyPlace(id), key), clock.At(tx.Now()))
}

// keyPlace returns the place for which a key of the installation is sealed.
func keyPlace(id uint32) string { return "installation_key/" + strconv.FormatUint(uint64(id), 10) }

func newKey() []byte {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		panic(err) // the platform promises this cannot fail
	}
	return key
}

// readKeys returns the keys of all generations, newest first. A database that is not
// migrated has none.
func readKeys(ctx context.Context, d *db.DB) ([]keyRow, error) {
	if found, err := d.HasTable(ctx, KeyTable); err != nil || !found {
		return nil, err
	}
	return db.Read(ctx, d.System("master key"), func(r *db.Reader) ([]keyRow, error) {
		return db.All(r, func(row db.Row) (k keyRow, err error) {
			var id int64
			err = row.Scan(&k.generation, &id, &k.sealed)
			k.id = uint32(id)
			return k, err
		}, `SELECT generation, id, sealed FROM installation_key ORDER BY generation DESC, id`)
	})
}
