package identity

import (
	"context"
	"fmt"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Captcha tells a sign-in screen how to show that its visitor is no robot, and
// whether it must now.
func (s *Service) Captcha(ctx context.Context, ip string) (CaptchaInfo, error) {
	cfg := s.suspicion.cfg
	v, err := s.suspicion.about(ctx, ip, "")
	if err != nil {
		return CaptchaInfo{}, err
	}
	out := CaptchaInfo{Provider: cfg.Provider, Mode: cfg.Mode, SiteKey: cfg.SiteKey, Script: cfg.Script, RequiredNow: v.required}
	if cfg.Provider != CaptchaEmbedded || cfg.Mode == CaptchaOff {
		return out, nil
	}
	challenge, err := s.work.Challenge(v.attack)
	out.Challenge = &challenge
	return out, err
}

// human refuses a robot, where it must be shown that the caller is none: for
// an address, and an account where one is named.
func (s *Service) human(ctx context.Context, token, ip, emailKey string) error {
	v, err := s.suspicion.about(ctx, ip, emailKey)
	if err != nil || !v.required {
		return err
	}
	if token == "" {
		return fault.New(fault.CaptchaRequired).Field("captcha_token", "required")
	}
	ok, err := s.solved(ctx, token, ip)
	if err != nil {
		// Whoever cannot be asked has not said yes. Nobody can sign in like
		// this, so somebody must hear of it.
		s.cfg.Log.ErrorContext(ctx, "captcha cannot be checked", "provider", s.suspicion.cfg.Provider, "error", err)
		return fault.New(fault.CaptchaFailed).Field("captcha_token", "unchecked").Wrap(err)
	}
	if !ok {
		return fault.New(fault.CaptchaFailed).Field("captcha_token", "wrong")
	}
	return nil
}

func (s *Service) solved(ctx context.Context, token, ip string) (bool, error) {
	if v := s.suspicion.cfg.Verifier; v != nil {
		return v.Verify(ctx, token, ip)
	}
	nonce, expires, ok := s.work.Check(token)
	if !ok {
		return false, nil
	}
	err := s.db.System("captcha").InTx(ctx, func(tx *db.Tx) (err error) {
		ok, err = useNonce(tx, nonce, expires)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("identity: use nonce: %w", err)
	}
	return ok, nil
}
