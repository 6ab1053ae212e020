package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// putTenant adds a workspace with one exception and returns both ids.
func putTenant(ctx context.Context, d *db.DB) (tenant, exception uuid.UUID, err error) {
	tenant, exception = d.Clock().NewID(), d.Clock().NewID()
	err = d.System("bench").InTx(ctx, func(tx *db.Tx) error {
		err := tx.Exec(`INSERT INTO tenant (id, slug, name, licences, created_at) VALUES ($1, 'bench', 'Bench', '[]', $2)`,
			tenant, clock.At(tx.Now()))
		if err != nil {
			return err
		}
		return tx.Exec(`INSERT INTO dlp_exception (tenant_id, id, email, email_key, note, created_at)
			VALUES ($1, $2, 'a@example.com', 'a@example.com', '', $3)`, tenant, exception, clock.At(tx.Now()))
	})
	return tenant, exception, err
}

func readEmail(r *db.Reader, id uuid.UUID) (string, error) {
	return db.One(r, db.Scalar[string], `SELECT email FROM dlp_exception WHERE tenant_id = $1 AND id = $2`, r.Tenant(), id)
}

// fillQueue creates a queue in its simplest form.
func fillQueue(ctx context.Context, d *db.DB, n int) error {
	return d.System("bench").InTx(ctx, func(tx *db.Tx) error {
		if err := tx.Exec(`CREATE TABLE bench_queue (id uuid PRIMARY KEY, status text NOT NULL, claim_id uuid, next_at bigint NOT NULL)`); err != nil {
			return err
		}
		if err := tx.Exec(`CREATE INDEX bench_queue_due ON bench_queue (next_at, id) WHERE status = 'pending'`); err != nil {
			return err
		}
		for range n {
			if err := tx.Exec(`INSERT INTO bench_queue (id, status, next_at) VALUES ($1, 'pending', 0)`, tx.NewID()); err != nil {
				return err
			}
		}
		return nil
	})
}

// claimAndMark claims rows with a lease and marks them in a second transaction.
func claimAndMark(ctx context.Context, d *db.DB, limit int) (int, error) {
	var ids []uuid.UUID
	err := d.System("bench").InTx(ctx, func(tx *db.Tx) (err error) {
		ids, err = db.All(&tx.Reader, db.Scalar[uuid.UUID], `UPDATE bench_queue SET claim_id = $1, next_at = $2
			WHERE id IN (SELECT id FROM bench_queue WHERE status = 'pending' AND next_at <= $3 ORDER BY next_at, id LIMIT $4`+
			tx.Dialect().SkipLocked()+`) RETURNING id`, tx.NewID(), clock.At(tx.Now().Add(time.Minute)), clock.At(tx.Now()), limit)
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(ids), d.System("bench").InTx(ctx, func(tx *db.Tx) error {
		in, arg := db.In(tx.Dialect(), 1, ids)
		return tx.Exec(`UPDATE bench_queue SET status = 'delivered' WHERE id `+in, arg)
	})
}
