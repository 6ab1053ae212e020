package blob

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// reuse returns a blob with the same bytes and protects it from the sweep for a day.
func reuse(tx *db.Tx, b Blob) (uuid.UUID, bool, error) {
	id, err := db.One(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE blob SET touched_at = $1
		WHERE tenant_id = $2 AND NOT going AND id = (SELECT id FROM blob
			WHERE tenant_id = $2 AND hash = $3 AND size = $4 AND ready AND NOT going LIMIT 1)
		RETURNING id`, clock.At(tx.Now()), tx.Tenant(), b.Hash, b.Size)
	return id, err == nil, db.IgnoreNoRow(err)
}

func begin(tx *db.Tx, b Blob, visitor bool) error {
	return tx.Exec(`INSERT INTO blob (tenant_id, id, hash, size, visitor, ready, touched_at, check_at) VALUES ($1, $2, $3, $4, $5, false, $6, $7)`,
		tx.Tenant(), b.ID, b.Hash, b.Size, visitor, clock.At(tx.Now()), clock.At(tx.Now().Add(checkEvery)))
}

// finish records that the bytes are in place. It returns ErrMissing if storing them took so
// long that the sweep has removed them.
func finish(tx *db.Tx, id uuid.UUID) error {
	n, err := tx.ExecCount(`UPDATE blob SET ready = true, touched_at = $3 WHERE tenant_id = $1 AND id = $2 AND NOT going`,
		tx.Tenant(), id, clock.At(tx.Now()))
	if err == nil && n == 0 {
		return ErrMissing
	}
	return err
}

// kept is a blob as stored in its row.
type kept struct {
	Blob
	tenant uuid.UUID
	damage string // damage found when it was last read, "" for none
}

const keptColumns = `tenant_id, id, hash, size, COALESCE(damage, '')`

func scanKept(row db.Row) (k kept, err error) {
	err = row.Scan(&k.tenant, &k.ID, &k.Hash, &k.Size, &k.damage)
	return k, err
}

func find(r *db.Reader, id uuid.UUID) (kept, error) {
	return db.One(r, scanKept, `SELECT `+keptColumns+` FROM blob WHERE tenant_id = $1 AND id = $2 AND ready AND NOT going`, r.Tenant(), id)
}

func hold(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`UPDATE blob SET refs = refs + 1 WHERE tenant_id = $1 AND id = $2 AND ready AND NOT going`, tx.Tenant(), id)
}

func drop(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE blob SET refs = refs - 1, touched_at = $3 WHERE tenant_id = $1 AND id = $2 AND refs > 0`,
		tx.Tenant(), id, clock.At(tx.Now()))
}

type owned struct{ tenant, id uuid.UUID }

func scanOwned(row db.Row) (o owned, err error) {
	err = row.Scan(&o.tenant, &o.id)
	return o, err
}

// markUnheld marks unheld blobs for removal, including those of an unfinished sweep. Both
// conditions are repeated on the row itself, so that they are checked again once it is
// locked.
func markUnheld(tx *db.Tx, before clock.Time, limit int) ([]owned, error) {
	return db.All(&tx.Reader, scanOwned, `UPDATE blob SET going = true WHERE refs = 0 AND touched_at < $1 AND (tenant_id, id) IN (
			SELECT tenant_id, id FROM blob WHERE refs = 0 AND touched_at < $1 ORDER BY touched_at LIMIT $2)
		RETURNING tenant_id, id`, before, limit)
}

// markAny marks blobs of the transaction's workspace for removal, held or not.
func markAny(tx *db.Tx, limit int) ([]owned, error) {
	return db.All(&tx.Reader, scanOwned, `UPDATE blob SET going = true WHERE tenant_id = $1 AND id IN (SELECT id FROM blob WHERE tenant_id = $1 ORDER BY id LIMIT $2)
		RETURNING tenant_id, id`, tx.Tenant(), limit)
}

// forget deletes the row of a blob whose bytes are gone, and subtracts its size from the
// counters.
func forget(tx *db.Tx, o owned) error {
	pool := Workspace
	size, err := db.One(&tx.Reader, func(row db.Row) (size int64, err error) {
		var visitor bool
		if err = row.Scan(&size, &visitor); visitor {
			pool = Visitors
		}
		return size, err
	}, `DELETE FROM blob WHERE tenant_id = $1 AND id = $2 AND going RETURNING size, visitor`, o.tenant, o.id)
	if err != nil {
		return db.IgnoreNoRow(err)
	}
	_, err = addUse(tx, o.tenant, pool, -size)
	return err
}

const useColumns = `bytes, visitor_bytes, quota`

func scanUse(row db.Row) (u use, err error) {
	err = row.Scan(&u.bytes, &u.visitorBytes, &u.quota)
	return u, err
}

// addUse adds to a workspace's counters and returns the sums. The row stays locked until
// the transaction ends, so that concurrent additions cannot exceed a quota together.
func addUse(tx *db.Tx, tenant uuid.UUID, pool Pool, size int64) (use, error) {
	var own, visitors int64
	if pool == Visitors {
		visitors = size
	} else {
		own = size
	}
	return db.One(&tx.Reader, scanUse, `INSERT INTO storage (tenant_id, bytes, visitor_bytes) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id) DO UPDATE SET bytes = storage.bytes + excluded.bytes,
			visitor_bytes = storage.visitor_bytes + excluded.visitor_bytes
		RETURNING `+useColumns, tenant, own, visitors)
}

// readUse returns the sums of a workspace, zero if it never stored anything.
func readUse(r *db.Reader) (use, error) {
	return db.OneOr(r, use{}, scanUse, `SELECT `+useColumns+` FROM storage WHERE tenant_id = $1`, r.Tenant())
}

func setQuota(tx *db.Tx, quota *int64) error {
	return tx.Exec(`INSERT INTO storage (tenant_id, quota) VALUES ($1, $2)
		ON CONFLICT (tenant_id) DO UPDATE SET quota = excluded.quota`, tx.Tenant(), quota)
}
