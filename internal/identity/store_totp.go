package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// SaveTOTPSecret stores a sealed secret that waits for its first code. It returns false if
// two-factor sign-in is on already.
func SaveTOTPSecret(tx *db.Tx, user uuid.UUID, sealed []byte) (bool, error) {
	return tx.ExecAny(`UPDATE app_user SET totp_sealed = $2, totp_last_step = 0
		WHERE id = $1 AND totp_confirmed_at IS NULL`, user, sealed)
}

// FindTOTPSecret returns a person's sealed secret and the last time step that was used;
// db.ErrNoRow if there is none.
func FindTOTPSecret(r *db.Reader, user uuid.UUID) (sealed []byte, last int64, err error) {
	type secret struct {
		sealed []byte
		last   int64
	}
	v, err := db.One(r, func(row db.Row) (v secret, err error) {
		err = row.Scan(&v.sealed, &v.last)
		return v, err
	}, `SELECT totp_sealed, totp_last_step FROM app_user WHERE id = $1 AND totp_sealed IS NOT NULL`, user)
	return v.sealed, v.last, err
}

// UseTOTPStep marks a time step as used. It returns false if another request was
// first.
func UseTOTPStep(tx *db.Tx, user uuid.UUID, step int64) (bool, error) {
	return tx.ExecAny(`UPDATE app_user SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2`, user, step)
}

// ConfirmTOTP switches two-factor sign-in on.
func ConfirmTOTP(tx *db.Tx, user uuid.UUID) error {
	return tx.Exec(`UPDATE app_user SET totp_confirmed_at = $2 WHERE id = $1`, user, clock.At(tx.Now()))
}

// RemoveTOTP switches two-factor sign-in off and deletes the secret.
func RemoveTOTP(tx *db.Tx, user uuid.UUID) error {
	return tx.Exec(`UPDATE app_user SET totp_sealed = NULL, totp_confirmed_at = NULL, totp_last_step = 0
		WHERE id = $1`, user)
}
