package setup

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// find returns an empty row if nothing is stored.
func find(r *db.Reader) (stored, error) {
	s, err := db.One(r, func(row db.Row) (s stored, err error) {
		var marks db.JSON[map[string]string]
		err = row.Scan(&s.dismissed, &s.completedAt, &marks)
		s.marks = marks.V
		return s, err
	}, `SELECT dismissed, completed_at, marks FROM mail_setup WHERE tenant_id = $1`, r.Tenant())
	if db.IsNoRow(err) {
		return stored{marks: map[string]string{}}, nil
	}
	return s, err
}

func put(tx *db.Tx, s stored) error {
	_, err := tx.Exec(`INSERT INTO mail_setup (tenant_id, dismissed, completed_at, marks, updated_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id) DO UPDATE SET dismissed = excluded.dismissed, completed_at = excluded.completed_at, marks = excluded.marks, updated_at = excluded.updated_at`,
		tx.Tenant(), s.dismissed, s.completedAt, db.AsJSON(s.marks), clock.At(tx.Now()))
	return err
}
