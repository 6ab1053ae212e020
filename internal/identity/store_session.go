package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findSession finds an open session of an active member; the condition that selects it
// follows.
const findSession = `SELECT s.tenant_id, s.id, s.user_id, s.membership_id, t.slug, t.licences, m.role, r.permissions,
		s.verified_at, s.last_seen_at, s.absolute_expires_at, s.kind, s.device_name, s.scopes, s.bound, s.resource,
		t.name, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL, t.require_two_factor
	FROM session s JOIN membership m ON m.tenant_id = s.tenant_id AND m.id = s.membership_id
	JOIN tenant t ON t.id = s.tenant_id
	JOIN app_user u ON u.id = s.user_id
	LEFT JOIN role r ON r.tenant_id = m.tenant_id AND r.name = m.role
	WHERE s.closed_at IS NULL AND m.state = 'active' AND `

func sessionByHash(r *db.Reader, hash []byte) (credentialRow, error) {
	return db.One(r, scanSession, findSession+`s.token_hash = $1`, hash)
}

func sessionByID(r *db.Reader, id uuid.UUID) (credentialRow, error) {
	return db.One(r, scanSession, findSession+`s.tenant_id = $1 AND s.id = $2`, r.Tenant(), id)
}

func sessionHash(r *db.Reader, id uuid.UUID) ([]byte, error) {
	return db.One(r, db.Scalar[[]byte], `SELECT token_hash FROM session WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

func scanSession(row db.Row) (c credentialRow, err error) {
	var verified, seen, expires clock.Time
	err = row.Scan(&c.tenantID, &c.id, &c.userID, &c.membershipID, &c.slug, db.FromJSON(&c.licences), &c.role, &c.ownRole,
		&verified, &seen, &expires, &c.kind, &c.device, db.FromJSON(&c.scopes), &c.bound, &c.resource,
		&c.workspace, &c.user.Email, &c.user.Name, &c.user.Language, &c.user.TwoFactor, &c.requiresTwoFactor)
	c.user.ID = c.userID
	c.verifiedAt, c.lastSeenAt, c.expiresAt = verified.Time, seen.Time, expires.Time
	return c, err
}

const insertSession = `INSERT INTO session (id, tenant_id, membership_id, user_id, family_id, token_hash, kind,
		device_name, platform, app_id, scopes, ip, bound, verified_at, last_seen_at, absolute_expires_at, created_at, resource)
	VALUES ($1, $2, $3, $4, $1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $14, $16)`

func putSession(tx *db.Tx, id uuid.UUID, n NewSession, hash []byte, expires time.Time) error {
	var scopes *db.JSON[[]string]
	if n.Scopes != nil {
		scopes = &db.JSON[[]string]{V: n.Scopes}
	}
	return tx.Exec(insertSession, id, n.TenantID, n.MembershipID, n.UserID, hash, n.Kind, n.Device.Name, n.Device.Platform,
		n.AppID, scopes, n.Device.IP, n.Bound, clock.At(n.verifiedAt(tx.Now())), clock.At(tx.Now()), clock.At(expires), n.Resource)
}

// findSessionEnd returns the membership of a session of the workspace and when it ends,
// open or closed; db.ErrNoRow if it is past that end.
func findSessionEnd(tx *db.Tx, id uuid.UUID) (membership uuid.UUID, ends time.Time, err error) {
	_, err = db.One(&tx.Reader, func(row db.Row) (any, error) {
		var at clock.Time
		err := row.Scan(&membership, &at)
		ends = at.Time
		return nil, err
	}, `SELECT membership_id, absolute_expires_at FROM session
		WHERE tenant_id = $1 AND id = $2 AND absolute_expires_at > $3`, tx.Tenant(), id, clock.At(tx.Now()))
	return membership, ends, err
}

func touchSession(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`UPDATE session SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2`, id, clock.At(tx.Now()))
}

// closeSession returns the token's hash, the key of the session in caches.
func closeSession(tx *db.Tx, id uuid.UUID, reason string) ([]byte, error) {
	return db.One(&tx.Reader, db.Scalar[[]byte], `UPDATE session
		SET closed_at = COALESCE(closed_at, $2), close_reason = COALESCE(close_reason, $3)
		WHERE id = $1 RETURNING token_hash`, id, clock.At(tx.Now()), reason)
}

// revokeSession closes one open session of a person and returns its token's hash.
func revokeSession(tx *db.Tx, user, id uuid.UUID) ([]byte, error) {
	return db.One(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET closed_at = $3, close_reason = 'revoked'
		WHERE id = $2 AND user_id = $1 AND closed_at IS NULL RETURNING token_hash`, user, id, clock.At(tx.Now()))
}

