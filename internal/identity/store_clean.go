package identity

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// deleteExpiredHandovers deletes codes that can no longer be used.
func deleteExpiredHandovers(tx *db.Tx, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM handover WHERE id IN (
		SELECT id FROM handover WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, clock.At(tx.Now()), limit)
}

// deleteOldSessions deletes sessions whose absolute end was before a time.
func deleteOldSessions(tx *db.Tx, before time.Time, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM session WHERE id IN (
		SELECT id FROM session WHERE absolute_expires_at < $1 ORDER BY absolute_expires_at LIMIT $2)`, clock.At(before), limit)
}
