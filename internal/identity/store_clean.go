package identity

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// expiring are the tables whose rows are of no use once they expired, and
// their keys.
var expiring = [][2]string{
	{"sign_up", "id"},
	{"password_reset", "id"},
	{"mfa_ticket", "id"},
	{"passkey_challenge", "id"},
	{"captcha_used", "nonce"},
	{"handover", "id"},
}

func dropExpired(tx *db.Tx, now, sessions time.Time, limit int) (int64, error) {
	var total int64
	for _, t := range expiring {
		n, err := tx.Exec(`DELETE FROM `+t[0]+` WHERE `+t[1]+` IN (
			SELECT `+t[1]+` FROM `+t[0]+` WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, clock.At(now), limit)
		if err != nil {
			return 0, err
		}
		total += n
	}
	n, err := tx.Exec(`DELETE FROM session WHERE id IN (
		SELECT id FROM session WHERE absolute_expires_at < $1 ORDER BY absolute_expires_at LIMIT $2)`, clock.At(sessions), limit)
	return total + n, err
}
