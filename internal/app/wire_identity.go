package app

import (
	"konak/internal/advisor"
	"konak/internal/identity"
	"konak/internal/identity/captcha"
	"konak/internal/identity/oauth"
	"konak/internal/identity/password"
	"konak/internal/identity/signin"
	"konak/internal/kit/api"
	"konak/internal/mail"
)

// wireIdentity builds workspaces and people, and the modules that need only them.
func (a *App) wireIdentity(p *parts) (err error) {
	p.passwords = password.NewHasher(a.cfg.PasswordCost)
	a.Streams = api.NewOpenStreams()
	a.Identity, err = identity.New(identity.Config{
		DB: a.DB, Mailer: a.Mailer, Passwords: p.passwords, Grants: oauth.Grants{}, SignUps: signin.SignUps{},
		Streams: a.Streams, BaseURL: a.cfg.BaseURL(), Demo: a.cfg.Demo,
		Closed: a.cfg.SignUp == SignUpClosed,
	})
	if err != nil {
		return err
	}
	robots := a.cfg.captcha()
	robots.DB, robots.Box, robots.Log = a.DB, p.box, a.log
	if a.Captcha, err = captcha.New(robots); err != nil {
		return err
	}
	a.Accounts, err = signin.New(signin.Config{
		DB: a.DB, Identity: a.Identity, Passwords: p.passwords, Captcha: a.Captcha, Box: p.box, Mailer: a.Mailer,
		Limits: p.limits, BaseURL: a.cfg.BaseURL(), Domain: a.cfg.Domain, SignUpOff: a.cfg.SignUp != SignUpOpen,
	})
	if err != nil {
		return err
	}
	a.Mail = mail.New(mail.Config{DB: a.DB, Key: p.box.Derive("dlp"), TwoFactor: a.Identity, Ledger: p.privacy, Blobs: a.Blobs, Host: a.cfg.mailHost()})
	a.Advisor = advisor.New(advisor.Config{DB: a.DB, Log: a.log, Folder: a.cfg.Data})
	a.OAuth, err = oauth.New(oauth.Config{DB: a.DB, Identity: a.Identity, Limits: p.limits, BaseURL: a.cfg.BaseURL()})
	return err
}
