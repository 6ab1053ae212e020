package captcha

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// Modes of the robot check.
const (
	Off      = "off"
	Adaptive = "adaptive"
	Always   = "always"
)

// Embedded is the provider that needs no outside service: the proof of work.
const Embedded = "altcha"

// Verifier is an outside service that checks tokens. An error means that it could not be
// reached, which is treated as a refusal.
type Verifier interface {
	Verify(ctx context.Context, token, ip string) (bool, error)
}

// Config sets how people show that they are no robots.
type Config struct {
	DB  *db.DB
	Box *secret.Box
	Log *slog.Logger
	// Mode is Off, Adaptive or Always.
	Mode string
	// Provider is Embedded or the name of the service behind Verifier.
	Provider string
	SiteKey  string
	// Script is the address of the script that shows the service's widget.
	Script string
	// Verifier is nil for the embedded provider.
	Verifier Verifier
	// Patience multiplies the limits of adaptive mode. It is at least 1.
	Patience int
	// LeastWork is the minimum number of keys derived for the embedded provider; zero means
	// the default.
	LeastWork int
}

func (c *Config) check() error {
	switch {
	case c.DB == nil || c.Box == nil || c.Log == nil:
		return errors.New("captcha: DB, Box and Log are needed")
	case c.Mode != Off && c.Mode != Adaptive && c.Mode != Always:
		return fmt.Errorf("captcha: unknown mode %q", c.Mode)
	case c.Provider != Embedded && c.Verifier == nil:
		return fmt.Errorf("captcha: the provider %q has no verifier", c.Provider)
	}
	c.Patience = max(c.Patience, 1)
	return nil
}

// How many failures and requests adaptive mode allows before it asks.
const (
	failedSignIns  = 3 // from one address in a quarter of an hour
	failedAccounts = 5 // at one e-mail address in the same time
	mailedRequests = 2 // sign-ups and resets from one address in an hour
	spike          = 100
)

// Gate decides who must show that they are no robot, and checks it. It counts failures and
// requests across all nodes.
type Gate struct {
	cfg                     Config
	work                    *Work
	byIP, byEmail, requests *limit.Recent
	everywhere              *limit.Recent
}

// New returns a gate. It returns an error if the config is incomplete.
func New(cfg Config) (*Gate, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Gate{
		cfg:        cfg,
		work:       NewWork(cfg.DB.Clock(), cfg.Box.Derive("captcha"), cfg.Box.Derive("captcha-key"), cmp.Or(cfg.LeastWork, leastWork)),
		byIP:       limit.NewRecent("failed-ip", 15*time.Minute, failedSignIns*cfg.Patience),
		byEmail:    limit.NewRecent("failed-email", 15*time.Minute, failedAccounts*cfg.Patience),
		requests:   limit.NewRecent("mailing-ip", time.Hour, mailedRequests*cfg.Patience),
		everywhere: limit.NewRecent("failed", time.Minute, spike*cfg.Patience),
	}, nil
}

// Info is what a sign-in screen needs to know.
type Info struct {
	Provider    string     `json:"provider" enum:"altcha,turnstile,hcaptcha"`
	Mode        string     `json:"mode" enum:"off,adaptive,always"`
	SiteKey     string     `json:"site_key" doc:"For turnstile and hcaptcha; empty for altcha"`
	Script      string     `json:"script_url" doc:"For turnstile and hcaptcha: URL of the widget script; empty for altcha"`
	RequiredNow bool       `json:"required_now" doc:"Whether requests from the caller's IP address must include a token now"`
	Challenge   *Challenge `json:"challenge,omitempty" doc:"For altcha: the challenge that its widget solves"`
}

// Info tells a sign-in screen how visitors show that they are no robot, and whether this
// one must now.
func (g *Gate) Info(ctx context.Context, ip string) (Info, error) {
	v, err := g.assess(ctx, ip, "")
	if err != nil {
		return Info{}, err
	}
	out := Info{Provider: g.cfg.Provider, Mode: g.cfg.Mode, SiteKey: g.cfg.SiteKey, Script: g.cfg.Script, RequiredNow: v.required}
	if g.cfg.Provider != Embedded || g.cfg.Mode == Off {
		return out, nil
	}
	challenge, err := g.work.Challenge(v.attack)
	out.Challenge = &challenge
	return out, err
}

