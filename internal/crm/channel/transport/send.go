package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
)

// sendAttempts is the number of times that sending a message is tried: a bit over two
// hours.
const sendAttempts = 12

// Message is a message on its way to a customer.
type Message struct {
	AccountID uuid.UUID        `json:"account_id"`
	ItemID    uuid.UUID        `json:"item_id"`
	Channel   string           `json:"channel"`
	To        string           `json:"to"`
	Text      string           `json:"text"`
	Files     []file.Outgoing  `json:"files"`
	Template  *template.Filled `json:"template"`
	// WindowEndsAt is the time until which free text can be sent to the customer, for the
	// kinds that need it.
	WindowEndsAt clock.Time `json:"window_ends_at"`
}

// MessageOf converts an outgoing message of the inbox.
func MessageOf(m conversation.Outgoing) Message {
	return Message{
		AccountID: m.Route.AccountID, ItemID: m.ItemID, Channel: m.Route.Channel, To: m.Route.Address,
		Text: m.Body, Files: m.Attachments, Template: m.Template,
	}
}

// Part is what one call to the provider sends.
type Part struct {
	Text  string
	Files []file.Outgoing
}

// accepted is the receipt of a send job: the number of parts that the provider accepted,
// and its id of the first one.
type accepted struct {
	Parts   int    `json:"parts"`
	FirstID string `json:"first_id"`
}

// EnqueueSend queues a message durably, to be sent from a given time on.
func (t *Transport[S, C]) EnqueueSend(tx *db.Tx, m Message, at time.Time) error {
	_, err := jobs.EnqueueForAccount(tx, t.job("send"), m.AccountID, at, m)
	return err
}

// runSend is the handler of the send jobs.
func (t *Transport[S, C]) runSend(ctx context.Context, j *jobs.Job, m Message) error {
	if j.Test {
		return nil // messages of a test key are never sent
	}
	var got accepted
	if _, err := j.ReadReceipt(&got); err != nil {
		return err
	}
	parts := t.Carrier.Parts(&m)
	if got.Parts < len(parts) {
		if waits, err := t.waits(ctx, m.ItemID, len(parts)); err != nil || !waits {
			return err
		}
	}
	if got.Parts == 0 {
		if wait, err := t.waitForEarlier(ctx, m.ItemID); err != nil || wait > 0 {
			return cmp.Or(err, jobs.Snooze(t.now().Add(wait)))
		}
	}
	// All parts go in one run, so that no other message comes between them.
	for got.Parts < len(parts) {
		id, err := t.SendPart(ctx, &m, parts[got.Parts], j.CheckClaim)
		if err == nil {
			if got.Parts == 0 {
				got.FirstID = id
			}
			got.Parts++
			if err := j.KeepReceipt(ctx, got); err != nil {
				return err
			}
			t.keepPart(ctx, &m, got.Parts, id)
		}
		t.Accounts.RecordAnswer(ctx, m.AccountID, err)
		if err != nil {
			return t.sendFailed(ctx, j, m.ItemID, err)
		}
	}
	return t.report(ctx, m.ItemID, conversation.Delivery{Status: conversation.Sent, ProviderMessageID: got.FirstID})
}

// SendPart sends one part of a message over a working account and returns the provider's id
// for it. It calls check right before sending.
func (t *Transport[S, C]) SendPart(ctx context.Context, m *Message, p Part, check func(context.Context) error) (string, error) {
	o, err := t.Accounts.OpenWorking(ctx, m.AccountID)
	if err != nil {
		return "", err
	}
	return t.Carrier.SendPart(ctx, &o, m, p, check)
}

// keepPart stores the id of a part other than the first, if the kind needs it. If it fails,
// the provider's copy of the part appears as a separate message, but sending continues.
func (t *Transport[S, C]) keepPart(ctx context.Context, m *Message, part int, id string) {
	keeper, keeps := t.Carrier.(PartKeeper)
	if !keeps || part == 1 {
		return
	}
	if err := keeper.KeepPart(ctx, m.AccountID, id); err != nil {
		t.Accounts.Log.WarnContext(ctx, "the id of a message part could not be stored", "account", m.AccountID, "error", err)
	}
}

// waits reports whether parts of an item are still to be sent. The provider may report on
// the first of several parts while the others wait.
func (t *Transport[S, C]) waits(ctx context.Context, item uuid.UUID, parts int) (bool, error) {
	return db.Read(ctx, t.Accounts.DB.TenantOf(ctx), func(r *db.Reader) (bool, error) {
		now, err := t.Inbound.DeliveryState(r, item)
		return now == conversation.Queued || parts > 1 && now == conversation.Sent, err
	})
}

// waitForEarlier returns how long a message must wait for one that was written before it.
func (t *Transport[S, C]) waitForEarlier(ctx context.Context, item uuid.UUID) (time.Duration, error) {
	return db.Read(ctx, t.Accounts.DB.TenantOf(ctx), func(r *db.Reader) (time.Duration, error) { return t.Inbound.WaitForEarlier(r, item) })
}

// sendFailed decides when a message is tried again, or shows it as failed.
func (t *Transport[S, C]) sendFailed(ctx context.Context, j *jobs.Job, item uuid.UUID, err error) error {
	why, final := FinalReason(err)
	if !final && (j.Attempts < sendAttempts || errors.Is(err, jobs.ErrLost)) {
		return t.Retry(err)
	}
	if !final {
		why = channel.ProviderUnreachable
		if r, refused := errors.AsType[Refusal](err); refused {
			why = r.Words()
		}
	}
	return t.report(ctx, item, conversation.Delivery{Status: conversation.Failed, Error: why})
}

// showUnsent shows a message as failed after its job has died.
func (t *Transport[S, C]) showUnsent(ctx context.Context, j *jobs.Job, _ string) error {
	var m Message
	if err := json.Unmarshal(j.Payload, &m); err != nil {
		return err
	}
	var got accepted
	if _, err := j.ReadReceipt(&got); err != nil || got.Parts == len(t.Carrier.Parts(&m)) {
		return err // the provider has all of it
	}
	return t.report(ctx, m.ItemID, conversation.Delivery{Status: conversation.Failed, Error: channel.ProviderUnreachable})
}
