package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// setSuspended suspends the workspace of the transaction, or resumes it if at is nil. It
// reports whether that changed anything.
func setSuspended(tx *db.Tx, at *clock.Time) (bool, error) {
	return tx.ExecAny(`UPDATE tenant SET suspended_at = $2 WHERE id = $1 AND NOT deleting AND (suspended_at IS NULL) <> (CAST($2 AS bigint) IS NULL)`, tx.Tenant(), at)
}

// beginDelete marks the suspended workspace of the transaction as being deleted, and
// reports whether it is suspended.
func beginDelete(tx *db.Tx) (bool, error) {
	return tx.ExecAny(`UPDATE tenant SET deleting = true WHERE id = $1 AND suspended_at IS NOT NULL`, tx.Tenant())
}

// deleteTenant deletes the row of a workspace of which nothing else is left, and reports
// whether it was being deleted.
func deleteTenant(tx *db.Tx, id uuid.UUID) (bool, error) {
	return tx.ExecAny(`DELETE FROM tenant WHERE id = $1 AND deleting`, id)
}

func listAllWorkspaces(r *db.Reader) ([]WorkspaceSummary, error) {
	return db.All(r, func(row db.Row) (w WorkspaceSummary, err error) {
		err = row.Scan(&w.ID, &w.Slug, &w.Name, db.FromJSON(&w.Licences), &w.Demo, &w.SuspendedAt, &w.Deleting, &w.CreatedAt, &w.Members)
		return w, err
	}, `SELECT t.id, t.slug, t.name, t.licences, t.demo, t.suspended_at, t.deleting, t.created_at,
		(SELECT count(*) FROM membership m WHERE m.tenant_id = t.id AND m.state = 'active')
		FROM tenant t ORDER BY t.created_at, t.id`)
}

func listPeople(r *db.Reader, slug string) ([]Person, error) {
	return db.All(r, func(row db.Row) (p Person, err error) {
		var confirmed *clock.Time
		err = row.Scan(&p.UserID, &p.Email, &p.Name, &p.Workspace, &p.Role, &p.State, &confirmed, &p.CreatedAt, &p.Sessions)
		p.TwoFactor = confirmed != nil
		return p, err
	}, `SELECT u.id, u.email, u.name, t.slug, m.role, m.state, u.totp_confirmed_at, m.created_at,
		(SELECT count(*) FROM session s WHERE s.user_id = u.id AND s.tenant_id = t.id AND s.closed_at IS NULL)
		FROM membership m JOIN app_user u ON u.id = m.user_id JOIN tenant t ON t.id = m.tenant_id
		WHERE m.state <> 'removed' AND ($1 = '' OR t.slug = $1) ORDER BY m.created_at, m.id`, slug)
}
