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

// Mailer sends mails, and keeps them where no mail server is configured.
type Mailer interface {
	Send(tx *db.Tx, l mailer.Mail) error
	Outbox(ctx context.Context, tenant uuid.UUID, p db.Page) (db.List[mailer.OutboxMail], error)
}

// Grants are the apps that members let in.
type Grants interface {
	// RevokeAll ends what a member granted to apps.
	RevokeAll(tx *db.Tx, membership uuid.UUID) error
}

// SignUps are the accounts that wait for the proof of an address.
type SignUps interface {
	// Drop forgets the sign-ups of an address that has an account now.
	Drop(tx *db.Tx, emailKey string) error
}

// Config is what the module needs. Every field but Demo and Closed is required.
type Config struct {
	DB        *db.DB
	Mailer    Mailer
	Passwords *password.Hasher
	Grants    Grants
	SignUps   SignUps
	// Streams are told which credentials changed.
	Streams *api.OpenStreams
	// BaseURL is where people open the panel; links in mail begin with it.
	BaseURL string
	// Demo shows the service's own mail to everybody who may see an outbox.
	Demo bool
	// Closed leaves new accounts and workspaces to the operator: an invitation is only
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

// Service keeps people, workspaces, memberships, roles, sessions and API keys.
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

// fresh says whether what was read may still be believed.
// What was read in the future may not: the clock was set back.
func (p *proven) fresh(now time.Time, maxAge time.Duration) bool {
	age := now.Sub(p.readAt)
	return age >= 0 && age < maxAge && p.valid(now)
}

const (
	// cacheFor bounds how long a revoked credential may still pass on a node
	// that did not revoke it.
	cacheFor = 5 * time.Second
	// recheckCacheFor is how old a look-up may be that an open stream believes.
	// With the time between two looks (the app's StreamCheckOn) it is cacheFor.
	recheckCacheFor = time.Second
)

// New makes the service. It returns an error where the config lacks something.
func New(cfg Config) (*Service, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Service{
		cfg: cfg, db: cfg.DB,
		cache: cache.New(cache.Options[[sha256.Size]byte, *proven]{Most: 100_000, For: cacheFor}),
	}, nil
}

// tenant returns the handle of the caller's workspace.
func (s *Service) tenant(ctx context.Context) db.Handle {
	return s.db.Tenant(caller.From(ctx).TenantID)
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
