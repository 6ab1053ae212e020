package migration

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, mailbox, source, state, created_by, created_at, ended_at`

func scan(row db.Row) (j Job, err error) {
	err = row.Scan(&j.ID, &j.Mailbox, db.FromJSON(&j.Source), &j.State, &j.CreatedBy, &j.CreatedAt, &j.EndedAt)
	return j, err
}

func list(r *db.Reader, p db.Page) (db.List[Job], error) {
	rows, err := db.All(r, scan, `SELECT `+columns+` FROM mail_migration
		WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, r.Tenant(), p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(j Job) db.Key { return db.Key{ID: j.ID} }), err
}

// runningJobs returns the jobs that are not cancelled.
func runningJobs(tx *db.Tx) ([]Job, error) {
	return db.All(&tx.Reader, scan, `SELECT `+columns+` FROM mail_migration WHERE tenant_id = $1 AND ended_at IS NULL`, tx.Tenant())
}

func insert(tx *db.Tx, j Job) error {
	return tx.Exec(`INSERT INTO mail_migration (tenant_id, id, mailbox, source, state, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		tx.Tenant(), j.ID, j.Mailbox, db.AsJSON(j.Source), j.State, j.CreatedBy, j.CreatedAt)
}

func lock(tx *db.Tx, id uuid.UUID) (Job, error) {
	return db.One(&tx.Reader, scan, `SELECT `+columns+` FROM mail_migration m WHERE tenant_id = $1 AND id = $2`+tx.Dialect().ForUpdate("m"), tx.Tenant(), id)
}

func cancel(tx *db.Tx, id uuid.UUID) (Job, error) {
	return db.One(&tx.Reader, scan, `UPDATE mail_migration SET state = $3, ended_at = $4 WHERE tenant_id = $1 AND id = $2 RETURNING `+columns,
		tx.Tenant(), id, Cancelled, clock.At(tx.Now()))
}
