package mail

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const exceptionColumns = `id, email, note, created_by, created_at`

func scanException(row db.Row) (e Exception, err error) {
	err = row.Scan(&e.ID, &e.Email, &e.Note, &e.CreatedBy, &e.CreatedAt)
	return e, err
}

func listExceptions(r *db.Reader, p db.Page) (db.List[Exception], error) {
	rows, err := db.All(r, scanException, `SELECT `+exceptionColumns+` FROM dlp_exception
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(e Exception) db.Key { return db.Key{ID: e.ID} }), err
}

// putException returns taken if the address already has an exception.
func putException(tx *db.Tx, e Exception, key string, taken error) error {
	added, err := tx.ExecAny(`INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, email_key) DO NOTHING`,
		tx.Tenant(), e.ID, e.Email, key, e.Note, e.CreatedBy, e.CreatedAt)
	if err == nil && !added {
		err = taken
	}
	return err
}

func dropException(tx *db.Tx, id uuid.UUID) (Exception, error) {
	return db.One(&tx.Reader, scanException, `DELETE FROM dlp_exception
		WHERE tenant_id = $1 AND id = $2 RETURNING `+exceptionColumns, tx.Tenant(), id)
}
