package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"konak/internal/identity/captcha"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
)

// Modes of the robot check.
const (
	CaptchaOff      = "off"
	CaptchaAdaptive = "adaptive"
	CaptchaAlways   = "always"
)

// CaptchaEmbedded is the proof of work, which needs no outside service.
const CaptchaEmbedded = "altcha"

// CaptchaVerifier is an outside service that checks tokens. An error means that
// nobody knows, which counts as a no.
type CaptchaVerifier interface {
	Verify(ctx context.Context, token, ip string) (bool, error)
}

// CaptchaConfig says how people show that they are no robots.
type CaptchaConfig struct {
	Mode string
	// Provider is CaptchaEmbedded or the name of the service behind Verifier.
	Provider string
	SiteKey  string
	// Script is what a page loads to show the service's widget.
	Script   string
	Verifier CaptchaVerifier
	// Patience multiplies what adaptive mode lets pass.
	Patience int
}

// What adaptive mode lets pass before it asks.
const (
	failedSignIns  = 3 // from one address in a quarter of an hour
	failedAccounts = 5 // at one e-mail address in the same time
	mailedRequests = 2 // sign-ups and resets from one address in an hour
	spike          = 100
)

// suspicion counts what looks like a robot, on all nodes together.
type suspicion struct {
	cfg                     CaptchaConfig
	db                      *db.DB
	byIP, byEmail, requests *limit.Recent
	everywhere              *limit.Recent
}

func newSuspicion(d *db.DB, cfg CaptchaConfig) *suspicion {
	cfg.Patience = max(cfg.Patience, 1)
	return &suspicion{
		cfg: cfg, db: d,
		byIP:       limit.NewRecent("failed-ip", 15*time.Minute, failedSignIns*cfg.Patience),
		byEmail:    limit.NewRecent("failed-email", 15*time.Minute, failedAccounts*cfg.Patience),
		requests:   limit.NewRecent("mailing-ip", time.Hour, mailedRequests*cfg.Patience),
		everywhere: limit.NewRecent("failed", time.Minute, spike*cfg.Patience),
	}
}

// failed notes a wrong password or code.
func (s *suspicion) failed(ctx context.Context, ip, emailKey string) error {
	return s.note(ctx, func(tx *db.Tx) error {
		err := errors.Join(s.byIP.Add(tx, limit.OfIP(ip)), s.everywhere.Add(tx, limit.Key{}))
		if err == nil && emailKey != "" {
			err = s.byEmail.Add(tx, limit.OfText(emailKey))
		}
		return err
	})
}

// requested notes a sign-up or a wish for mail.
func (s *suspicion) requested(ctx context.Context, ip string) error {
	return s.note(ctx, func(tx *db.Tx) error { return s.requests.Add(tx, limit.OfIP(ip)) })
}

func (s *suspicion) note(ctx context.Context, add func(*db.Tx) error) error {
	if s.cfg.Mode == CaptchaOff {
		return nil // nobody will ask
	}
	if err := s.db.System("captcha").InTx(ctx, add); err != nil {
		return fmt.Errorf("identity: note suspicion: %w", err)
	}
	return nil
}

// verdict is what is thought of an address.
type verdict struct {
	required bool // whether it must show that it is no robot
	attack   bool // whether wrong passwords rain from everywhere
}

// about judges an address and, where it is known, an account, which GET
// /captcha cannot know. It is the same for an account that does not exist.
func (s *suspicion) about(ctx context.Context, ip, emailKey string) (v verdict, err error) {
	if s.cfg.Mode == CaptchaOff {
		return verdict{}, nil
	}
	type look struct {
		in *limit.Recent
		of limit.Key
		at int
	}
	looks := []look{
		{s.everywhere, limit.Key{}, spike},
		{s.byIP, limit.OfIP(ip), failedSignIns},
		{s.requests, limit.OfIP(ip), mailedRequests},
	}
	if emailKey != "" {
		looks = append(looks, look{s.byEmail, limit.OfText(emailKey), failedAccounts})
	}
	now := s.db.Clock().Now()
	err = s.db.System("captcha").Read(ctx, func(r *db.Reader) error {
		for i, l := range looks {
			n, err := l.in.Count(r, now, l.of)
			if err != nil {
				return err
			}
			if n >= l.at*s.cfg.Patience {
				v.required = true
				v.attack = v.attack || i == 0
			}
		}
		return nil
	})
	if err != nil {
		return verdict{}, fmt.Errorf("identity: look for suspicion: %w", err)
	}
	v.required = v.required || s.cfg.Mode == CaptchaAlways
	return v, nil
}

// CaptchaInfo is what a sign-in screen needs to know.
type CaptchaInfo struct {
	Provider    string             `json:"provider" enum:"altcha,turnstile,hcaptcha"`
	Mode        string             `json:"mode" enum:"off,adaptive,always"`
	SiteKey     string             `json:"site_key" doc:"Of turnstile and hcaptcha; empty for altcha"`
	Script      string             `json:"script_url" doc:"Of turnstile and hcaptcha: the widget that a page loads; empty for altcha"`
	RequiredNow bool               `json:"required_now" doc:"Whether the caller's address must send a token now"`
	Challenge   *captcha.Challenge `json:"challenge,omitempty" doc:"Of altcha: what its widget solves"`
}