// Require returns nil if the caller need not show that they are no robot, or showed it with
// the token. It returns fault.CaptchaRequired or fault.CaptchaFailed otherwise. emailKey
// may be empty.
func (g *Gate) Require(ctx context.Context, token, ip, emailKey string) error {
	v, err := g.assess(ctx, ip, emailKey)
	if err != nil || !v.required {
		return err
	}
	if token == "" {
		return fault.New(fault.CaptchaRequired).Field("captcha_token", "required")
	}
	ok, err := g.checkToken(ctx, token, ip)
	if err != nil {
		// A service that cannot be reached has not approved the token. Nobody can sign in
		// like this, so it must be logged.
		g.cfg.Log.ErrorContext(ctx, "captcha verification is unavailable", "provider", g.cfg.Provider, "error", err)
		return fault.New(fault.CaptchaFailed).Field("captcha_token", "unchecked").Wrap(err)
	}
	if !ok {
		return fault.New(fault.CaptchaFailed).Field("captcha_token", "wrong")
	}
	return nil
}

// checkToken reports whether a token is right. A token of the embedded provider is accepted
// once.
func (g *Gate) checkToken(ctx context.Context, token, ip string) (bool, error) {
	if g.cfg.Verifier != nil {
		return g.cfg.Verifier.Verify(ctx, token, ip)
	}
	nonce, expires, ok := g.work.Check(token)
	if !ok {
		return false, nil
	}
	err := g.cfg.DB.System("captcha").InTx(ctx, func(tx *db.Tx) (err error) {
		ok, err = useNonce(tx, nonce, expires)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("captcha: use nonce: %w", err)
	}
	return ok, nil
}

// CountFailure counts a wrong password or code against an address and, if emailKey is not
// empty, an account.
func (g *Gate) CountFailure(ctx context.Context, ip, emailKey string) error {
	return g.count(ctx, func(tx *db.Tx) error {
		err := errors.Join(g.byIP.Add(tx, limit.OfIP(ip)), g.everywhere.Add(tx, limit.Key{}))
		if err == nil && emailKey != "" {
			err = g.byEmail.Add(tx, limit.OfText(emailKey))
		}
		return err
	})
}

// CountRequest counts a sign-up or another request that ends in a mail.
func (g *Gate) CountRequest(ctx context.Context, ip string) error {
	return g.count(ctx, func(tx *db.Tx) error { return g.requests.Add(tx, limit.OfIP(ip)) })
}

func (g *Gate) count(ctx context.Context, add func(*db.Tx) error) error {
	if g.cfg.Mode == Off {
		return nil // nobody will ask
	}
	if err := g.cfg.DB.System("captcha").InTx(ctx, add); err != nil {
		return fmt.Errorf("captcha: count: %w", err)
	}
	return nil
}

// verdict is the state of an address by its counters.
type verdict struct {
	required bool // whether the robot check is required
	attack   bool // whether wrong passwords come from many addresses
}

// assess reads the counters of an address and, if emailKey is not empty, of an account; Info
// does not know the account. The answer is the same for an account that does not exist.
func (g *Gate) assess(ctx context.Context, ip, emailKey string) (v verdict, err error) {
	if g.cfg.Mode == Off {
		return verdict{}, nil
	}
	type counter struct {
		recent *limit.Recent
		key    limit.Key
		limit  int
	}
	counters := []counter{
		{g.everywhere, limit.Key{}, spike},
		{g.byIP, limit.OfIP(ip), failedSignIns},
		{g.requests, limit.OfIP(ip), mailedRequests},
	}
	if emailKey != "" {
		counters = append(counters, counter{g.byEmail, limit.OfText(emailKey), failedAccounts})
	}
	now := g.cfg.DB.Clock().Now()
	err = g.cfg.DB.System("captcha").Read(ctx, func(r *db.Reader) error {
		for i, c := range counters {
			n, err := c.recent.Count(r, now, c.key)
			if err != nil {
				return err
			}
			if n >= c.limit*g.cfg.Patience {
				v.required = true
				v.attack = v.attack || i == 0
			}
		}
		return nil
	})
	if err != nil {
		return verdict{}, fmt.Errorf("captcha: read counters: %w", err)
	}
	v.required = v.required || g.cfg.Mode == Always
	return v, nil
}

// cleanBatch is the maximum number of rows that Clean removes.
const cleanBatch = 500

// Clean removes a batch of used challenges that have expired and returns their number.
func (g *Gate) Clean(ctx context.Context) (int, error) {
	n, err := db.Write(ctx, g.cfg.DB.System("janitor"), func(tx *db.Tx) (int64, error) { return deleteExpired(tx, cleanBatch) })
	return int(n), err
}
