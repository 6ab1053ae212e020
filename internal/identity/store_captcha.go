package identity

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// useNonce takes a challenge's nonce; false if it was taken before.
func useNonce(tx *db.Tx, nonce string, expires time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO captcha_used (nonce, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		nonce, clock.At(expires))
	return n == 1, err
}
