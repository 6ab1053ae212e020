package desk

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const macroColumns = `id, name, description, actions, created_by, created_at, updated_at`

func scanMacro(row db.Row) (m Macro, err error) {
	err = row.Scan(&m.ID, &m.Name, &m.Description, db.FromJSON(&m.Actions), &m.CreatedBy, &m.CreatedAt, &m.UpdatedAt)
	return m, err
}

func macros(r *db.Reader, p db.Page) (db.List[Macro], error) {
	rows, err := db.All(r, scanMacro, `SELECT `+macroColumns+` FROM crm_macro
		WHERE tenant_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
		r.Tenant(), p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(m Macro) db.Key { return db.Key{Sort: m.CreatedAt.UnixMicro(), ID: m.ID} }), err
}

func macroByID(r *db.Reader, id uuid.UUID) (Macro, error) {
	return db.One(r, scanMacro, `SELECT `+macroColumns+` FROM crm_macro WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// putMacro reports whether the name was free.
func putMacro(tx *db.Tx, m Macro, key string) (bool, error) {
	return tx.ExecAny(`INSERT INTO crm_macro (tenant_id, id, name, name_key, description, actions, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, name_key) DO NOTHING`,
		tx.Tenant(), m.ID, m.Name, key, m.Description, db.AsJSON(m.Actions), m.CreatedBy, m.CreatedAt, m.UpdatedAt)
}

// saveMacro reports whether the name was free.
func saveMacro(tx *db.Tx, m Macro, key string) (bool, error) {
	return tx.ExecAny(`UPDATE crm_macro SET name = $3, name_key = $4, description = $5, actions = $6, updated_at = $7
		WHERE tenant_id = $1 AND id = $2
			AND NOT EXISTS (SELECT 1 FROM crm_macro o WHERE o.tenant_id = $1 AND o.name_key = $4 AND o.id <> $2)`,
		tx.Tenant(), m.ID, m.Name, key, m.Description, db.AsJSON(m.Actions), m.UpdatedAt)
}

func dropMacro(tx *db.Tx, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM crm_macro WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id)
}
