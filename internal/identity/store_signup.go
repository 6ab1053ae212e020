package identity

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putSignUp(tx *db.Tx, p pending, hash []byte, expires time.Time) error {
	_, err := tx.Exec(`INSERT INTO sign_up
		(id, email, email_key, name, workspace_name, language, password_hash, token_hash, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.NewID(), p.user.Email, p.emailKey, p.user.Name, p.workspaceName, p.user.Language, p.passwordHash, hash,
		clock.At(expires), clock.At(tx.Now()))
	return err
}

const signUpColumns = `email, email_key, name, workspace_name, language, password_hash`

func scanSignUp(row db.Row) (pending, error) {
	var p pending
	err := row.Scan(&p.user.Email, &p.emailKey, &p.user.Name, &p.workspaceName, &p.user.Language, &p.passwordHash)
	return p, err
}

// takeSignUp gives a sign-up once.
func takeSignUp(tx *db.Tx, hash []byte) (pending, error) {
	return db.One(&tx.Reader, scanSignUp, `DELETE FROM sign_up WHERE token_hash = $1 AND expires_at > $2
		RETURNING `+signUpColumns, hash, clock.At(tx.Now()))
}

func newestSignUp(r *db.Reader, emailKey string) (pending, error) {
	return db.One(r, scanSignUp, `SELECT `+signUpColumns+` FROM sign_up
		WHERE email_key = $1 ORDER BY created_at DESC LIMIT 1`, emailKey)
}

// pendingHash is the password of the newest sign-up that waits for an address.
func pendingHash(r *db.Reader, emailKey string) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT password_hash FROM sign_up
		WHERE email_key = $1 ORDER BY created_at DESC LIMIT 1`, emailKey)
}

func dropSignUps(tx *db.Tx, emailKey string) error {
	_, err := tx.Exec(`DELETE FROM sign_up WHERE email_key = $1`, emailKey)
	return err
}

func slugTaken(r *db.Reader, slug string) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM tenant WHERE slug = $1)`, slug)
}
