package jobs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// Waiting describes what an account's jobs of one kind are waiting for.
type Waiting struct {
	// HeldUntil is the time until which none of them starts, and HoldReason the reason; nil
	// and "" if they are not held.
	HeldUntil  *clock.Time
	HoldReason string
	// Jobs are the next due jobs.
	Jobs []WaitingJob
}

// WaitingJob is a job that waits.
type WaitingJob struct {
	Payload json.RawMessage
	NextAt  clock.Time
}

// FindPayload returns the payload of a waiting or running job; db.ErrNoRow if the job is
// done, dead or deleted.
func FindPayload(r *db.Reader, id uuid.UUID) (json.RawMessage, error) {
	text, err := db.One(r, db.Scalar[string], `SELECT payload FROM job WHERE tenant_id = $1 AND id = $2 AND dead_at IS NULL`, r.Tenant(), id)
	return json.RawMessage(text), err
}

// FindWaiting returns what the jobs of an account and a kind are waiting for, with at most
// limit jobs, to show it to people.
func FindWaiting(r *db.Reader, kind string, account uuid.UUID, now time.Time, limit int) (w Waiting, err error) {
	type hold struct {
		until  clock.Time
		reason string
	}
	h, err := db.One(r, func(s db.Row) (h hold, err error) { return h, s.Scan(&h.until, &h.reason) },
		`SELECT until, reason FROM job_hold WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND until > $4`, r.Tenant(), account, kind, clock.At(now))
	switch {
	case err == nil:
		w.HeldUntil, w.HoldReason = &h.until, h.reason
	case !db.IsNoRow(err):
		return w, fmt.Errorf("jobs: find waiting: %w", err)
	}
	w.Jobs, err = db.All(r, func(s db.Row) (j WaitingJob, err error) {
		var payload string
		err = s.Scan(&payload, &j.NextAt)
		j.Payload = json.RawMessage(payload)
		return j, err
	}, `SELECT payload, next_at FROM job WHERE kind = $1 AND tenant_id = $2 AND account_id = $3 AND dead_at IS NULL ORDER BY next_at LIMIT $4`, kind, r.Tenant(), account, limit)
	return w, err
}
