package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// putTOTP keeps a secret that waits for its first code; false where the second
// step is on already.
func putTOTP(tx *db.Tx, user uuid.UUID, sealed []byte) (bool, error) {
	n, err := tx.Exec(`UPDATE app_user SET totp_sealed = $2, totp_last_step = 0
		WHERE id = $1 AND totp_confirmed_at IS NULL`, user, sealed)
	return n == 1, err
}

func totpOf(r *db.Reader, user uuid.UUID) (sealed []byte, last int64, err error) {
	type secret struct {
		sealed []byte
		last   int64
	}
	v, err := db.One(r, func(row db.Row) (secret, error) {
		var v secret
		err := row.Scan(&v.sealed, &v.last)
		return v, err
	}, `SELECT totp_sealed, totp_last_step FROM app_user WHERE id = $1 AND totp_sealed IS NOT NULL`, user)
	return v.sealed, v.last, err
}

// spendStep marks a time step as used; false if another request was first.
func spendStep(tx *db.Tx, user uuid.UUID, step int64) (bool, error) {
	n, err := tx.Exec(`UPDATE app_user SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2`, user, step)
	return n == 1, err
}

func confirmTOTP(tx *db.Tx, user uuid.UUID) error {
	_, err := tx.Exec(`UPDATE app_user SET totp_confirmed_at = $2 WHERE id = $1`, user, clock.At(tx.Now()))
	return err
}

func dropTOTP(tx *db.Tx, user uuid.UUID) error {
	_, err := tx.Exec(`UPDATE app_user SET totp_sealed = NULL, totp_confirmed_at = NULL, totp_last_step = 0
		WHERE id = $1`, user)
	return err
}

func putRecovery(tx *db.Tx, user uuid.UUID, hashes [][]byte) error {
	if _, err := tx.Exec(`DELETE FROM recovery_code WHERE user_id = $1`, user); err != nil {
		return err
	}
	for _, h := range hashes {
		if _, err := tx.Exec(`INSERT INTO recovery_code (user_id, code_hash) VALUES ($1, $2)`, user, h); err != nil {
			return err
		}
	}
	return nil
}

func useRecovery(tx *db.Tx, user uuid.UUID, hash []byte) (bool, error) {
	n, err := tx.Exec(`UPDATE recovery_code SET used_at = $3
		WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL`, user, hash, clock.At(tx.Now()))
	return n == 1, err
}
