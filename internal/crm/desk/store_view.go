package desk

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const viewColumns = `id, scope_id, name, filter, created_at, updated_at`

func scanView(row db.Row) (v View, err error) {
	var scope uuid.UUID
	err = row.Scan(&v.ID, &scope, &v.Name, db.FromJSON(&v.Filter), &v.CreatedAt, &v.UpdatedAt)
	v.Shared, v.OwnerID = owner(scope)
	return v, err
}

// views lists the views visible to an agent, the oldest first.
func views(r *db.Reader, agent uuid.UUID, p db.Page) (db.List[View], error) {
	rows, err := db.All(r, scanView, `SELECT `+viewColumns+` FROM crm_view
		WHERE tenant_id = $1 AND scope_id IN ($2, $3) AND (created_at, id) > ($4, $5) ORDER BY created_at, id LIMIT $6`,
		r.Tenant(), uuid.Nil, agent, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(v View) db.Key { return db.Key{Sort: v.CreatedAt.UnixMicro(), ID: v.ID} }), err
}

// viewByID returns a view visible to the agent.
func viewByID(r *db.Reader, agent, id uuid.UUID) (View, error) {
	return db.One(r, scanView, `SELECT `+viewColumns+` FROM crm_view
		WHERE tenant_id = $1 AND id = $2 AND scope_id IN ($3, $4)`, r.Tenant(), id, uuid.Nil, agent)
}

func viewsOf(r *db.Reader, scope uuid.UUID) (int, error) {
	return db.One(r, db.Scalar[int], `SELECT count(*) FROM crm_view WHERE tenant_id = $1 AND scope_id = $2`, r.Tenant(), scope)
}

// putView reports whether the name was free.
func putView(tx *db.Tx, v View, scope uuid.UUID, key string) (bool, error) {
	return tx.ExecAny(`INSERT INTO crm_view (tenant_id, id, scope_id, name, name_key, filter, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, scope_id, name_key) DO NOTHING`,
		tx.Tenant(), v.ID, scope, v.Name, key, db.AsJSON(v.Filter), v.CreatedAt, v.UpdatedAt)
}

// saveView reports whether the name was free.
func saveView(tx *db.Tx, v View, scope uuid.UUID, key string) (bool, error) {
	return tx.ExecAny(`UPDATE crm_view SET scope_id = $3, name = $4, name_key = $5, filter = $6, updated_at = $7
		WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM crm_view o
			WHERE o.tenant_id = $1 AND o.scope_id = $3 AND o.name_key = $5 AND o.id <> $2)`,
		tx.Tenant(), v.ID, scope, v.Name, key, db.AsJSON(v.Filter), v.UpdatedAt)
}

func dropView(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM crm_view WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}
