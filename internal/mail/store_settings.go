package mail

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findSettings returns the settings, or the defaults if none are stored.
func findSettings(r *db.Reader) (Settings, error) {
	return db.OneOr(r, emptySettings(), func(row db.Row) (s Settings, err error) {
		var cidrs db.JSON[[]string] // NULL would be an empty list, which allows every address
		err = row.Scan(&cidrs, &s.Defaults.DefaultQuotaMB, &s.Defaults.MinPasswordLength, &s.Abuse.AutoSuspend, &s.Journaling.Enabled, &s.Journaling.RetentionDays, &s.DLP.Messaging, db.FromJSON(&s.Forwarding.Allowed))
		s.AdminIPAllowlist.CIDRs, s.Forwarding.Allowed = db.OrEmpty(cidrs.V), db.OrEmpty(s.Forwarding.Allowed)
		return s, err
	}, `SELECT admin_cidrs, default_quota_mb, min_password_length, auto_suspend, journaling, journal_retention_days, dlp_messaging, forward_allowed FROM mail_settings WHERE tenant_id = $1`, r.Tenant())
}

func putSettings(tx *db.Tx, s Settings) error {
	return tx.Exec(`INSERT INTO mail_settings (tenant_id, admin_cidrs, default_quota_mb, min_password_length, auto_suspend, journaling, journal_retention_days, dlp_messaging,
			forward_allowed, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (tenant_id) DO UPDATE SET admin_cidrs = excluded.admin_cidrs, default_quota_mb = excluded.default_quota_mb,
			min_password_length = excluded.min_password_length, auto_suspend = excluded.auto_suspend, journaling = excluded.journaling,
			journal_retention_days = excluded.journal_retention_days, dlp_messaging = excluded.dlp_messaging, forward_allowed = excluded.forward_allowed, updated_at = excluded.updated_at`,
		tx.Tenant(), db.AsJSON(s.AdminIPAllowlist.CIDRs), s.Defaults.DefaultQuotaMB, s.Defaults.MinPasswordLength, s.Abuse.AutoSuspend,
		s.Journaling.Enabled, s.Journaling.RetentionDays, s.DLP.Messaging, db.AsJSON(s.Forwarding.Allowed), clock.At(tx.Now()))
}
