package signin

import (
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putSignUp(tx *db.Tx, p signUp, hash []byte, expires time.Time) error {
	return tx.Exec(`INSERT INTO sign_up
		(id, email, email_key, name, workspace_name, language, password_hash, token_hash, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.NewID(), p.user.Email, p.emailKey, p.user.Name, p.workspaceName, p.user.Language, p.passwordHash, hash,
		clock.At(expires), clock.At(tx.Now()))
}

const signUpColumns = `email, email_key, name, workspace_name, language, password_hash`

func scanSignUp(row db.Row) (p signUp, err error) {
	err = row.Scan(&p.user.Email, &p.emailKey, &p.user.Name, &p.workspaceName, &p.user.Language, &p.passwordHash)
	return p, err
}

// takeSignUp removes a sign-up and returns it, so that it is used once.
func takeSignUp(tx *db.Tx, hash []byte) (signUp, error) {
	return db.One(&tx.Reader, scanSignUp, `DELETE FROM sign_up WHERE token_hash = $1 AND expires_at > $2
		RETURNING `+signUpColumns, hash, clock.At(tx.Now()))
}

func newestSignUp(r *db.Reader, emailKey string) (signUp, error) {
	return db.One(r, scanSignUp, `SELECT `+signUpColumns+` FROM sign_up
		WHERE email_key = $1 ORDER BY created_at DESC LIMIT 1`, emailKey)
}

// findSignUpHash returns the password hash of the newest sign-up of an address.
func findSignUpHash(r *db.Reader, emailKey string) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT password_hash FROM sign_up
		WHERE email_key = $1 ORDER BY created_at DESC LIMIT 1`, emailKey)
}

func putFirstOwnerLink(tx *db.Tx, hash []byte, expires time.Time) error {
	return tx.Exec(`INSERT INTO first_owner_link (token_hash, expires_at) VALUES ($1, $2)`, hash, clock.At(expires))
}

// deleteFirstOwnerLinks removes every link for the first owner and returns them.
func deleteFirstOwnerLinks(tx *db.Tx) ([]firstOwnerLink, error) {
	return db.All(&tx.Reader, func(row db.Row) (l firstOwnerLink, err error) {
		err = row.Scan(&l.hash, &l.expires)
		return l, err
	}, `DELETE FROM first_owner_link RETURNING token_hash, expires_at`)
}

func deleteSignUps(tx *db.Tx, emailKey string) error {
	return tx.Exec(`DELETE FROM sign_up WHERE email_key = $1`, emailKey)
}
