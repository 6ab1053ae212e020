package webhook

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const recoveryColumns = `r.id, r.endpoint_id, r.since, r.until, r.include_delivered, r.status, r.reached, r.after_event, r.examined,
	r.queued, r.created_at, r.finished_at`

const recoveryTables = ` FROM webhook_recovery r JOIN webhook_endpoint e ON e.tenant_id = r.tenant_id AND e.id = r.endpoint_id `

func scanRecovery(row db.Row) (r Recovery, err error) {
	err = row.Scan(&r.ID, &r.Endpoint, &r.Since, &r.Until, &r.Delivered, &r.Status, &r.Reached, &r.after, &r.Examined,
		&r.Queued, &r.CreatedAt, &r.FinishedAt)
	r.measure()
	return r, err
}

func putRecovery(tx *db.Tx, r *Recovery) error {
	return tx.Exec(`INSERT INTO webhook_recovery
			(tenant_id, id, endpoint_id, since, until, include_delivered, status, reached, after_event, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.Tenant(), r.ID, r.Endpoint, r.Since, r.Until, r.Delivered, r.Status, r.Reached, r.after, r.CreatedAt)
}

func setRecovery(tx *db.Tx, r *Recovery) error {
	return tx.Exec(`UPDATE webhook_recovery SET status = $3, reached = $4, after_event = $5, examined = $6, queued = $7, finished_at = $8
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), r.ID, r.Status, r.Reached, r.after, r.Examined, r.Queued, r.FinishedAt)
}

func recoveryByID(r *db.Reader, module string, id uuid.UUID) (Recovery, error) {
	return db.One(r, scanRecovery, `SELECT `+recoveryColumns+recoveryTables+`
		WHERE r.tenant_id = $1 AND r.id = $2 AND e.module = $3 AND e.deleted_at IS NULL`, r.Tenant(), id, module)
}

// lockRecovery reads and locks a recovery that is still running, with its endpoint's
// module, to continue it.
func lockRecovery(tx *db.Tx, id uuid.UUID) (r Recovery, module string, err error) {
	r, err = db.One(&tx.Reader, scanRecovery, `SELECT `+recoveryColumns+recoveryTables+`
		WHERE r.tenant_id = $1 AND r.id = $2 AND r.status = 'running' AND e.deleted_at IS NULL`+tx.Dialect().ForUpdate("r"),
		tx.Tenant(), id)
	if err != nil {
		return r, "", err
	}
	module, err = db.One(&tx.Reader, db.Scalar[string], `SELECT module FROM webhook_endpoint WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), r.Endpoint)
	return r, module, err
}

// listRecoveries returns an endpoint's recoveries, newest first.
func listRecoveries(r *db.Reader, endpoint uuid.UUID, p db.Page) (db.List[Recovery], error) {
	rows, err := db.All(r, scanRecovery, `SELECT `+recoveryColumns+recoveryTables+`
		WHERE r.tenant_id = $1 AND r.endpoint_id = $2 AND (r.created_at, r.id) < ($3, $4)
		ORDER BY r.created_at DESC, r.id DESC LIMIT $5`, r.Tenant(), endpoint, p.After.Sort, p.After.ID, p.Limit+1)
	return db.Cut(rows, p, func(r Recovery) db.Key { return db.Key{Sort: r.CreatedAt.UnixMicro(), ID: r.ID} }), err
}

// hasOldRecoveries reports whether a tenant has old recoveries.
func hasOldRecoveries(r *db.Reader, before clock.Time) (bool, error) {
	return db.One(r, db.Scalar[bool], `SELECT EXISTS (SELECT 1 FROM webhook_recovery WHERE tenant_id = $1 AND created_at < $2)`, r.Tenant(), before)
}

// dropRecoveries deletes a tenant's old recoveries.
func dropRecoveries(tx *db.Tx, before clock.Time) error {
	return tx.Exec(`DELETE FROM webhook_recovery WHERE tenant_id = $1 AND created_at < $2`, tx.Tenant(), before)
}
