package signin

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putReset(tx *db.Tx, user uuid.UUID, hash []byte, expires time.Time) error {
	return tx.Exec(`INSERT INTO password_reset (id, user_id, token_hash, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5)`, tx.NewID(), user, hash, clock.At(expires), clock.At(tx.Now()))
}

// userByReset finds the person of a reset link.
func userByReset(r *db.Reader, hash []byte, now time.Time) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT user_id FROM password_reset
		WHERE token_hash = $1 AND expires_at > $2`, hash, clock.At(now))
}

// takeReset uses a link. It returns false if it was used before.
func takeReset(tx *db.Tx, hash []byte) (bool, error) {
	return tx.ExecAny(`DELETE FROM password_reset WHERE token_hash = $1 AND expires_at > $2`, hash, clock.At(tx.Now()))
}

func dropResets(tx *db.Tx, user uuid.UUID) error {
	return tx.Exec(`DELETE FROM password_reset WHERE user_id = $1`, user)
}
