package app

import (
	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/identity/oauth"
	"konak/internal/identity/password"
	"konak/internal/identity/signin"
	"konak/internal/kit/api"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// wireIdentity makes the identity module and its parts.
func (a *App) wireIdentity(box *secret.Box, limits limit.Limiter, streams *api.OpenStreams) error {
	passwords := password.NewHasher(a.cfg.PasswordCost)
	var err error
	a.Identity, err = identity.New(identity.Config{
		DB: a.DB, Mailer: a.Mailer, Passwords: passwords, Grants: oauth.Grants{}, SignUps: signin.SignUps{},
		Streams: streams, BaseURL: a.cfg.BaseURL(), Demo: a.cfg.Demo,
	})
	if err != nil {
		return err
	}
	robots := a.cfg.captcha()
	robots.DB, robots.Box, robots.Log = a.DB, box, a.log
	if a.Captcha, err = captcha.New(robots); err != nil {
		return err
	}
	a.Accounts, err = signin.New(signin.Config{
		DB: a.DB, Identity: a.Identity, Passwords: passwords, Captcha: a.Captcha, Box: box, Mailer: a.Mailer,
		Limits: limits, BaseURL: a.cfg.BaseURL(), Domain: a.cfg.Domain,
	})
	if err != nil {
		return err
	}
	a.OAuth, err = oauth.New(oauth.Config{DB: a.DB, Identity: a.Identity, BaseURL: a.cfg.BaseURL()})
	return err
}
