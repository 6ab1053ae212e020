package identity

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const findAccount = `SELECT u.id, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL, u.password_hash, t.id, t.slug, t.name, m.id, m.role
	FROM app_user u JOIN membership m ON m.user_id = u.id JOIN tenant t ON t.id = m.tenant_id
	WHERE u.email_key = $1 AND m.state = 'active' AND ($2 = '' OR t.slug = $2)
	ORDER BY m.created_at, m.id LIMIT 1`

func accountByEmail(r *db.Reader, emailKey, slug string) (account, error) {
	return db.One(r, func(row db.Row) (account, error) {
		var a account
		err := row.Scan(&a.user.ID, &a.user.Email, &a.user.Name, &a.user.Language, &a.user.TwoFactor, &a.passwordHash,
			&a.workspace.ID, &a.workspace.Slug, &a.workspace.Name, &a.membership.ID, &a.membership.Role)
		return a, err
	}, findAccount, emailKey, slug)
}

func putUser(tx *db.Tx, u User, emailKey, passwordHash string) error {
	_, err := tx.Exec(`INSERT INTO app_user
		(id, email, email_key, email_verified_at, name, language, password_hash, password_changed_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $4, $4)`,
		u.ID, u.Email, emailKey, clock.At(tx.Now()), u.Name, u.Language, passwordHash)
	return err
}
