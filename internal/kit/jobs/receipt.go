package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// The pauses between attempts to write a receipt, and the time-out of one attempt.
const (
	firstReceiptPause   = 50 * time.Millisecond
	longestReceiptPause = 2 * time.Second
	receiptTimeout      = 10 * time.Second
)

// ReadReceipt reads into v the receipt that KeepReceipt stored in this or an earlier
// attempt. It returns false if there is none: no outside server has accepted anything from
// this job yet.
func (j *Job) ReadReceipt(v any) (kept bool, err error) {
	if j.receipt == nil {
		return false, nil
	}
	if err := json.Unmarshal([]byte(*j.receipt), v); err != nil {
		return true, fmt.Errorf("%w: receipt: %w", ErrDrop, err)
	}
	return true, nil
}

// KeepReceipt stores with the job what an outside server has accepted, so that no
// later attempt sends it again. A handler calls it right after the server has
// accepted it, before anything else that can fail, and outside any transaction.
// If the database fails it tries again until ctx ends, and then returns the
// database's error.
//
// The receipt is stored even if another worker holds the claim by then: what was
// accepted stays accepted. It is also stored if ctx ended just before.
func (j *Job) KeepReceipt(ctx context.Context, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%w: receipt: %w", ErrDrop, err)
	}
	receipt := string(text)
	for pause := firstReceiptPause; ; pause = min(2*pause, longestReceiptPause) {
		if err = j.writeReceipt(ctx, receipt); err == nil {
			j.receipt = &receipt
			return nil
		}
		j.log.Warn("a server's receipt could not be recorded, trying again", "kind", j.Kind, "job", j.ID, "error", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("jobs: keep receipt: %w", err)
		case <-time.After(pause):
		}
	}
}

func (j *Job) writeReceipt(ctx context.Context, receipt string) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), clock.Deadline(receiptTimeout))
	defer cancel()
	return j.db.System("job claim").InTx(ctx, func(tx *db.Tx) error {
		return tx.Exec(`UPDATE job SET receipt = $3 WHERE tenant_id = $1 AND id = $2`, j.TenantID, j.ID, receipt)
	})
}
