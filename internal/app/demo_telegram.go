package app

import (
	"context"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/identity"
	sandbox "konak/internal/sandbox/telegram"
)

// demoBotNames are the demo workspaces' bots at the stand-in. Their tokens protect nothing:
// the stand-in listens on loopback.
var demoBotNames = map[string]sandbox.Bot{
	"demo": {ID: 700000001, Name: "Demo A.Ş.", Username: "demo_destek_bot", Token: "700000001:demo-token-of-demo"},
	"acme": {ID: 700000002, Name: "Acme Ltd.", Username: "acme_support_bot", Token: "700000002:demo-token-of-acme"},
}

// demoBots registers the demo's bots with the stand-in.
func (s *standIn) demoBots() {
	for _, b := range demoBotNames {
		s.telegram.Add(b)
	}
}

// demoTelegram connects the workspace's bot as a person would. It is polled: the
// stand-in forgets webhooks when it ends.
func (a *App) demoTelegram(ctx context.Context, w identity.Workspace) error {
	b, ok := demoBotNames[w.Slug]
	if !ok || a.standIn == nil {
		return nil
	}
	_, err := a.Telegram.Connect(ctx, telegram.ConnectBody{ID: DemoAccount(w.ID, telegram.Name), Token: b.Token, Mode: channel.ByPolling})
	return err
}
