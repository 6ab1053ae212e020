package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"konak/internal/identity/password"
	"konak/internal/kit/api"
	"konak/internal/kit/cache"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/mailer"
)

// Mailer sends mails, and stores them if no mail server is configured.
type Mailer interface {
	Send(tx *db.Tx, l mailer.Mail) error
	Outbox(ctx context.Context, tenant uuid.UUID, p db.Page) (db.List[mailer.OutboxMail], error)
}

// Grants are the consents of members to apps.
type Grants interface {
	// RevokeAll revokes all consents of a member to apps.
	RevokeAll(tx *db.Tx, membership uuid.UUID) error
}

// SignUps are the accounts whose address is not proven yet.
type SignUps interface {
	// Drop deletes the sign-ups of an address that has an account now.
	Drop(tx *db.Tx, emailKey string) error
}

// Config holds the module's dependencies. Every field except Demo and Closed is required.
type Config struct {
	DB        *db.DB
	Mailer    Mailer
	Passwords *password.Hasher
	Grants    Grants
	SignUps   SignUps
	// Streams are notified when credentials change.
	Streams *api.OpenStreams
	// BaseURL is the address of the panel; links in mail begin with it.
	BaseURL string
	// Demo shows the service's own mail to everybody who may see an outbox.
	Demo bool
	// Closed lets only the operator create accounts and workspaces: an invitation is only
	// for people who have an account.
	Closed bool
}

func (c Config) check() error {
	switch {
	case c.DB == nil:
		return errors.New("identity: DB is needed")
	case c.Mailer == nil:
		return errors.New("identity: Mailer is needed")
	case c.Passwords == nil:
		return errors.New("identity: Passwords is needed")
	case c.Grants == nil || c.SignUps == nil:
		return errors.New("identity: Grants and SignUps are needed")
	case c.Streams == nil:
		return errors.New("identity: Streams is needed")
	case c.BaseURL == "":
		return errors.New("identity: BaseURL is needed")
	}
	return nil
}

// Service manages people, workspaces, memberships, roles, sessions and API keys.
type Service struct {
	cfg   Config
	db    *db.DB
	cache cache.Cache[[sha256.Size]byte, *proven]
	// epoch counts the removals from the cache.
	epoch atomic.Uint64
}

// proven is a credential that was looked up a moment ago.
type proven struct {
	caller  *caller.Caller
	expires time.Time // zero: never
	readAt  time.Time
}

func (p *proven) valid(now time.Time) bool { return p.expires.IsZero() || now.Before(p.expires) }

// isRecent reports whether what was read is recent enough. A time in the future is not: the
// clock was set back.
func (p *proven) isRecent(now time.Time, maxAge time.Duration) bool {
	age := now.Sub(p.readAt)
	return age >= 0 && age < maxAge && p.valid(now)
}

const (
	// cacheFor is how long a revoked credential may still pass on a node that did not
	// revoke it.
	cacheFor = 5 * time.Second
	// recheckCacheFor is the maximum age of a look-up that an open stream accepts. Together
	// with the time between two checks (the app's StreamCheckOn) it is cacheFor.
	recheckCacheFor = time.Second
)

// New returns the service. It returns an error if the config is incomplete.
func New(cfg Config) (*Service, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Service{
		cfg: cfg, db: cfg.DB,
		cache: cache.New(cache.Options[[sha256.Size]byte, *proven]{Most: 100_000, For: cacheFor}),
	}, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func licenceSet(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
