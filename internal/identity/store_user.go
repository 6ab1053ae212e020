package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// selectAccount selects a person in a workspace; the condition follows.
const selectAccount = `SELECT u.id, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL, u.password_hash,
		t.id, t.slug, t.name, m.id, m.role
	FROM app_user u JOIN membership m ON m.user_id = u.id JOIN tenant t ON t.id = m.tenant_id`

func scanAccount(row db.Row) (a Account, err error) {
	err = row.Scan(&a.User.ID, &a.User.Email, &a.User.Name, &a.User.Language, &a.User.TwoFactor, &a.PasswordHash,
		&a.Workspace.ID, &a.Workspace.Slug, &a.Workspace.Name, &a.Membership.ID, &a.Membership.Role)
	return a, err
}

// FindAccountByEmail finds a person in the workspace with the slug. If the slug is empty,
// it takes their first workspace that is not suspended, or else their first. It returns
// db.ErrNoRow if there is none.
func FindAccountByEmail(r *db.Reader, emailKey, slug string) (Account, error) {
	return db.One(r, scanAccount, selectAccount+`
		WHERE u.email_key = $1 AND m.state = 'active' AND ($2 = '' OR t.slug = $2)
		ORDER BY t.suspended_at IS NOT NULL, m.created_at, m.id LIMIT 1`, emailKey, slug)
}

// FindAccountByUser finds a person as FindAccountByEmail does, by their id.
func FindAccountByUser(r *db.Reader, user uuid.UUID, slug string) (Account, error) {
	return db.One(r, scanAccount, selectAccount+`
		WHERE u.id = $1 AND m.state = 'active' AND ($2 = '' OR t.slug = $2)
		ORDER BY t.suspended_at IS NOT NULL, m.created_at, m.id LIMIT 1`, user, slug)
}

// FindAccountByMember finds the person of an active membership of the reader's workspace.
// It returns db.ErrNoRow if there is none.
func FindAccountByMember(r *db.Reader, membership uuid.UUID) (Account, error) {
	return db.One(r, scanAccount, selectAccount+` WHERE m.tenant_id = $1 AND m.id = $2 AND m.state = 'active'`,
		r.Tenant(), membership)
}

// FindUserByEmail finds a person in any workspace or none. It returns db.ErrNoRow if nobody
// has the address.
func FindUserByEmail(r *db.Reader, emailKey string) (User, error) {
	return db.One(r, func(row db.Row) (u User, err error) {
		err = row.Scan(&u.ID, &u.Email, &u.Name, &u.Language, &u.TwoFactor)
		return u, err
	}, `SELECT id, email, name, language, totp_confirmed_at IS NOT NULL FROM app_user WHERE email_key = $1`, emailKey)
}

func putUser(tx *db.Tx, u User, emailKey, passwordHash string) error {
	return tx.Exec(`INSERT INTO app_user
		(id, email, email_key, email_verified_at, name, language, password_hash, password_changed_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $4, $4)`,
		u.ID, u.Email, emailKey, clock.At(tx.Now()), u.Name, u.Language, passwordHash)
}

func updateProfile(tx *db.Tx, u User) error {
	return tx.Exec(`UPDATE app_user SET name = $2, language = $3 WHERE id = $1`, u.ID, u.Name, u.Language)
}

// UpdatePassword replaces a person's password hash.
func UpdatePassword(tx *db.Tx, user uuid.UUID, encoded string) error {
	return tx.Exec(`UPDATE app_user SET password_hash = $2, password_changed_at = $3 WHERE id = $1`,
		user, encoded, clock.At(tx.Now()))
}
