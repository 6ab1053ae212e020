package setup

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// find returns an empty row if nothing is stored.
func find(r *db.Reader) (stored, error) {
	return db.OneOr(r, stored{marks: map[string]string{}}, func(row db.Row) (s stored, err error) {
		err = row.Scan(&s.dismissed, &s.completedAt, db.FromJSON(&s.marks))
		return s, err
	}, `SELECT dismissed, completed_at, marks FROM mail_setup WHERE tenant_id = $1`, r.Tenant())
}

func put(tx *db.Tx, s stored) error {
	return tx.Exec(`INSERT INTO mail_setup (tenant_id, dismissed, completed_at, marks, updated_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id) DO UPDATE SET dismissed = excluded.dismissed, completed_at = excluded.completed_at, marks = excluded.marks, updated_at = excluded.updated_at`,
		tx.Tenant(), s.dismissed, s.completedAt, db.AsJSON(s.marks), clock.At(tx.Now()))
}
