package setting

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findSettings reads the settings, or the defaults if none are stored.
func findSettings(r *db.Reader) (Stored, error) {
	s, err := db.One(r, func(row db.Row) (Stored, error) {
		v, at := db.JSON[Settings]{V: Defaults()}, clock.Time{}
		err := row.Scan(&v, &at)
		return Stored{v.V, &at}, err
	}, `SELECT settings, updated_at FROM phone_settings WHERE tenant_id = $1`, r.Tenant())
	if db.IsNoRow(err) {
		return Stored{Settings: Defaults()}, nil
	}
	return s, err
}

func saveSettings(tx *db.Tx, s Stored) error {
	return tx.Exec(`INSERT INTO phone_settings (tenant_id, settings, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id) DO UPDATE SET settings = $2, updated_at = $3`, tx.Tenant(), db.AsJSON(s.Settings), *s.UpdatedAt)
}
