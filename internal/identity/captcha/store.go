package captcha

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// useNonce records that a challenge was answered. It returns false if it was
// answered before.
func useNonce(tx *db.Tx, nonce string, expires time.Time) (bool, error) {
	return tx.ExecAny(`INSERT INTO captcha_used (nonce, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		nonce, clock.At(expires))
}

// deleteExpired deletes used challenges that can no longer be answered.
func deleteExpired(tx *db.Tx, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM captcha_used WHERE nonce IN (
		SELECT nonce FROM captcha_used WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, clock.At(tx.Now()), limit)
}
