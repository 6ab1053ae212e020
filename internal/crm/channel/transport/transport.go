package transport

import (
	"context"
	"io"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Carrier makes the calls to one kind's provider, for accounts that the transport has
// opened. Its errors are a Refusal, ErrUnavailable, a lost file, or any other error after
// which it is unknown whether the call succeeded.
type Carrier[S, C any] interface {
	// Parts splits a message into parts that the provider accepts in one call each.
	Parts(m *Message) []Part
	// SendPart sends one part and returns the provider's id for it. It calls check right
	// before sending, and sends nothing if that fails. The caller first of all records that
	// the part was accepted.
	SendPart(ctx context.Context, o *Opened[S, C], m *Message, p Part, check func(context.Context) error) (id string, err error)
	// Download opens a file of a message, even if the account is paused; ErrUnavailable if
	// the account can no longer be opened. The caller closes it.
	Download(ctx context.Context, account uuid.UUID, f RemoteFile) (kind string, content io.ReadCloser, err error)
	// Leave ends the provider's updates for a disconnected account.
	Leave(ctx context.Context, l Leaving) error
	// Rejoin restores the provider's updates for a reconnected account.
	Rejoin(ctx context.Context, o *Opened[S, C]) error
}

// Questioner is a Carrier that can ask a customer for a rating.
type Questioner[S, C any] interface {
	SendQuestion(ctx context.Context, o *Opened[S, C], to, text string, buttons []channel.RatingButton) error
}

// Reader is a Carrier that can mark a customer's messages as read: up to one message, or
// all of them, depending on how the kind interprets what.
type Reader[S, C any] interface {
	MarkRead(ctx context.Context, o *Opened[S, C], what string) error
}

// PartKeeper is a Carrier whose provider also reports our own messages, without marking
// them as ours.
type PartKeeper interface {
	// KeepPart stores the provider's id of a later part of a message; the item has that of
	// the first.
	KeepPart(ctx context.Context, account uuid.UUID, id string) error
}

// Config holds what the transport of one kind needs.
type Config[S, C any] struct {
	// Name is the prefix of its jobs' names.
	Name     string
	Accounts *Accounts[S, C]
	Box      *secret.Box
	Inbound  *inbound.Service
	Files    *file.Service
	Carrier  Carrier[S, C]
	// SendsAtOnce is the number of messages of one account that are sent at the same time.
	// With 1, messages arrive in order.
	SendsAtOnce int
	// MaxDownload is the largest file that the provider hands over, 0 for any.
	MaxDownload int64
}

// Transport carries the messages of one kind of channel.
type Transport[S, C any] struct{ Config[S, C] }

// New returns the transport of a kind.
func New[S, C any](c Config[S, C]) *Transport[S, C] { return &Transport[S, C]{c} }

func (t *Transport[S, C]) now() time.Time { return t.Accounts.DB.Clock().Now() }

func (t *Transport[S, C]) job(what string) string { return t.Name + "." + what }

// Quote adds the message that is replied to to a message's detail, with its item if we have
// it.
func (t *Transport[S, C]) Quote(ctx context.Context, account uuid.UUID, id string, detail map[string]any) error {
	detail["quoted"] = id
	item, found, err := t.known(ctx, account, id)
	if found {
		detail["quoted_item_id"] = item
	}
	return err
}

// Report records the delivery of one of our messages, by the provider's id; an unknown
// message is ignored.
func (t *Transport[S, C]) Report(ctx context.Context, account uuid.UUID, id string, d conversation.Delivery) error {
	item, found, err := t.known(ctx, account, id)
	if err != nil || !found {
		return err
	}
	return t.report(ctx, item, d)
}

func (t *Transport[S, C]) known(ctx context.Context, account uuid.UUID, id string) (item uuid.UUID, found bool, err error) {
	err = t.Accounts.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		item, found, err = t.Inbound.FindByProviderID(r, account, id)
		return err
	})
	return item, found, err
}

// report records the delivery of an item; a deleted item is ignored.
func (t *Transport[S, C]) report(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	return channel.IgnoreDeleted(t.Inbound.RecordReport(ctx, item, d))
}

// oldest is the earliest time that is plausible for anything a provider reports.
var oldest = time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)

// PlausibleTime returns the time that a provider reports for an event, or now if the time
// is missing or impossible.
func PlausibleTime(at, now time.Time) time.Time {
	if at.Before(oldest) || at.After(now.AddDate(0, 0, 1)) {
		return now
	}
	return at
}
