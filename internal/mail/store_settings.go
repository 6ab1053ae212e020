package mail

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findSettings returns the defaults where nothing was set.
func findSettings(r *db.Reader) (Settings, error) {
	set, err := db.One(r, func(row db.Row) (s Settings, err error) {
		var cidrs db.JSON[[]string]
		err = row.Scan(&cidrs)
		s.AdminIPAllowlist.CIDRs = db.OrEmpty(cidrs.V)
		return s, err
	}, `SELECT admin_cidrs FROM mail_settings WHERE tenant_id = $1`, r.Tenant())
	if db.IsNoRow(err) {
		return emptySettings(), nil
	}
	return set, err
}

func putSettings(tx *db.Tx, s Settings) error {
	_, err := tx.Exec(`INSERT INTO mail_settings (tenant_id, admin_cidrs, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id) DO UPDATE SET admin_cidrs = excluded.admin_cidrs, updated_at = excluded.updated_at`,
		tx.Tenant(), db.AsJSON(s.AdminIPAllowlist.CIDRs), clock.At(tx.Now()))
	return err
}
