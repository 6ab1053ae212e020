package transport

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Typist is a Carrier that can show a customer that somebody writes to them.
type Typist interface {
	ShowTyping(ctx context.Context, account uuid.UUID, to string) error
}

// typingCounts is for how long it is worth to show that somebody writes.
const typingCounts = 5 * time.Second

// typingSign is the payload of the typing jobs.
type typingSign struct {
	AccountID uuid.UUID  `json:"account_id"`
	To        string     `json:"to"`
	Until     clock.Time `json:"until"`
}

// EnqueueTyping makes the provider show a customer that somebody writes. The job belongs
// to no account: what becomes of it puts none on hold, and no message waits for it.
func (t *Transport) EnqueueTyping(tx *db.Tx, account uuid.UUID, to string) error {
	_, err := jobs.Enqueue(tx, t.job("typing"), tx.Now(), typingSign{account, to, clock.At(tx.Now().Add(typingCounts))})
	return err
}

// runTyping is the handler of the typing jobs. A sign that comes too late is not shown,
// and one that the provider refuses is nobody's concern but the token's.
func (t *Transport) runTyping(ctx context.Context, j *jobs.Job) error {
	var p typingSign
	if err := json.Unmarshal(j.Payload, &p); err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if j.Test || !t.DB.Clock().Now().Before(p.Until.Time) {
		return nil
	}
	typist := t.Carrier.(Typist) //nolint:forcetypeassert // the job is there only for one
	ctx, cancel := context.WithTimeout(ctx, typingCounts)
	defer cancel()
	if err := typist.ShowTyping(ctx, p.AccountID, p.To); err != nil {
		t.Log.DebugContext(ctx, "a customer was not shown that somebody writes", "account", p.AccountID, "error", err)
	}
	return nil
}
