package jobs

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// keepDead is how long a dead job is kept.
const keepDead = 30 * 24 * time.Hour

// cleanBatch is the number of dead jobs removed per step.
const cleanBatch = 500

// Dead is a job that is no longer tried.
type Dead struct {
	ID        uuid.UUID `json:"id"`
	TenantID  uuid.UUID `json:"tenant_id"`
	Kind      string    `json:"kind"`
	AccountID uuid.UUID `json:"account_id"`
	Attempts  int       `json:"attempts"`
	// Lost is the number of processes that died while doing the job.
	Lost      int        `json:"lost"`
	Error     string     `json:"error"`
	DeadAt    clock.Time `json:"dead_at"`
	CreatedAt clock.Time `json:"created_at"`
}

// ListDead returns dead jobs, newest first; an empty kind means all kinds.
func ListDead(ctx context.Context, d *db.DB, kind string, limit int) ([]Dead, error) {
	query, args := deadQuery(kind, limit)
	return db.Read(ctx, d.System("dead jobs"), func(r *db.Reader) ([]Dead, error) {
		return db.All(r, func(row db.Row) (v Dead, err error) {
			err = row.Scan(&v.ID, &v.TenantID, &v.Kind, &v.AccountID, &v.Attempts, &v.Lost, &v.Error, &v.DeadAt, &v.CreatedAt)
			return v, err
		}, query, args...)
	})
}

// deadQuery returns the query of ListDead and its arguments. An index serves each form, so
// it reads no more rows than it returns.
func deadQuery(kind string, limit int) (string, []any) {
	args, only := []any{limit}, ""
	if kind != "" {
		args, only = append(args, kind), " AND kind = $2"
	}
	return `SELECT id, tenant_id, kind, account_id, attempts, lost, COALESCE(last_error, ''), dead_at, created_at FROM job
		WHERE dead_at IS NOT NULL` + only + ` ORDER BY dead_at DESC, id DESC LIMIT $1`, args
}

// RetryDead makes a dead job due now, as if it were new. It returns db.ErrNoRow if no dead
// job has this id.
func RetryDead(ctx context.Context, d *db.DB, id uuid.UUID) error {
	return changeDead(ctx, d, id, "job.retried_by_operator", func(tx *db.Tx) (bool, error) {
		return tx.ExecAny(`UPDATE job SET dead_at = NULL, attempts = 0, lost = 0, claim_id = NULL, next_at = $3
			WHERE tenant_id = $1 AND id = $2 AND dead_at IS NOT NULL`, tx.Tenant(), id, clock.At(tx.Now()))
	})
}

// DeleteDead deletes a dead job. It returns db.ErrNoRow if no dead job has this id.
func DeleteDead(ctx context.Context, d *db.DB, id uuid.UUID) error {
	return changeDead(ctx, d, id, "job.deleted_by_operator", func(tx *db.Tx) (bool, error) {
		return tx.ExecAny(`DELETE FROM job WHERE tenant_id = $1 AND id = $2 AND dead_at IS NOT NULL`, tx.Tenant(), id)
	})
}

// changeDead changes a dead job and adds a line to the audit log of its workspace, or to
// that of the installation if it belongs to none.
func changeDead(ctx context.Context, d *db.DB, id uuid.UUID, action string, change func(*db.Tx) (bool, error)) error {
	type whose struct {
		tenant uuid.UUID
		kind   string
	}
	job, err := db.Read(ctx, d.System("dead jobs"), func(r *db.Reader) (whose, error) {
		return db.One(r, func(row db.Row) (w whose, err error) {
			err = row.Scan(&w.tenant, &w.kind)
			return w, err
		}, `SELECT tenant_id, kind FROM job WHERE id = $1 AND dead_at IS NOT NULL`, id)
	})
	if err != nil {
		return err
	}
	handle := d.System("dead jobs")
	if job.tenant != uuid.Nil {
		handle = d.Tenant(job.tenant)
	}
	return handle.InTx(ctx, func(tx *db.Tx) error {
		if found, err := change(tx); err != nil {
			return err
		} else if !found {
			return db.ErrNoRow
		}
		tx.Wake(Topic)
		return audit.Write(tx, action, id.String(), map[string]any{"kind": job.kind})
	})
}

// CleanDead removes a batch of the jobs that have been dead for 30 days and returns their
// number.
func CleanDead(ctx context.Context, d *db.DB) (n int, err error) {
	err = d.System("dead jobs").InTx(ctx, func(tx *db.Tx) error {
		removed, err := tx.ExecCount(`DELETE FROM job WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM job
			WHERE dead_at IS NOT NULL AND dead_at <= $1 ORDER BY dead_at LIMIT $2)`, clock.At(tx.Now().Add(-keepDead)), cleanBatch)
		n = int(removed)
		return err
	})
	return n, err
}
