package identity

import (
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const findAccount = `SELECT u.id, u.email, u.name, u.password_hash, t.id, t.slug, t.name, m.id, m.role
	FROM app_user u JOIN membership m ON m.user_id = u.id JOIN tenant t ON t.id = m.tenant_id
	WHERE u.email_key = $1 AND m.state = 'active' AND ($2 = '' OR t.slug = $2)
	ORDER BY m.created_at, m.id LIMIT 1`

func accountByEmail(r *db.Reader, emailKey, slug string) (account, error) {
	return db.One(r, func(row db.Row) (account, error) {
		var a account
		err := row.Scan(&a.user.ID, &a.user.Email, &a.user.Name, &a.passwordHash,
			&a.workspace.ID, &a.workspace.Slug, &a.workspace.Name, &a.membership.ID, &a.membership.Role)
		return a, err
	}, findAccount, emailKey, slug)
}

func putUser(tx *db.Tx, u User, emailKey, passwordHash string) error {
	_, err := tx.Exec(`INSERT INTO app_user (id, email, email_key, name, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, u.ID, u.Email, emailKey, u.Name, passwordHash, clock.At(tx.Now()))
	return err
}
