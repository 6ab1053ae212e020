package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// successor is the session that a switch opened.
type successor struct {
	info         SessionInfo
	membershipID uuid.UUID
}

// switchSQL opens one session and closes another in a single statement: the SELECT returns
// the old row again (n = 0), which conflicts with itself and is closed, and the new row (n
// = 1). On PostgreSQL the rows read are locked, or a concurrent revoke would be
// overwritten. The new row comes first: a row that the statement itself has changed is not
// returned again. An app can only switch to a workspace where its person consented to it,
// with what was granted there.
func switchSQL(d db.Dialect) string {
	return `INSERT INTO session (id, tenant_id, membership_id, user_id, family_id, prev_id, token_hash, kind,
			device_name, platform, app_id, scopes, ip, verified_at, last_seen_at, absolute_expires_at,
			closed_at, close_reason, created_at, resource)
		SELECT CASE k.n WHEN 0 THEN s.id ELSE $3 END,
			CASE k.n WHEN 0 THEN s.tenant_id ELSE m.tenant_id END,
			CASE k.n WHEN 0 THEN s.membership_id ELSE m.id END,
			s.user_id, s.family_id,
			CASE k.n WHEN 0 THEN s.prev_id ELSE s.id END,
			CASE k.n WHEN 0 THEN s.token_hash ELSE $4 END,
			s.kind, s.device_name, s.platform, s.app_id,
			CASE k.n WHEN 0 THEN s.scopes ELSE g.scopes END,
			CASE k.n WHEN 0 THEN s.ip ELSE $5 END,
			s.verified_at,
			CASE k.n WHEN 0 THEN s.last_seen_at ELSE $6 END,
			s.absolute_expires_at,
			CASE k.n WHEN 0 THEN CAST($6 AS bigint) END,
			CASE k.n WHEN 0 THEN 'switched' END,
			CASE k.n WHEN 0 THEN s.created_at ELSE $6 END, s.resource
		FROM session s
		JOIN membership m ON m.user_id = s.user_id AND m.tenant_id = $2 AND m.state = 'active'
		LEFT JOIN oauth_grant g ON g.tenant_id = m.tenant_id AND g.membership_id = m.id AND g.app_id = s.app_id
			AND g.revoked_at IS NULL
		CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1) k
		WHERE s.id = $1 AND s.closed_at IS NULL AND s.absolute_expires_at > $6
			AND (s.app_id IS NULL OR g.id IS NOT NULL)
		ORDER BY k.n DESC` + d.ForUpdate("s, m") + `
		ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, close_reason = excluded.close_reason
		RETURNING id, membership_id, token_hash, kind, device_name, platform, NULLIF(verified_at, 0), absolute_expires_at, created_at`
}

// switchSession returns the new session and the hash of the old one's token; db.ErrNoRow if
// the old one is closed or the workspace is not the person's.
func switchSession(tx *db.Tx, old, workspace, id uuid.UUID, hash []byte, ip string) (successor, []byte, error) {
	type row struct {
		successor
		hash []byte
	}
	rows, err := db.All(&tx.Reader, func(r db.Row) (v row, err error) {
		err = r.Scan(&v.info.ID, &v.membershipID, &v.hash, &v.info.Kind, &v.info.DeviceName, &v.info.Platform,
			&v.info.VerifiedAt, &v.info.ExpiresAt, &v.info.CreatedAt)
		return v, err
	}, switchSQL(tx.Dialect()), old, workspace, id, hash, ip, clock.At(tx.Now()))
	if err != nil {
		return successor{}, nil, err
	}
	if len(rows) != 2 {
		return successor{}, nil, db.ErrNoRow
	}
	if rows[0].info.ID == id {
		rows[0], rows[1] = rows[1], rows[0]
	}
	return rows[1].successor, rows[0].hash, nil
}

// sessionOpen reports whether a session is neither closed nor past its ceiling.
func sessionOpen(tx *db.Tx, id uuid.UUID) (bool, error) {
	return db.One(&tx.Reader, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM session
		WHERE id = $1 AND closed_at IS NULL AND absolute_expires_at > $2)`, id, clock.At(tx.Now()))
}

// stampSession marks the password as proven now and returns the token's hash.
func stampSession(tx *db.Tx, id uuid.UUID) ([]byte, error) {
	return db.One(&tx.Reader, db.Scalar[[]byte], `UPDATE session SET verified_at = $2
		WHERE id = $1 AND closed_at IS NULL RETURNING token_hash`, id, clock.At(tx.Now()))
}

// familyMember is an open session of a family and its owner.
type familyMember struct {
	session, family, tenant uuid.UUID
	user                    User
}

// liveFamily finds the open sessions in the family of a token that was switched away from
// before a time.
func liveFamily(r *db.Reader, hash []byte, before, now time.Time) ([]familyMember, error) {
	return db.All(r, func(row db.Row) (m familyMember, err error) {
		err = row.Scan(&m.session, &m.family, &m.tenant, &m.user.ID, &m.user.Email, &m.user.Name, &m.user.Language)
		return m, err
	}, `SELECT l.id, l.family_id, l.tenant_id, u.id, u.email, u.name, u.language
		FROM session s JOIN session l ON l.family_id = s.family_id AND l.closed_at IS NULL AND l.absolute_expires_at > $3
		JOIN app_user u ON u.id = l.user_id
		WHERE s.token_hash = $1 AND s.close_reason = 'switched' AND s.closed_at < $2`, hash, clock.At(before), clock.At(now))
}

// grantElsewhere returns what an app's session may do and what its person granted the same
// app in another workspace.
func grantElsewhere(r *db.Reader, session, tenant uuid.UUID) (has, there []string, err error) {
	type row struct{ has, there db.JSON[[]string] }
	v, err := db.One(r, func(s db.Row) (v row, err error) {
		err = s.Scan(&v.has, &v.there)
		return v, err
	}, `SELECT s.scopes, g.scopes FROM session s
		JOIN membership m ON m.user_id = s.user_id AND m.tenant_id = $2
		JOIN oauth_grant g ON g.tenant_id = m.tenant_id AND g.membership_id = m.id AND g.app_id = s.app_id
		WHERE s.id = $1 AND g.revoked_at IS NULL`, session, tenant)
	return v.has.V, v.there.V, err
}
