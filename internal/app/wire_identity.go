package app

import (
	"konak/internal/advisor"
	"konak/internal/identity"
	"konak/internal/mail"
)

// wireIdentity makes workspaces and people, and the modules that need only them.
func (a *App) wireIdentity(p *parts) error {
	a.Identity = identity.New(identity.Config{
		DB: a.DB, Streams: p.open, Box: p.box, Mailer: a.Mailer, BaseURL: a.cfg.BaseURL(), Domain: a.cfg.Domain,
		PasswordCost: a.cfg.PasswordCost, Demo: a.cfg.Demo, Limits: p.limits, Captcha: a.cfg.captcha(), Log: a.log,
	})
	a.Mail = mail.New(a.DB)
	a.Advisor = advisor.New(a.DB, a.log, a.cfg.Data)
	return nil
}
