package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const findSession = `SELECT s.tenant_id, s.id, s.user_id, s.membership_id, t.slug, t.licences, m.role, r.permissions,
		s.verified_at, s.last_seen_at, s.absolute_expires_at, s.kind, s.scopes
	FROM session s JOIN membership m ON m.tenant_id = s.tenant_id AND m.id = s.membership_id
	JOIN tenant t ON t.id = s.tenant_id
	LEFT JOIN role r ON r.tenant_id = m.tenant_id AND r.name = m.role
	WHERE s.token_hash = $1 AND s.closed_at IS NULL AND m.state = 'active'`

func sessionByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, func(row db.Row) (credentialRow, error) {
		var c credentialRow
		var licences db.JSON[[]string]
		var own *db.JSON[[]perm.Permission]
		var scopes *db.JSON[[]string]
		var verified, seen, expires clock.Time
		err := row.Scan(&c.tenantID, &c.id, &c.userID, &c.membershipID, &c.slug, &licences, &c.role, &own,
			&verified, &seen, &expires, &c.kind, &scopes)
		c.licences = licences.V
		if own != nil {
			c.ownRole = &own.V
		}
		if scopes != nil {
			c.scopes = scopes.V
		}
		c.verifiedAt, c.lastSeenAt, c.expiresAt = verified.Time, seen.Time, expires.Time
		return c, err
	}, findSession, hash)
}

const insertSession = `INSERT INTO session (id, tenant_id, membership_id, user_id, family_id, token_hash, kind,
		device_name, platform, app_id, scopes, ip, verified_at, last_seen_at, absolute_expires_at, created_at)
	VALUES ($1, $2, $3, $4, $1, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $12)`

func putSession(tx *db.Tx, id uuid.UUID, o opening, hash []byte, expires time.Time) error {
	var scopes *db.JSON[[]string]
	if o.scopes != nil {
		scopes = &db.JSON[[]string]{V: o.scopes}
	}
	_, err := tx.Exec(insertSession, id, o.tenantID, o.membershipID, o.userID, hash, o.kind, o.device, o.platform,
		o.appID, scopes, o.ip, clock.At(tx.Now()), clock.At(expires))
	return err
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
