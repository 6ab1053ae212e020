package identity

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// findEnterable finds a workspace that a person may enter.
func findEnterable(r *db.Reader, user, workspace uuid.UUID) (Workspace, error) {
	return db.One(r, func(row db.Row) (w Workspace, err error) {
		err = row.Scan(&w.ID, &w.Slug, &w.Name)
		return w, err
	}, `SELECT t.id, t.slug, t.name FROM membership m JOIN tenant t ON t.id = m.tenant_id
		WHERE m.tenant_id = $2 AND m.user_id = $1 AND m.state = 'active'`, user, workspace)
}

func putHandover(tx *db.Tx, c crossing, hash []byte, expires time.Time) error {
	return tx.Exec(`INSERT INTO handover (id, code_hash, session_id, tenant_id, ip, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		tx.NewID(), hash, c.session, c.workspace, c.ip, clock.At(expires))
}

// handoverByHash returns a code that may still be used.
func handoverByHash(r *db.Reader, hash []byte, now time.Time) (crossing, error) {
	return db.One(r, func(row db.Row) (c crossing, err error) {
		err = row.Scan(&c.session, &c.workspace, &c.slug, &c.ip)
		return c, err
	}, `SELECT h.session_id, h.tenant_id, t.slug, h.ip FROM handover h JOIN tenant t ON t.id = h.tenant_id
		WHERE h.code_hash = $1 AND h.expires_at > $2`, hash, clock.At(now))
}

// takeHandover uses a code; it returns false if another request was first.
func takeHandover(tx *db.Tx, hash []byte) (bool, error) {
	return tx.ExecAny(`DELETE FROM handover WHERE code_hash = $1 AND expires_at > $2`, hash, clock.At(tx.Now()))
}
