package transport

import (
	"context"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Typist is a Carrier that can show a customer that somebody is typing.
type Typist[S, C any] interface {
	ShowTyping(ctx context.Context, o *Opened[S, C], to string) error
}

// typingCounts is how long a typing sign is still worth showing.
const typingCounts = 5 * time.Second

// typingSign is the payload of the typing jobs.
type typingSign struct {
	AccountID uuid.UUID  `json:"account_id"`
	To        string     `json:"to"`
	Until     clock.Time `json:"until"`
}

// EnqueueTyping queues a job that shows a customer that somebody is typing. The job belongs
// to no account: its failure puts no account on hold, and no message waits for it.
func (t *Transport[S, C]) EnqueueTyping(tx *db.Tx, account uuid.UUID, to string) error {
	_, err := jobs.Enqueue(tx, t.job("typing"), tx.Now(), typingSign{account, to, clock.At(tx.Now().Add(typingCounts))})
	return err
}

// runTyping is the handler of the typing jobs. A late sign is not shown, and a refusal by
// the provider matters only for the token.
func (t *Transport[S, C]) runTyping(ctx context.Context, j *jobs.Job, p typingSign) error {
	if j.Test || !t.now().Before(p.Until.Time) {
		return nil
	}
	typist := t.Carrier.(Typist[S, C]) //nolint:forcetypeassert // the job is there only for one
	ctx, cancel := context.WithTimeout(ctx, typingCounts)
	defer cancel()
	err := t.Accounts.Call(ctx, p.AccountID, func(o *Opened[S, C]) error { return typist.ShowTyping(ctx, o, p.To) })
	if err != nil {
		t.Accounts.Log.DebugContext(ctx, "the typing indicator could not be sent to a customer", "account", p.AccountID, "error", err)
	}
	return nil
}
