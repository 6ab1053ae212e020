package blob

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// setDamage records the damage of a blob ("" for none) and when to read it again. It
// reports whether the damage differs from the recorded one; false for a blob that is being
// removed.
func setDamage(tx *db.Tx, id uuid.UUID, damage string, next clock.Time) (bool, error) {
	var what *string
	var since *clock.Time
	if damage != "" {
		now := clock.At(tx.Now())
		what, since = &damage, &now
	}
	n, err := tx.ExecCount(`UPDATE blob SET damage = $3, damaged_at = $4, check_at = $5
		WHERE tenant_id = $1 AND id = $2 AND NOT going AND COALESCE(damage, '') <> $6`,
		tx.Tenant(), id, what, since, next, damage)
	if err != nil || n == 1 {
		return n == 1, err
	}
	err = tx.Exec(`UPDATE blob SET check_at = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, next)
	return false, err
}

// claimChecks returns blobs that are due to be read, of at most scrubBytes together or a
// single larger one, and postpones them until then.
func claimChecks(tx *db.Tx, due, until clock.Time) ([]kept, error) {
	list, err := db.All(&tx.Reader, scanKept, `SELECT `+keptColumns+` FROM blob
		WHERE ready AND NOT going AND check_at <= $1 ORDER BY check_at LIMIT $2`+tx.Dialect().SkipLocked(), due, scrubFiles)
	if err != nil {
		return nil, err
	}
	var bytes int64
	for i, k := range list {
		if bytes += k.Size; i > 0 && bytes > scrubBytes {
			return list[:i], nil
		}
		if err := tx.Exec(`UPDATE blob SET check_at = $3 WHERE tenant_id = $1 AND id = $2`, k.tenant, k.ID, until); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func countDamaged(r *db.Reader) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM blob WHERE damage IS NOT NULL`)
}

func listDamaged(r *db.Reader, limit int) ([]Finding, error) {
	return db.All(r, func(row db.Row) (f Finding, err error) {
		var at clock.Time
		err = row.Scan(&f.Tenant, &f.ID, &f.Damage, &at)
		f.Name, f.Found = name(f.Tenant, f.ID), at.Time
		return f, err
	}, `SELECT tenant_id, id, damage, damaged_at FROM blob WHERE damage IS NOT NULL ORDER BY damaged_at LIMIT $1`, limit)
}

// sumStorage returns the total number of bytes that all workspaces keep.
func sumStorage(r *db.Reader) (int64, error) {
	return db.One(r, db.Scalar[int64], `SELECT CAST(COALESCE(sum(bytes + visitor_bytes), 0) AS bigint) FROM storage`)
}
