package tenantrows

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const (
	// peopleTable is the table of the people, who belong to no workspace.
	peopleTable = "app_user"
	// memberTable is the table of who is in which workspace.
	memberTable = "membership"
)

// reference is a foreign key; column is its first column.
type reference struct{ from, column, to string }

// references lists the foreign keys of the database.
func references(r *db.Reader) ([]reference, error) {
	query := `SELECT m.name, f."from", f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND f.seq = 0 ORDER BY m.name, f.id`
	if r.Dialect() == db.Postgres {
		query = `SELECT c.relname, a.attname, t.relname FROM pg_constraint k
			JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
			JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
			WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace ORDER BY c.relname, k.conname`
	}
	return db.All(r, func(row db.Row) (f reference, err error) {
		err = row.Scan(&f.from, &f.column, &f.to)
		return f, err
	}, query)
}

// deleteRows deletes at most limit rows of the transaction's workspace from a table, and
// returns their number.
func deleteRows(tx *db.Tx, table string, limit int) (int64, error) {
	name := `"` + table + `"`
	if tx.Dialect() == db.Postgres {
		return tx.ExecCount(`DELETE FROM `+name+` WHERE ctid = ANY (ARRAY (SELECT ctid FROM `+name+` WHERE tenant_id = $1 LIMIT $2))`, tx.Tenant(), limit)
	}
	return tx.ExecCount(`DELETE FROM `+name+` WHERE rowid IN (SELECT rowid FROM `+name+` WHERE tenant_id = $1 LIMIT $2)`, tx.Tenant(), limit)
}

// peopleOnlyIn lists the people who are or were members of a workspace and of no other.
func peopleOnlyIn(r *db.Reader, tenant uuid.UUID) ([]uuid.UUID, error) {
	return db.All(r, db.Scalar[uuid.UUID], `SELECT DISTINCT m.user_id FROM `+memberTable+` m WHERE m.tenant_id = $1 AND m.user_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM `+memberTable+` o WHERE o.user_id = m.user_id AND o.tenant_id <> $1)`, tenant)
}

func deleteWhere(tx *db.Tx, table, column string, id uuid.UUID) error {
	return tx.Exec(`DELETE FROM "`+table+`" WHERE "`+column+`" = $1`, id)
}
