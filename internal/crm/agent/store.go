package agent

import (
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// profilesOf returns the profiles of members; members without one are missing from the map.
func profilesOf(r *db.Reader, ids []uuid.UUID) (map[uuid.UUID]profile, error) {
	out := make(map[uuid.UUID]profile, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	rows, err := db.All(r, func(row db.Row) (p profile, err error) {
		err = row.Scan(&p.id, &p.title, &p.presence, &p.signature)
		return p, err
	}, `SELECT id, title, presence, signature FROM agent WHERE tenant_id = $1 AND id `+in, r.Tenant(), arg)
	for _, p := range rows {
		out[p.id] = p
	}
	return out, err
}

// profileOf returns the profile of a member, which is empty if they have none.
func profileOf(r *db.Reader, id uuid.UUID) (profile, error) {
	profiles, err := profilesOf(r, []uuid.UUID{id})
	return profiles[id], err
}

func saveProfile(tx *db.Tx, p profile) error {
	return tx.Exec(`INSERT INTO agent (tenant_id, id, title, presence, presence_at, signature) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, id) DO UPDATE SET title = excluded.title, presence = excluded.presence, signature = excluded.signature,
			presence_at = CASE WHEN agent.presence = excluded.presence THEN agent.presence_at ELSE excluded.presence_at END`,
		tx.Tenant(), p.id, p.title, p.presence, clock.At(tx.Now()), p.signature)
}

const qrColumns = `id, mailed_at, expires_at, scanned_at, revoked_at, device_name, platform`

func scanQR(row db.Row) (q QR, err error) {
	var mailed *clock.Time
	var d Device
	err = row.Scan(&q.ID, &mailed, &q.ExpiresAt, &q.ScannedAt, &q.revokedAt, &d.Name, &d.Platform)
	q.Mailed = mailed != nil
	if q.ScannedAt != nil {
		q.Device = api.Some(d)
	}
	return q, err
}

func putQR(tx *db.Tx, agent uuid.UUID, q NewQR, hash []byte, madeBy uuid.UUID) error {
	return tx.Exec(`INSERT INTO mobile_qr (tenant_id, id, agent_id, key_hash, made_by, expires_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, tx.Tenant(), q.ID, agent, hash, madeBy, q.ExpiresAt, clock.At(tx.Now()))
}

func qrByID(r *db.Reader, agent, id uuid.UUID) (QR, error) {
	return db.One(r, scanQR, `SELECT `+qrColumns+` FROM mobile_qr
		WHERE tenant_id = $1 AND agent_id = $2 AND id = $3`, r.Tenant(), agent, id)
}

// openQR returns the newest QR of an agent that can still be scanned.
func openQR(r *db.Reader, agent uuid.UUID, now clock.Time) (QR, error) {
	return db.One(r, scanQR, `SELECT `+qrColumns+` FROM mobile_qr
		WHERE tenant_id = $1 AND agent_id = $2 AND scanned_at IS NULL AND revoked_at IS NULL AND expires_at > $3
		ORDER BY created_at DESC, id DESC LIMIT 1`, r.Tenant(), agent, now)
}

// revokeQRs revokes the QRs that an agent could still scan; mailed ones only if mailed is
// set.
func revokeQRs(tx *db.Tx, agent uuid.UUID, mailed bool) (int64, error) {
	return tx.ExecCount(`UPDATE mobile_qr SET revoked_at = $3
		WHERE tenant_id = $1 AND agent_id = $2 AND scanned_at IS NULL AND revoked_at IS NULL AND expires_at > $3
			AND ($4 OR mailed_at IS NULL)`, tx.Tenant(), agent, clock.At(tx.Now()), mailed)
}

// revokeScreenQR revokes one QR that was not mailed.
func revokeScreenQR(tx *db.Tx, agent, id uuid.UUID) (int64, error) {
	return tx.ExecCount(`UPDATE mobile_qr SET revoked_at = $4
		WHERE tenant_id = $1 AND agent_id = $2 AND id = $3 AND mailed_at IS NULL
			AND scanned_at IS NULL AND revoked_at IS NULL AND expires_at > $4`, tx.Tenant(), agent, id, clock.At(tx.Now()))
}

// markMailed reports whether the QR is mailed for the first time.
func markMailed(tx *db.Tx, agent, id uuid.UUID, hash []byte) (bool, error) {
	return tx.ExecAny(`UPDATE mobile_qr SET mailed_at = $5, expires_at = $6
		WHERE tenant_id = $1 AND agent_id = $2 AND id = $3 AND key_hash = $4 AND mailed_at IS NULL
			AND scanned_at IS NULL AND revoked_at IS NULL AND expires_at > $5`,
		tx.Tenant(), agent, id, hash, clock.At(tx.Now()), clock.At(tx.Now().Add(MailLife)))
}

// wasMailed reports whether a QR with this key was mailed before.
func wasMailed(r *db.Reader, agent, id uuid.UUID, hash []byte) (bool, error) {
	_, err := db.One(r, db.Scalar[int], `SELECT 1 FROM mobile_qr
		WHERE tenant_id = $1 AND agent_id = $2 AND id = $3 AND key_hash = $4 AND mailed_at IS NOT NULL`,
		r.Tenant(), agent, id, hash)
	return db.Found(err)
}

// tenantOfQR returns the workspace of a QR's key; it needs the system's handle.
func tenantOfQR(r *db.Reader, hash []byte) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT tenant_id FROM mobile_qr WHERE key_hash = $1`, hash)
}

// taken is a QR that was just scanned.
type taken struct {
	id, agent uuid.UUID
	madeBy    uuid.UUID // the session that made it
}

// takeQR marks a QR that waits as scanned.
func takeQR(tx *db.Tx, hash []byte, d Device) (taken, error) {
	return db.One(&tx.Reader, func(r db.Row) (v taken, err error) {
		err = r.Scan(&v.id, &v.agent, &v.madeBy)
		return v, err
	}, `UPDATE mobile_qr SET scanned_at = $3, device_name = $4, platform = $5
		WHERE tenant_id = $1 AND key_hash = $2 AND scanned_at IS NULL AND revoked_at IS NULL AND expires_at > $3
		RETURNING id, agent_id, made_by`, tx.Tenant(), hash, clock.At(tx.Now()), d.Name, d.Platform)
}

func setQRSession(tx *db.Tx, id, session uuid.UUID) error {
	return tx.Exec(`UPDATE mobile_qr SET session_id = $3 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, session)
}

func cleanQRs(tx *db.Tx, before clock.Time, limit int) (int64, error) {
	return tx.ExecCount(`DELETE FROM mobile_qr WHERE (tenant_id, id) IN (
		SELECT tenant_id, id FROM mobile_qr WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, before, limit)
}
