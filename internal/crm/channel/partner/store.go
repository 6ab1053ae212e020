package partner

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func put(tx *db.Tx, hash []byte, session uuid.UUID, expires clock.Time) error {
	return tx.Exec(`INSERT INTO partner_signup (tenant_id, state_hash, session_id, expires_at) VALUES ($1, $2, $3, $4)`,
		tx.Tenant(), hash, session, expires)
}

// take deletes a sign-up and returns its session; db.ErrNoRow if it was taken before or has
// expired.
func take(tx *db.Tx, hash []byte) (uuid.UUID, error) {
	return db.One(&tx.Reader, db.Scalar[uuid.UUID], `DELETE FROM partner_signup WHERE tenant_id = $1 AND state_hash = $2 AND expires_at > $3
		RETURNING session_id`, tx.Tenant(), hash, clock.At(tx.Now()))
}

// dropOld deletes expired sign-ups and failures.
func dropOld(tx *db.Tx) error {
	now := clock.At(tx.Now())
	err := tx.Exec(`DELETE FROM partner_signup WHERE tenant_id = $1 AND expires_at <= $2`, tx.Tenant(), now)
	if err == nil {
		err = tx.Exec(`DELETE FROM partner_signup_failure WHERE tenant_id = $1 AND expires_at <= $2`, tx.Tenant(), now)
	}
	return err
}

func putFailure(tx *db.Tx, id, session uuid.UUID, f Failure) error {
	return tx.Exec(`INSERT INTO partner_signup_failure (tenant_id, id, session_id, step, words, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		tx.Tenant(), id, session, f.Step, f.Words, clock.At(tx.Now().Add(signupFor)))
}

// failureOf returns a failure of a session; db.ErrNoRow if it belongs to another session or
// has expired.
func failureOf(r *db.Reader, id, session uuid.UUID, now clock.Time) (Failure, error) {
	return db.One(r, db.Fields(func(f *Failure) []any { return []any{&f.Step, &f.Words} }),
		`SELECT step, words FROM partner_signup_failure WHERE tenant_id = $1 AND id = $2 AND session_id = $3 AND expires_at > $4`,
		r.Tenant(), id, session, now)
}
