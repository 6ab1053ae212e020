package signin

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func replaceRecoveryHashes(tx *db.Tx, user uuid.UUID, hashes [][]byte) error {
	if err := tx.Exec(`DELETE FROM recovery_code WHERE user_id = $1`, user); err != nil {
		return err
	}
	for _, h := range hashes {
		if err := tx.Exec(`INSERT INTO recovery_code (user_id, code_hash) VALUES ($1, $2)`, user, h); err != nil {
			return err
		}
	}
	return nil
}

func markRecoveryUsed(tx *db.Tx, user uuid.UUID, hash []byte) (bool, error) {
	return tx.ExecAny(`UPDATE recovery_code SET used_at = $3
		WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL`, user, hash, clock.At(tx.Now()))
}
