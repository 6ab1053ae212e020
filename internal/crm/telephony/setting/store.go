package setting

import (
	"konak/internal/kit/db"
)

// findSettings reads the settings, or the defaults if none are stored.
func findSettings(r *db.Reader) (Stored, error) {
	s := Stored{Settings: Defaults()}
	return db.OneOr(r, s, func(row db.Row) (Stored, error) {
		err := row.Scan(db.FromJSON(&s.Settings), &s.UpdatedAt)
		return s, err
	}, `SELECT settings, updated_at FROM phone_settings WHERE tenant_id = $1`, r.Tenant())
}

func saveSettings(tx *db.Tx, s Stored) error {
	return tx.Exec(`INSERT INTO phone_settings (tenant_id, settings, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id) DO UPDATE SET settings = $2, updated_at = $3`, tx.Tenant(), db.AsJSON(s.Settings), *s.UpdatedAt)
}
