package main

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

func createRows(ctx context.Context, d *db.DB) error {
	return d.System("bench").InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`CREATE TABLE bench_row (
			tenant_id uuid NOT NULL, id uuid NOT NULL, body text NOT NULL, PRIMARY KEY (tenant_id, id))`)
		return err
	})
}

func putRow(tx *db.Tx) error {
	_, err := tx.Exec(`INSERT INTO bench_row (tenant_id, id, body) VALUES ($1, $2, $3)`, tx.Tenant(), tx.NewID(), sampleBody)
	return err
}

// putTenant adds a workspace with one exception and gives both ids.
func putTenant(ctx context.Context, d *db.DB) (tenant, exception uuid.UUID, err error) {
	tenant, exception = d.Clock().NewID(), d.Clock().NewID()
	err = d.System("bench").InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO tenant (id, slug, name, licences, created_at) VALUES ($1, 'bench', 'Bench', '[]', $2)`,
			tenant, clock.At(tx.Now()))
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at)
			VALUES ($1, $2, 'a@example.com', 'a@example.com', '', $3)`, tenant, exception, clock.At(tx.Now()))
		return err
	})
	return tenant, exception, err
}

func readEmail(r *db.Reader, id uuid.UUID) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}
