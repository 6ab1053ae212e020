package signin

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// expiring are the statements that delete expired rows.
var expiring = []string{
	`DELETE FROM sign_up WHERE id IN (SELECT id FROM sign_up WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
	`DELETE FROM first_owner_link WHERE token_hash IN (SELECT token_hash FROM first_owner_link WHERE expires_at < $1 LIMIT $2)`,
	`DELETE FROM password_reset WHERE id IN (SELECT id FROM password_reset WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
	`DELETE FROM mfa_ticket WHERE id IN (SELECT id FROM mfa_ticket WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
	`DELETE FROM passkey_challenge WHERE id IN (SELECT id FROM passkey_challenge WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
}

// deleteExpired removes up to limit rows of each table and returns their number.
func deleteExpired(tx *db.Tx, limit int) (int64, error) {
	var total int64
	for _, statement := range expiring {
		n, err := tx.ExecCount(statement, clock.At(tx.Now()), limit)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
