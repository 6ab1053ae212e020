package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putReset(tx *db.Tx, user uuid.UUID, hash []byte, expires time.Time) error {
	_, err := tx.Exec(`INSERT INTO password_reset (id, user_id, token_hash, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5)`, tx.NewID(), user, hash, clock.At(expires), clock.At(tx.Now()))
	return err
}

// accountByReset finds whose link this is, with their first workspace.
func accountByReset(r *db.Reader, hash []byte, now time.Time) (account, error) {
	return db.One(r, scanAccount, selectAccount+`
		JOIN password_reset p ON p.user_id = u.id
		WHERE p.token_hash = $1 AND p.expires_at > $2 AND m.state = 'active'
		ORDER BY m.created_at, m.id LIMIT 1`, hash, clock.At(now))
}

// takeReset spends a link; false if it was spent before.
func takeReset(tx *db.Tx, hash []byte) (bool, error) {
	n, err := tx.Exec(`DELETE FROM password_reset WHERE token_hash = $1 AND expires_at > $2`, hash, clock.At(tx.Now()))
	return n == 1, err
}

func dropResets(tx *db.Tx, user uuid.UUID) error {
	_, err := tx.Exec(`DELETE FROM password_reset WHERE user_id = $1`, user)
	return err
}

func updatePassword(tx *db.Tx, user uuid.UUID, encoded string) error {
	_, err := tx.Exec(`UPDATE app_user SET password_hash = $2, password_changed_at = $3 WHERE id = $1`,
		user, encoded, clock.At(tx.Now()))
	return err
}
