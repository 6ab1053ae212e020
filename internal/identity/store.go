package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
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

const findSession = `SELECT s.tenant_id, s.id, s.user_id, s.membership_id, t.slug, t.licences, m.role,
		s.verified_at, s.last_seen_at, s.absolute_expires_at
	FROM session s JOIN membership m ON m.tenant_id = s.tenant_id AND m.id = s.membership_id
	JOIN tenant t ON t.id = s.tenant_id
	WHERE s.token_hash = $1 AND s.closed_at IS NULL AND m.state = 'active'`

func sessionByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, func(row db.Row) (credentialRow, error) {
		var c credentialRow
		var licences db.JSON[[]string]
		var verified, seen, expires clock.Time
		err := row.Scan(&c.tenantID, &c.id, &c.userID, &c.membershipID, &c.slug, &licences, &c.role,
			&verified, &seen, &expires)
		c.licences = licences.V
		c.verifiedAt, c.lastSeenAt, c.expiresAt = verified.Time, seen.Time, expires.Time
		return c, err
	}, findSession, hash)
}

const findKey = `SELECT k.tenant_id, k.id, t.slug, t.licences, k.environment, k.scopes, k.expires_at
	FROM api_key k JOIN tenant t ON t.id = k.tenant_id
	WHERE k.token_hash = $1 AND k.revoked_at IS NULL`

func keyByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, func(row db.Row) (credentialRow, error) {
		var c credentialRow
		var licences db.JSON[[]string]
		var scopes db.JSON[[]perm.Permission]
		var expires *clock.Time
		err := row.Scan(&c.tenantID, &c.id, &c.slug, &licences, &c.environment, &scopes, &expires)
		c.licences, c.scopes = licences.V, scopes.V
		if expires != nil {
			c.expiresAt = expires.Time
		}
		return c, err
	}, findKey, hash)
}

const insertSession = `INSERT INTO session (id, tenant_id, membership_id, user_id, token_hash, device_name, ip,
		verified_at, last_seen_at, absolute_expires_at, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $8)`

func putSession(tx *db.Tx, a account, hash []byte, device, ip string, expires time.Time) (uuid.UUID, error) {
	id := tx.NewID()
	_, err := tx.Exec(insertSession, id, a.workspace.ID, a.membership.ID, a.user.ID, hash, device, ip,
		clock.At(tx.Now()), clock.At(expires))
	return id, err
}

func touchSession(tx *db.Tx, id uuid.UUID) error {
	_, err := tx.Exec(`UPDATE session SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2`, id, clock.At(tx.Now()))
	return err
}

// closeSession gives the token's hash, under which caches know the session.
func closeSession(tx *db.Tx, id uuid.UUID, reason string) ([]byte, error) {
	return db.One(&tx.Reader, db.Scalar[[]byte], `UPDATE session
		SET closed_at = COALESCE(closed_at, $2), close_reason = COALESCE(close_reason, $3)
		WHERE id = $1 RETURNING token_hash`, id, clock.At(tx.Now()), reason)
}

func putTenant(tx *db.Tx, w Workspace, licences []string, demo bool) error {
	_, err := tx.Exec(`INSERT INTO tenant (id, slug, name, licences, demo, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		w.ID, w.Slug, w.Name, db.AsJSON(licences), demo, clock.At(tx.Now()))
	return err
}

func putUser(tx *db.Tx, u User, emailKey, passwordHash string) error {
	_, err := tx.Exec(`INSERT INTO app_user (id, email, email_key, name, password_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, u.ID, u.Email, emailKey, u.Name, passwordHash, clock.At(tx.Now()))
	return err
}

func putMembership(tx *db.Tx, tenant, user uuid.UUID, m Membership) error {
	_, err := tx.Exec(`INSERT INTO membership (tenant_id, id, user_id, role, state, created_at)
		VALUES ($1, $2, $3, $4, 'active', $5)`, tenant, m.ID, user, m.Role, clock.At(tx.Now()))
	return err
}

func putKey(tx *db.Tx, tenant uuid.UUID, name, environment string, scopes []perm.Permission, hash []byte, last4 string) (uuid.UUID, error) {
	id := tx.NewID()
	_, err := tx.Exec(`INSERT INTO api_key (id, tenant_id, name, environment, scopes, token_hash, last4, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		id, tenant, name, environment, db.AsJSON(scopes), hash, last4, clock.At(tx.Now()))
	return id, err
}

func userAndWorkspace(r *db.Reader, membership uuid.UUID) (account, error) {
	return db.One(r, func(row db.Row) (account, error) {
		var a account
		err := row.Scan(&a.user.ID, &a.user.Email, &a.user.Name, &a.workspace.ID, &a.workspace.Slug, &a.workspace.Name,
			&a.membership.ID, &a.membership.Role)
		return a, err
	}, `SELECT u.id, u.email, u.name, t.id, t.slug, t.name, m.id, m.role
		FROM membership m JOIN app_user u ON u.id = m.user_id JOIN tenant t ON t.id = m.tenant_id
		WHERE m.tenant_id = $1 AND m.id = $2`, r.Tenant(), membership)
}

func countTenants(r *db.Reader, demo bool) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM tenant WHERE demo = $1`, demo)
}
