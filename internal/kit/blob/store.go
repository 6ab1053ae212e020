package blob

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// reuse finds the same bytes and keeps the sweep away from them for a day.
func reuse(tx *db.Tx, b Blob) (uuid.UUID, bool, error) {
	id, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE blob SET touched_at = $1
		WHERE tenant_id = $2 AND NOT going AND id = (SELECT id FROM blob
			WHERE tenant_id = $2 AND hash = $3 AND size = $4 AND ready AND NOT going LIMIT 1)
		RETURNING id`, clock.At(tx.Now()), tx.Tenant(), b.Hash, b.Size)
	if db.IsNoRow(err) {
		return id, false, nil
	}
	return id, err == nil, err
}

func begin(tx *db.Tx, b Blob) error {
	_, err := tx.Exec(`INSERT INTO blob (tenant_id, id, hash, size, ready, touched_at) VALUES ($1, $2, $3, $4, false, $5)`,
		tx.Tenant(), b.ID, b.Hash, b.Size, clock.At(tx.Now()))
	return err
}

// finish says that the bytes are in their place. Where they took so long that
// the sweep came first, they are not.
func finish(tx *db.Tx, id uuid.UUID) error {
	n, err := tx.Exec(`UPDATE blob SET ready = true, touched_at = $3 WHERE tenant_id = $1 AND id = $2 AND NOT going`,
		tx.Tenant(), id, clock.At(tx.Now()))
	if err == nil && n == 0 {
		return ErrMissing
	}
	return err
}

func find(r *db.Reader, id uuid.UUID) (Blob, error) {
	return db.One(r, func(row db.Row) (Blob, error) {
		b := Blob{ID: id}
		err := row.Scan(&b.Hash, &b.Size)
		return b, err
	}, `SELECT hash, size FROM blob WHERE tenant_id = $1 AND id = $2 AND ready AND NOT going`, r.Tenant(), id)
}

func hold(tx *db.Tx, id uuid.UUID) (bool, error) {
	n, err := tx.Exec(`UPDATE blob SET refs = refs + 1 WHERE tenant_id = $1 AND id = $2 AND ready AND NOT going`, tx.Tenant(), id)
	return n == 1, err
}

func drop(tx *db.Tx, id uuid.UUID) error {
	_, err := tx.Exec(`UPDATE blob SET refs = refs - 1, touched_at = $3 WHERE tenant_id = $1 AND id = $2 AND refs > 0`,
		tx.Tenant(), id, clock.At(tx.Now()))
	return err
}

type owned struct{ tenant, id uuid.UUID }

// dismiss takes blobs that nobody holds out of use; those of a sweep that did
// not come to its end are among them. Both conditions stand on the row itself,
// where they are asked again once its lock is won.
func dismiss(tx *db.Tx, before clock.Time, limit int) ([]owned, error) {
	return db.All(&tx.Reader, func(row db.Row) (o owned, err error) {
		err = row.Scan(&o.tenant, &o.id)
		return o, err
	}, `UPDATE blob SET going = true WHERE refs = 0 AND touched_at < $1 AND (tenant_id, id) IN (
			SELECT tenant_id, id FROM blob WHERE refs = 0 AND touched_at < $1 ORDER BY touched_at LIMIT $2)
		RETURNING tenant_id, id`, before, limit)
}

func forget(tx *db.Tx, o owned) error {
	_, err := tx.Exec(`DELETE FROM blob WHERE tenant_id = $1 AND id = $2 AND going`, o.tenant, o.id)
	return err
}
