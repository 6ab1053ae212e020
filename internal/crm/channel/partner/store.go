package partner

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func put(tx *db.Tx, hash []byte, session uuid.UUID, expires clock.Time) error {
	_, err := tx.Exec(`INSERT INTO partner_signup (tenant_id, state_hash, session_id, expires_at) VALUES ($1, $2, $3, $4)`,
		tx.Tenant(), hash, session, expires)
	return err
}

// take forgets a sign-up that was begun and returns its session; db.ErrNoRow where it
// was taken before, or its time is over.
func take(tx *db.Tx, hash []byte) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `DELETE FROM partner_signup WHERE tenant_id = $1 AND state_hash = $2 AND expires_at > $3
		RETURNING session_id`, tx.Tenant(), hash, clock.At(tx.Now()))
}

// dropOld forgets the sign-ups whose time is over.
func dropOld(tx *db.Tx) error {
	_, err := tx.Exec(`DELETE FROM partner_signup WHERE tenant_id = $1 AND expires_at <= $2`, tx.Tenant(), clock.At(tx.Now()))
	return err
}
