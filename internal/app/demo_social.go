package app

import (
	"context"

	"konak/internal/crm/channel/partner"
	"konak/internal/crm/channel/social"
	"konak/internal/identity"
	"konak/internal/kit/secret"
	wire "konak/internal/provider/social"
	sandbox "konak/internal/sandbox/social"
)

// demoApp is the app of the demo's pages at the stand-in. Its secrets and those of the
// pages protect nothing: the stand-in listens on loopback.
var demoApp = sandbox.App{ID: "400000000000001", Secret: "demo-secret-of-the-app"}

// demoPageNames are the demo workspaces' pages with their Instagram accounts.
var demoPageNames = map[string]sandbox.Page{
	"demo": {ID: "300000000000001", Name: "Demo A.Ş.", Token: "demo-page-token-of-demo", InstagramID: "ig300000000000001", Username: "demo.as", AppID: demoApp.ID},
	"acme": {ID: "300000000000002", Name: "Acme Ltd.", Token: "demo-page-token-of-acme", InstagramID: "ig300000000000002", Username: "acme.ltd", AppID: demoApp.ID},
}

// app returns the operator's app at the provider: a demo has its own.
func (s *standIn) app(c Config) partner.App {
	if s != nil {
		return partner.App{ID: demoApp.ID, Secret: secret.Of(demoApp.Secret)}
	}
	return partner.App{ID: c.MetaAppID, Secret: secret.Of(c.MetaAppSecret), ConfigID: c.MetaConfigID}
}

// demoPages registers the demo's pages with the stand-in. The stand-in forgets where to
// send webhooks when it ends, so it is told again.
func (s *standIn) demoPages(base string) {
	s.social.AddApp(demoApp)
	for _, object := range []string{wire.ObjectPage, wire.ObjectInstagram} {
		s.social.SetWebhook(demoApp.ID, object, base+social.WebhookPath)
	}
	for _, n := range demoNumbers {
		s.social.AddBusiness(sandbox.Business{ID: n.business, Name: n.name, Grant: func(token string) { s.whatsapp.Grant(n.business, token) }})
	}
	for _, p := range demoPageNames {
		s.social.Add(p)
		s.social.Subscribe(p.ID)
	}
}

// demoSocial connects the workspace's page and its Instagram account as a person would.
func (a *App) demoSocial(ctx context.Context, w identity.Workspace) error {
	p, ok := demoPageNames[w.Slug]
	if !ok || a.standIn == nil {
		return nil
	}
	for _, kind := range []string{social.Messenger, social.Instagram} {
		if _, err := a.Social.Connect(ctx, social.PageInput{
			ID: DemoAccount(w.ID, kind), Kind: kind, PageID: p.ID, Token: p.Token, AppSecret: demoApp.Secret, HumanAgent: ptr(true),
			AI: kind == social.Messenger,
		}); err != nil {
			return err
		}
	}
	return nil
}

// demoInstagramID returns the id of a person on the stand-in's Instagram.
func demoInstagramID(id string) string { return sandbox.InstagramPrefix + id }
