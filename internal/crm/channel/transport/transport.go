package transport

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

// Carrier makes the calls of one kind's provider. Its errors are a Refusal,
// ErrUnavailable, a lost file, or anything else where nobody knows what became of the
// call.
type Carrier interface {
	// Parts cuts a message into what the provider takes with one call.
	Parts(m *Message) []Part
	// SendPart sends one part and returns how the provider calls it. Right before it
	// calls check, and where that fails it sends nothing. The caller writes down that
	// the part was accepted before anything else.
	SendPart(ctx context.Context, m *Message, p Part, check func(context.Context) error) (id string, err error)
	// Download opens a file of a message, whether or not the account is paused;
	// ErrUnavailable where nothing opens it any more. The caller closes it.
	Download(ctx context.Context, account uuid.UUID, f RemoteFile) (kind string, content io.ReadCloser, err error)
	// Leave ends what the provider tells of an account that was disconnected.
	Leave(ctx context.Context, l Leaving) error
	// Rejoin makes the provider tell of an account again that was disconnected and is
	// connected again; false where it is not.
	Rejoin(ctx context.Context, account uuid.UUID) (bool, error)
	// RecordAnswer keeps what an answer says about the account's token.
	RecordAnswer(ctx context.Context, account uuid.UUID, err error)
}

// Questioner is a Carrier that can ask a customer for a rating.
type Questioner interface {
	SendQuestion(ctx context.Context, account uuid.UUID, to, text string, buttons []channel.RatingButton) error
}

// Reader is a Carrier that can tell a customer that they were read: up to a message, or
// all that they wrote, as the kind understands what.
type Reader interface {
	MarkRead(ctx context.Context, account uuid.UUID, what string) error
}

// PartKeeper is a Carrier whose provider tells of our own messages without saying that
// they are ours.
type PartKeeper interface {
	// KeepPart keeps how the provider calls a later part of a message; the item has the
	// name of the first.
	KeepPart(ctx context.Context, account uuid.UUID, id string) error
}

// Config is what the transport of one kind needs.
type Config struct {
	// Name begins the names of its jobs.
	Name    string
	DB      *db.DB
	Log     *slog.Logger
	Box     *secret.Box
	Inbound *inbound.Service
	Files   *file.Service
	Carrier Carrier
	// SendsAtOnce is how many messages of one account are sent at the same time. With
	// one, answers arrive in order.
	SendsAtOnce int
	// MaxDownload is the largest file that the provider hands over, 0 for any.
	MaxDownload int64
}

// Transport carries the messages of one kind of channel.
type Transport struct{ Config }

// New makes the transport of a kind.
func New(c Config) *Transport { return &Transport{c} }

func (t *Transport) job(what string) string { return t.Name + "." + what }

func (t *Transport) tenant(ctx context.Context) db.Handle {
	return t.DB.Tenant(caller.From(ctx).TenantID)
}

// Quote adds to a message's detail what it answers, and the item where it is one of
// ours.
func (t *Transport) Quote(ctx context.Context, account uuid.UUID, id string, detail map[string]any) error {
	detail["quoted"] = id
	item, found, err := t.known(ctx, account, id)
	if found {
		detail["quoted_item_id"] = item
	}
	return err
}

// Report keeps what became of a message of ours that the provider names; one that is
// none of ours is passed over.
func (t *Transport) Report(ctx context.Context, account uuid.UUID, id string, d conversation.Delivery) error {
	item, found, err := t.known(ctx, account, id)
	if err != nil || !found {
		return err
	}
	return t.report(ctx, item, d)
}

func (t *Transport) known(ctx context.Context, account uuid.UUID, id string) (item uuid.UUID, found bool, err error) {
	err = t.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		item, found, err = t.Inbound.Known(r, account, id)
		return err
	})
	return item, found, err
}

// report keeps what became of an item; one that was deleted is passed over.
func (t *Transport) report(ctx context.Context, item uuid.UUID, d conversation.Delivery) error {
	return channel.IgnoreDeleted(t.Inbound.Reported(ctx, item, d))
}

// oldest is before anything that a provider tells: none of them is older.
var oldest = time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)

// PlausibleTime gives the time that a provider says something happened at, or now where it
// says none, or one that cannot be.
func PlausibleTime(at, now time.Time) time.Time {
	if at.Before(oldest) || at.After(now.AddDate(0, 0, 1)) {
		return now
	}
	return at
}
