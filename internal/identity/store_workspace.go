package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func putTenant(tx *db.Tx, w Workspace, licences []string, demo bool) error {
	return tx.Exec(`INSERT INTO tenant (id, slug, name, licences, demo, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		w.ID, w.Slug, w.Name, db.AsJSON(licences), demo, clock.At(tx.Now()))
}

func putMembership(tx *db.Tx, tenant, user uuid.UUID, m Membership) error {
	return tx.Exec(`INSERT INTO membership (tenant_id, id, user_id, role, state, created_at)
		VALUES ($1, $2, $3, $4, 'active', $5)`, tenant, m.ID, user, m.Role, clock.At(tx.Now()))
}

func countTenants(r *db.Reader, demo bool) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM tenant WHERE demo = $1`, demo)
}

// HasWorkspaces reports whether the installation has a workspace.
func HasWorkspaces(r *db.Reader) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM tenant)`)
}

// putTenantOnce reports whether the slug was free.
func putTenantOnce(tx *db.Tx, w Workspace, licences []string) (bool, error) {
	return tx.ExecAny(`INSERT INTO tenant (id, slug, name, licences, demo, created_at)
		VALUES ($1, $2, $3, $4, false, $5) ON CONFLICT (slug) DO NOTHING`,
		w.ID, w.Slug, w.Name, db.AsJSON(licences), clock.At(tx.Now()))
}

func workspaceByID(r *db.Reader, id uuid.UUID) (Workspace, error) {
	return db.One(r, func(row db.Row) (w Workspace, err error) {
		err = row.Scan(&w.ID, &w.Slug, &w.Name)
		return w, err
	}, `SELECT id, slug, name FROM tenant WHERE id = $1`, id)
}

func tenantBySlug(r *db.Reader, slug string) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM tenant WHERE slug = $1`, slug)
}

func slugTaken(r *db.Reader, slug string) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM tenant WHERE slug = $1)`, slug)
}
