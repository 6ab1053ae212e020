package jobs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/trace"
)

// Topic is woken when a job has been added.
const Topic = "job"

// Enqueue adds a job in the transaction that makes it necessary.
func Enqueue(tx *db.Tx, kind string, runAt time.Time, payload any) (uuid.UUID, error) {
	return insert(tx, tx.Tenant(), kind, uuid.Nil, runAt, payload)
}

// EnqueueForTenant adds a job for one tenant in a transaction that crosses tenants.
func EnqueueForTenant(tx *db.Tx, tenant uuid.UUID, kind string, runAt time.Time, payload any) (uuid.UUID, error) {
	return insert(tx, tenant, kind, uuid.Nil, runAt, payload)
}

// EnqueueForAccount adds a job that talks to the server of an account.
func EnqueueForAccount(tx *db.Tx, kind string, account uuid.UUID, runAt time.Time, payload any) (uuid.UUID, error) {
	return insert(tx, tx.Tenant(), kind, account, runAt, payload)
}

func insert(tx *db.Tx, tenant uuid.UUID, kind string, account uuid.UUID, runAt time.Time, payload any) (uuid.UUID, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return uuid.Nil, fmt.Errorf("jobs: encode %s: %w", kind, err)
	}
	id := tx.NewID()
	err = tx.ExecDeferred(`INSERT INTO job (tenant_id, id, kind, account_id, payload, test, next_at, created_at, traceparent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tenant, id, kind, account, string(text), caller.From(tx.Context()).Test, clock.At(runAt), clock.At(tx.Now()), trace.Parent(tx.Context()))
	if err != nil {
		return uuid.Nil, fmt.Errorf("jobs: enqueue %s: %w", kind, err)
	}
	tx.Wake(Topic)
	return id, nil
}

// Restart ensures that an account's own recurring job exists and runs at the given time.
// The job has the id of the account, so there is only one. If it is running, that run loses
// its claim and changes nothing more; earlier failures are forgotten.
func Restart(tx *db.Tx, kind string, account uuid.UUID, runAt time.Time) error {
	err := tx.Exec(`INSERT INTO job (tenant_id, id, kind, account_id, payload, test, next_at, created_at)
		VALUES ($1, $2, $3, $2, 'null', $6, $4, $5)
		ON CONFLICT (tenant_id, id) DO UPDATE SET next_at = $4, claim_id = NULL, attempts = 0, lost = 0, last_error = NULL, dead_at = NULL`,
		tx.Tenant(), account, kind, clock.At(runAt), clock.At(tx.Now()), false)
	if err != nil {
		return fmt.Errorf("jobs: restart %s: %w", kind, err)
	}
	tx.Wake(Topic)
	return nil
}

// NextRun returns when an account's own recurring job begins, or nil if it has none. While
// the job runs it is when its lease ends.
func NextRun(r *db.Reader, account uuid.UUID) (*clock.Time, error) {
	return db.OneOr(r, nil, db.Scalar[*clock.Time], `SELECT CASE WHEN h.until > j.next_at THEN h.until ELSE j.next_at END
		FROM job j LEFT JOIN job_hold h ON h.tenant_id = j.tenant_id AND h.account_id = j.account_id AND h.kind = j.kind
		WHERE j.tenant_id = $1 AND j.id = $2 AND j.dead_at IS NULL`, r.Tenant(), account)
}
