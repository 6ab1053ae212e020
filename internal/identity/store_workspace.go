package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putTenant(tx *db.Tx, w Workspace, licences []string, demo bool) error {
	_, err := tx.Exec(`INSERT INTO tenant (id, slug, name, licences, demo, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		w.ID, w.Slug, w.Name, db.AsJSON(licences), demo, clock.At(tx.Now()))
	return err
}

func putMembership(tx *db.Tx, tenant, user uuid.UUID, m Membership) error {
	_, err := tx.Exec(`INSERT INTO membership (tenant_id, id, user_id, role, state, created_at)
		VALUES ($1, $2, $3, $4, 'active', $5)`, tenant, m.ID, user, m.Role, clock.At(tx.Now()))
	return err
}

func userAndWorkspace(r *db.Reader, membership uuid.UUID) (account, error) {
	return db.One(r, func(row db.Row) (account, error) {
		var a account
		err := row.Scan(&a.user.ID, &a.user.Email, &a.user.Name, &a.user.Language, &a.user.TwoFactor, &a.workspace.ID, &a.workspace.Slug, &a.workspace.Name,
			&a.membership.ID, &a.membership.Role)
		return a, err
	}, `SELECT u.id, u.email, u.name, u.language, u.totp_confirmed_at IS NOT NULL, t.id, t.slug, t.name, m.id, m.role
		FROM membership m JOIN app_user u ON u.id = m.user_id JOIN tenant t ON t.id = m.tenant_id
		WHERE m.tenant_id = $1 AND m.id = $2`, r.Tenant(), membership)
}

func countTenants(r *db.Reader, demo bool) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM tenant WHERE demo = $1`, demo)
}
