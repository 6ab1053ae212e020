package identity

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func scanRole(row db.Row) (Role, error) {
	r := Role{Changed: true}
	err := row.Scan(&r.Name, &r.Title, db.FromJSON(&r.Permissions))
	return r, err
}

func ownRoles(r *db.Reader) ([]Role, error) {
	return db.All(r, scanRole, `SELECT name, title, permissions FROM role WHERE tenant_id = $1 ORDER BY name`, r.Tenant())
}

func ownRole(r *db.Reader, name string) (Role, error) {
	return db.One(r, scanRole, `SELECT name, title, permissions FROM role WHERE tenant_id = $1 AND name = $2`, r.Tenant(), name)
}

func membersByRole(r *db.Reader) (map[string]int, error) {
	return db.Map[string, int](r, `SELECT role, count(*) FROM membership WHERE tenant_id = $1 AND state <> 'removed' GROUP BY role`, r.Tenant())
}

func saveRole(tx *db.Tx, ro Role) error {
	return tx.Exec(`INSERT INTO role (tenant_id, id, name, title, permissions, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT (tenant_id, name) DO UPDATE SET title = excluded.title, permissions = excluded.permissions,
			updated_at = excluded.updated_at`,
		tx.Tenant(), tx.NewID(), ro.Name, ro.Title, db.AsJSON(ro.Permissions), clock.At(tx.Now()))
}

func dropRole(tx *db.Tx, name string) (bool, error) {
	return tx.ExecAny(`DELETE FROM role WHERE tenant_id = $1 AND name = $2`, tx.Tenant(), name)
}

func roleInUse(r *db.Reader, name string) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM membership
		WHERE tenant_id = $1 AND role = $2 AND state <> 'removed')`, r.Tenant(), name)
}

// lockWorkspace serializes changes of permissions, so that two of them cannot each remove
// one of the last two owners.
func lockWorkspace(tx *db.Tx) error {
	_, err := db.One(&tx.Reader, db.Scalar[uuid.UUID],
		`SELECT id FROM tenant WHERE id = $1`+tx.Dialect().ForUpdate("tenant"), tx.Tenant())
	return err
}

func ownerExists(r *db.Reader) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM membership
		WHERE tenant_id = $1 AND role = $2 AND state = 'active')`, r.Tenant(), RoleOwner)
}

// activeOwners returns the people who get a workspace's notices.
func activeOwners(r *db.Reader) ([]User, error) {
	return db.All(r, func(row db.Row) (u User, err error) {
		return u, row.Scan(&u.ID, &u.Email, &u.Name, &u.Language)
	}, `SELECT u.id, u.email, u.name, u.language FROM membership m JOIN app_user u ON u.id = m.user_id
		WHERE m.tenant_id = $1 AND m.role = $2 AND m.state = 'active' ORDER BY m.created_at, m.id`, r.Tenant(), RoleOwner)
}