// closeSessions closes a person's sessions except one and returns their tokens' hashes.
func closeSessions(tx *db.Tx, user, but uuid.UUID, reason string) ([][]byte, error) {
	return db.All(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET closed_at = $3, close_reason = $4
		WHERE user_id = $1 AND id <> $2 AND closed_at IS NULL RETURNING token_hash`, user, but, clock.At(tx.Now()), reason)
}

// listSessions leaves out sessions that are no longer usable though not closed: past their
// ceiling, or idle for too long.
func listSessions(r *db.Reader, user uuid.UUID, now time.Time, p db.Page) (db.List[OwnSession], error) {
	rows, err := db.All(r, func(row db.Row) (o OwnSession, err error) {
		err = row.Scan(&o.ID, &o.Kind, &o.DeviceName, &o.Platform, &o.IP, &o.VerifiedAt, &o.LastSeenAt,
			&o.ExpiresAt, &o.CreatedAt, &o.Workspace.ID, &o.Workspace.Slug, &o.Workspace.Name)
		return o, err
	}, `SELECT s.id, s.kind, s.device_name, s.platform, s.ip, NULLIF(s.verified_at, 0), s.last_seen_at,
			s.absolute_expires_at, s.created_at, t.id, t.slug, t.name
		FROM session s JOIN tenant t ON t.id = s.tenant_id
		WHERE s.user_id = $1 AND s.closed_at IS NULL AND s.absolute_expires_at > $2
			AND s.last_seen_at > CASE s.kind WHEN 'panel' THEN CAST($3 AS bigint) ELSE CAST($4 AS bigint) END
			AND (s.created_at, s.id) < ($5, $6)
		ORDER BY s.created_at DESC, s.id DESC LIMIT $7`,
		user, clock.At(now), now.Add(-SessionIdle).UnixMicro(), now.Add(-deviceIdle).UnixMicro(),
		p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(o OwnSession) db.Key { return db.Key{Sort: o.CreatedAt.UnixMicro(), ID: o.ID} }), err
}

// closeAppSessions ends an app's sessions everywhere: they depend on its registration.
func closeAppSessions(tx *db.Tx, app uuid.UUID, reason string) ([][]byte, error) {
	return db.All(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET closed_at = $2, close_reason = $3
		WHERE app_id = $1 AND closed_at IS NULL RETURNING token_hash`, app, clock.At(tx.Now()), reason)
}

// closeGrantedSessions ends the sessions that one member gave to an app.
func closeGrantedSessions(tx *db.Tx, app, membership uuid.UUID, reason string) ([][]byte, error) {
	return db.All(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET closed_at = $4, close_reason = $5
		WHERE app_id = $3 AND tenant_id = $1 AND membership_id = $2 AND closed_at IS NULL RETURNING token_hash`,
		tx.Tenant(), membership, app, clock.At(tx.Now()), reason)
}

// AppResources returns, for each app that holds open sessions of a member, the path of the
// one resource that they open; "" if one of them opens the whole API.
func AppResources(r *db.Reader, tenant, membership uuid.UUID, now time.Time) (map[uuid.UUID]string, error) {
	return db.Map[uuid.UUID, string](r, `SELECT app_id, MIN(resource) FROM session
		WHERE tenant_id = $1 AND membership_id = $2 AND app_id IS NOT NULL AND closed_at IS NULL AND absolute_expires_at > $3
		GROUP BY app_id`, tenant, membership, clock.At(now))
}

// AppSession is an open session that an OAuth app was given.
type AppSession struct {
	TenantID, ID, MembershipID, UserID, AppID uuid.UUID
}

// FindAppSession finds an app's open session by its token's hash. It returns db.ErrNoRow if
// there is none.
func FindAppSession(r *db.Reader, hash []byte) (AppSession, error) {
	return db.One(r, func(row db.Row) (a AppSession, err error) {
		err = row.Scan(&a.TenantID, &a.ID, &a.MembershipID, &a.UserID, &a.AppID)
		return a, err
	}, `SELECT tenant_id, id, membership_id, user_id, app_id FROM session
		WHERE token_hash = $1 AND closed_at IS NULL AND app_id IS NOT NULL`, hash)
}
