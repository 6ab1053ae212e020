package transport

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// Jobs returns the kinds of the transport's jobs.
func (t *Transport[S, C]) Jobs() []jobs.Kind {
	const silent = channel.ProviderUnreachable
	out := []jobs.Kind{
		{
			Name: t.job("send"), Handler: jobs.WithPayload(t.runSend), PerNode: 256, PerTenant: 16, PerAccount: t.SendsAtOnce, MaxAttempts: 20,
			Timeout: 10 * time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent, OnDead: t.showUnsent,
		},
		{Name: t.job("media"), Handler: jobs.WithPayload(t.runMedia), PerNode: 64, PerTenant: 8, PerAccount: 4, MaxAttempts: 20, Timeout: 10 * time.Minute, HoldReason: silent},
		{Name: t.job("leave"), Handler: jobs.WithPayload(t.runLeave), PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20, Timeout: time.Minute, HoldReason: silent},
	}
	if _, asks := t.Carrier.(Questioner[S, C]); asks {
		out = append(out, jobs.Kind{
			Name: t.job("ask"), Handler: jobs.WithPayload(t.runAsk), PerNode: 64, PerTenant: 4, PerAccount: 1, MaxAttempts: 20,
			Timeout: time.Minute, MaxAge: 24 * time.Hour, HoldReason: silent,
		})
	}
	if _, tells := t.Carrier.(Reader[S, C]); tells {
		out = append(out, jobs.Kind{Name: t.job("read"), Handler: jobs.WithPayload(t.runRead), PerNode: 64, PerTenant: 4, PerAccount: 2, MaxAttempts: 5, Timeout: time.Minute, HoldReason: silent})
	}
	if _, shows := t.Carrier.(Typist[S, C]); shows {
		out = append(out, jobs.Kind{Name: t.job("typing"), Handler: jobs.WithPayload(t.runTyping), PerNode: 64, PerTenant: 4, MaxAttempts: 1, Timeout: time.Minute})
	}
	return out
}

// question is the payload of the ask jobs, which ask a customer to rate a conversation.
type question struct {
	AccountID      uuid.UUID  `json:"account_id"`
	ConversationID uuid.UUID  `json:"conversation_id"`
	To             string     `json:"to"`
	ExpiresAt      clock.Time `json:"expires_at"`
}

// Ask implements conversation.Asker.
func (t *Transport[S, C]) Ask(tx *db.Tx, q conversation.Question) (bool, error) {
	_, err := jobs.EnqueueForAccount(tx, t.job("ask"), q.Route.AccountID, tx.Now(), question{q.Route.AccountID, q.ConversationID, q.Route.Address, q.ExpiresAt})
	return true, err
}

// runAsk is the handler of the ask jobs. A question that the provider refuses, or that has
// expired, is not tried again.
func (t *Transport[S, C]) runAsk(ctx context.Context, j *jobs.Job, q question) error {
	if j.Test || !t.now().Before(q.ExpiresAt.Time) {
		return nil
	}
	o, err := t.Accounts.OpenWorking(ctx, q.AccountID)
	if err == nil {
		asker := t.Carrier.(Questioner[S, C]) //nolint:forcetypeassert // the job is there only for one
		err = asker.SendQuestion(ctx, &o, q.To, channel.RatingQuestion, channel.RatingButtons(q.ConversationID))
	}
	return t.GiveUp(err)
}

// readMark is the payload of the read jobs.
type readMark struct {
	AccountID uuid.UUID `json:"account_id"`
	What      string    `json:"what"`
}

// EnqueueRead queues a job that marks a customer's messages as read at the provider.
func (t *Transport[S, C]) EnqueueRead(tx *db.Tx, account uuid.UUID, what string) error {
	_, err := jobs.EnqueueForAccount(tx, t.job("read"), account, tx.Now(), readMark{account, what})
	return err
}

// runRead is the handler of the read jobs. A mark that the provider refuses is not tried
// again.
func (t *Transport[S, C]) runRead(ctx context.Context, j *jobs.Job, p readMark) error {
	o, err := t.Accounts.OpenWorking(ctx, p.AccountID)
	if err == nil {
		reader := t.Carrier.(Reader[S, C]) //nolint:forcetypeassert // the job is there only for one
		err = reader.MarkRead(ctx, &o, p.What)
	}
	return t.GiveUp(err)
}

// Leaving is a disconnected account with what is needed to end the provider's updates for
// it.
type Leaving struct {
	AccountID uuid.UUID
	// What names the thing to end, as the kind needs it: an address, a page, a business
	// account.
	What  string
	Token string
}

// leaving is the payload of the leave jobs. The account's token is deleted, so the job
// carries it; sealed, because jobs are not. It is empty for a reconnected account.
type leaving struct {
	AccountID uuid.UUID `json:"account_id"`
	What      string    `json:"what"`
	Sealed    string    `json:"sealed"`
}

func (t *Transport[S, C]) sealedFor(account uuid.UUID) string {
	return t.job("leave") + "/" + account.String()
}

// EnqueueLeave queues a job that ends the provider's updates for an account. Without a
// token there is nothing to end.
func (t *Transport[S, C]) EnqueueLeave(tx *db.Tx, l Leaving) error {
	if l.Token == "" {
		return nil
	}
	sealed := t.Box.Seal(tx.Tenant(), t.sealedFor(l.AccountID), []byte(l.Token))
	_, err := jobs.EnqueueForAccount(tx, t.job("leave"), l.AccountID, tx.Now(), leaving{l.AccountID, l.What, base64.StdEncoding.EncodeToString(sealed)})
	return err
}

// EnqueueRejoin queues a job that makes sure that the provider sends updates for a
// reconnected account: the job that ends its earlier connection may still be running.
func (t *Transport[S, C]) EnqueueRejoin(tx *db.Tx, account uuid.UUID) error {
	_, err := jobs.EnqueueForAccount(tx, t.job("leave"), account, tx.Now(), leaving{AccountID: account})
	return err
}

// runLeave is the handler of the leave jobs. A token that is no longer valid ends nothing,
// and nothing ends for an account that is connected again, even if that happens while the
// provider is called.
func (t *Transport[S, C]) runLeave(ctx context.Context, j *jobs.Job, l leaving) error {
	back, err := t.rejoin(ctx, l.AccountID)
	if err != nil || back || l.Sealed == "" {
		return t.GiveUp(err)
	}
	sealed, err := base64.StdEncoding.DecodeString(l.Sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	token, err := t.Box.Open(caller.From(ctx).TenantID, t.sealedFor(l.AccountID), sealed)
	if err != nil {
		return errors.Join(jobs.ErrDrop, err)
	}
	if err = t.Carrier.Leave(ctx, Leaving{l.AccountID, l.What, string(token)}); err == nil {
		_, err = t.rejoin(ctx, l.AccountID)
	}
	return t.GiveUp(err)
}

// rejoin restores the provider's updates for an account; false if it is not connected.
func (t *Transport[S, C]) rejoin(ctx context.Context, account uuid.UUID) (bool, error) {
	o, err := t.Accounts.Open(ctx, account)
	if err != nil || o.Status == channel.Disconnected {
		return false, channel.IgnoreDeleted(err)
	}
	return true, t.Carrier.Rejoin(ctx, &o)
}
