package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// The pauses for an account whose server does not answer in time.
const (
	firstHold   = 30 * time.Second
	longestHold = 30 * time.Minute
)

// AccountStatus shows users which accounts are held. Its methods run in the transaction
// that changes the hold.
type AccountStatus interface {
	// HoldAccount is called when the server of an account does not answer.
	HoldAccount(tx *db.Tx, account uuid.UUID, reason string) error
	// ReleaseAccount is called when it answers again.
	ReleaseAccount(tx *db.Tx, account uuid.UUID, reason string) error
}

// hold keeps jobs of the same kind and account from starting for a while. Jobs that started
// before the hold do not lengthen it.
func (r *Runner) hold(ctx context.Context, k *Kind, j *Job, cause error) error {
	spread := r.cfg.Random()
	return r.inTx(ctx, j, func(tx *db.Tx) error {
		type row struct {
			until    clock.Time
			failures int
		}
		h, err := db.One(&tx.Reader, func(s db.Row) (v row, err error) {
			err = s.Scan(&v.until, &v.failures)
			return v, err
		}, `SELECT until, failures FROM job_hold h WHERE tenant_id = $1 AND kind = $2 AND account_id = $3`+tx.Dialect().ForUpdate("h"),
			j.TenantID, j.Kind, j.AccountID)
		if err != nil && !db.IsNoRow(err) {
			return fmt.Errorf("jobs: hold: %w", err)
		}
		begins := db.IsNoRow(err) || !tx.Now().Before(h.until.Time)
		asked, isAsked := errors.AsType[heldUntil](cause)
		reason, next := k.HoldReason, clock.At(tx.Now())
		switch {
		case isAsked: // not a failure: nothing to show to users, and the job stays ahead of newer ones
			begins = begins || asked.at.After(h.until.Time)
			h.until, reason, next = clock.At(asked.at), "", j.CreatedAt
		case begins:
			pause := min(firstHold<<min(h.failures, 10), longestHold)
			h.until = clock.At(tx.Now().Add(pause - time.Duration(spread*float64(pause)/4)))
			h.failures++
		}
		// The job stays due: only the hold keeps it from starting.
		ours, err := r.change(tx, j, `UPDATE job SET next_at = $4, last_error = $5, claim_id = NULL
			WHERE tenant_id = $1 AND id = $2 AND claim_id = $3`, next, cause.Error())
		if err != nil || !ours || !begins {
			return err
		}
		if err := tx.Exec(`INSERT INTO job_hold (tenant_id, kind, account_id, until, failures, reason, error)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, account_id, kind)
			DO UPDATE SET until = $4, failures = $5, reason = $6, error = $7`,
			j.TenantID, j.Kind, j.AccountID, h.until, h.failures, reason, cause.Error()); err != nil {
			return fmt.Errorf("jobs: hold: %w", err)
		}
		if r.cfg.Accounts == nil || isAsked {
			return nil
		}
		return r.cfg.Accounts.HoldAccount(tx, j.AccountID, reason)
	})
}

// ResumeAccount ends the holds of an account for every kind of job, and restarts its own
// recurring job if that is dead. It is for a person who has changed something about the
// account and does not want to wait.
func ResumeAccount(tx *db.Tx, account uuid.UUID) error {
	if err := tx.Exec(`DELETE FROM job_hold WHERE tenant_id = $1 AND account_id = $2`, tx.Tenant(), account); err != nil {
		return fmt.Errorf("jobs: resume: %w", err)
	}
	if err := tx.Exec(`UPDATE job SET dead_at = NULL, attempts = 0, lost = 0, next_at = $3
		WHERE tenant_id = $1 AND id = $2 AND dead_at IS NOT NULL`, tx.Tenant(), account, clock.At(tx.Now())); err != nil {
		return fmt.Errorf("jobs: resume: %w", err)
	}
	tx.Wake(Topic)
	return nil
}

// RunNow ends the hold of an account for one kind of job, and makes its waiting jobs due.
// Running jobs are not affected.
func RunNow(tx *db.Tx, kind string, account uuid.UUID) error {
	if err := tx.Exec(`DELETE FROM job_hold WHERE tenant_id = $1 AND account_id = $2 AND kind = $3`, tx.Tenant(), account, kind); err != nil {
		return fmt.Errorf("jobs: run now: %w", err)
	}
	if err := tx.Exec(`UPDATE job SET next_at = $4 WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND claim_id IS NULL AND dead_at IS NULL AND next_at > $4`,
		tx.Tenant(), account, kind, clock.At(tx.Now())); err != nil {
		return fmt.Errorf("jobs: run now: %w", err)
	}
	tx.Wake(Topic)
	return nil
}

// endHold ends the hold of a job's kind and account after a success. If the account is
// still held for another kind, that reason is shown.
func (r *Runner) endHold(tx *db.Tx, k *Kind, j *Job) error {
	if j.AccountID == uuid.Nil {
		return nil
	}
	n, err := tx.ExecCount(`DELETE FROM job_hold WHERE tenant_id = $1 AND kind = $2 AND account_id = $3`, j.TenantID, j.Kind, j.AccountID)
	if err != nil {
		return fmt.Errorf("jobs: end hold: %w", err)
	}
	if n == 0 || r.cfg.Accounts == nil {
		return nil
	}
	if err := r.cfg.Accounts.ReleaseAccount(tx, j.AccountID, k.HoldReason); err != nil {
		return err
	}
	other, err := db.One(&tx.Reader, db.Scalar[string], `SELECT reason FROM job_hold WHERE tenant_id = $1 AND account_id = $2 AND reason <> '' ORDER BY kind LIMIT 1`,
		j.TenantID, j.AccountID)
	if err != nil {
		return db.IfNoRow(fmt.Errorf("jobs: end hold: %w", err), nil)
	}
	return r.cfg.Accounts.HoldAccount(tx, j.AccountID, other)
}
