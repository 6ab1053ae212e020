package line

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

const columns = `id, server, transport, encryption, username, auth_user, register, e164, status, last_error, updated_at`

func scanLine(row db.Row) (l Line, err error) {
	err = row.Scan(&l.ID, &l.Server, &l.Transport, &l.Encryption, &l.Username, &l.AuthUser, &l.Register, &l.Number, &l.Status, &l.LastError, &l.UpdatedAt)
	return l, err
}

// findLine reads the line; db.ErrNoRow if there is none.
func findLine(r *db.Reader) (Line, error) {
	return db.One(r, scanLine, `SELECT `+columns+` FROM phone_line WHERE tenant_id = $1`, r.Tenant())
}

// saveLine creates or changes the line; an existing line keeps its id.
func saveLine(tx *db.Tx, l Line) (Line, error) {
	return db.One(&tx.Reader, scanLine, `INSERT INTO phone_line (tenant_id, `+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (tenant_id) DO UPDATE SET server = $3, transport = $4, encryption = $5, username = $6, auth_user = $7, register = $8, e164 = $9,
			status = $10, last_error = $11, updated_at = $12 RETURNING `+columns,
		tx.Tenant(), l.ID, l.Server, l.Transport, l.Encryption, l.Username, l.AuthUser, l.Register, l.Number, l.Status, l.LastError, l.UpdatedAt)
}

func saveStatus(tx *db.Tx, id uuid.UUID, status, lastError string) error {
	return tx.Exec(`UPDATE phone_line SET status = $3, last_error = $4 WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, status, lastError)
}

// deleteLine deletes the line and returns it; db.ErrNoRow if there is none.
func deleteLine(tx *db.Tx) (Line, error) {
	return db.One(&tx.Reader, scanLine, `DELETE FROM phone_line WHERE tenant_id = $1 RETURNING `+columns, tx.Tenant())
}
