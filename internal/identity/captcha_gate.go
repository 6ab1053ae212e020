package identity

import (
	"context"
	"time"

	"konak/internal/identity/captcha"
	"konak/internal/kit/clock"
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

// suspicion counts what looks like a robot.
type suspicion struct {
	cfg                     CaptchaConfig
	byIP, byEmail, requests *limit.Recent
	everywhere              *limit.Recent
}

func newSuspicion(c clock.Source, cfg CaptchaConfig) *suspicion {
	cfg.Patience = max(cfg.Patience, 1)
	return &suspicion{
		cfg:        cfg,
		byIP:       limit.NewRecent(c, 15*time.Minute, failedSignIns*cfg.Patience),
		byEmail:    limit.NewRecent(c, 15*time.Minute, failedAccounts*cfg.Patience),
		requests:   limit.NewRecent(c, time.Hour, mailedRequests*cfg.Patience),
		everywhere: limit.NewRecent(c, time.Minute, spike*cfg.Patience),
	}
}

// failed notes a wrong password or code.
func (s *suspicion) failed(ip, emailKey string) {
	s.byIP.Add(limit.OfIP(ip))
	s.everywhere.Add(limit.Key{})
	if emailKey != "" {
		s.byEmail.Add(limit.OfText(emailKey))
	}
}

// requested notes a sign-up or a wish for mail.
func (s *suspicion) requested(ip string) { s.requests.Add(limit.OfIP(ip)) }

// attack says whether wrong passwords rain from everywhere.
func (s *suspicion) attack() bool { return s.everywhere.Count(limit.Key{}) >= spike*s.cfg.Patience }

// required says whether an address must show that it is no robot.
func (s *suspicion) required(ip string) bool {
	switch s.cfg.Mode {
	case CaptchaOff:
		return false
	case CaptchaAlways:
		return true
	}
	k := limit.OfIP(ip)
	return s.byIP.Count(k) >= failedSignIns*s.cfg.Patience || s.requests.Count(k) >= mailedRequests*s.cfg.Patience || s.attack()
}

// requiredFor also looks at the account, which GET /captcha cannot know. It is
// the same for an account that does not exist.
func (s *suspicion) requiredFor(ip, emailKey string) bool {
	if s.required(ip) {
		return true
	}
	return s.cfg.Mode == CaptchaAdaptive && s.byEmail.Count(limit.OfText(emailKey)) >= failedAccounts*s.cfg.Patience
}

// CaptchaInfo is what a sign-in screen needs to know.
type CaptchaInfo struct {
	Provider    string             `json:"provider" enum:"altcha,turnstile,hcaptcha"`
	Mode        string             `json:"mode" enum:"off,adaptive,always"`
	SiteKey     string             `json:"site_key" doc:"Of turnstile and hcaptcha; empty for altcha"`
	RequiredNow bool               `json:"required_now" doc:"Whether the caller's address must send a token now"`
	Challenge   *captcha.Challenge `json:"challenge,omitempty" doc:"Of altcha: what its widget solves"`
}
