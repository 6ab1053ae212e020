package identity

import (
	"crypto/sha256"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"konak/internal/identity/captcha"
	"konak/internal/kit/api"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
	"konak/internal/kit/secret"
)

// Config is what the room needs from the house.
type Config struct {
	DB     *db.DB
	Box    *secret.Box
	Mailer *mailer.Mailer
	// BaseURL is where people open the panel; links in mail begin with it.
	BaseURL string
	// Domain is the bare host, to which passkeys are bound.
	Domain  string
	Captcha CaptchaConfig
	Log     *slog.Logger
	// Streams are told which credentials changed; required.
	Streams *api.OpenStreams
	// Limits counts tries by account.
	Limits limit.Limiter
	// Demo shows the service's own mail to everybody who may see an outbox.
	Demo bool
	// PasswordCost is the product's where it is not set.
	PasswordCost PasswordCost
}

// Service is the identity room.
type Service struct {
	cfg       Config
	db        *db.DB
	box       *secret.Box
	mailer    *mailer.Mailer
	hasher    *hasher
	work      *captcha.Work
	suspicion *suspicion
	cache     *otter.Cache[[sha256.Size]byte, *proven]
	// epoch counts what was forgotten of the cache.
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
func (p *proven) fresh(now time.Time, maxAge time.Duration) bool {
	return now.Sub(p.readAt) < maxAge && p.valid(now)
}

const (
	// cacheFor bounds how long a revoked credential may still pass on a node
	// that did not revoke it.
	cacheFor = 5 * time.Second
	// recheckCacheFor is how old a look-up may be that an open stream believes.
	// With the time between two looks (the app's StreamCheckOn) it is cacheFor.
	recheckCacheFor = time.Second
)

// New opens the room.
func New(cfg Config) *Service {
	return &Service{
		cfg: cfg, db: cfg.DB, box: cfg.Box, mailer: cfg.Mailer, hasher: newHasher(cfg.PasswordCost),
		work:      captcha.NewWork(cfg.DB.Clock(), cfg.Box.Derive("captcha"), cfg.Box.Derive("captcha-key")),
		suspicion: newSuspicion(cfg.DB, cfg.Captcha),
		cache: otter.Must(&otter.Options[[sha256.Size]byte, *proven]{
			MaximumSize:      100_000,
			ExpiryCalculator: otter.ExpiryWriting[[sha256.Size]byte, *proven](cacheFor),
		}),
	}
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
