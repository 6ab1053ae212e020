package app

import (
	"context"
	"time"

	"konak/internal/app/demo"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/contact"
	"konak/internal/identity"
	graph "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// demoNumber returns a demo workspace's number at the stand-in.
type demoNumber struct {
	number, business, display, name, account string
}

var demoNumbers = map[string]demoNumber{
	"demo": {"100000000000011", "100000000000001", "+90 212 555 01 01", "Demo A.Ş.", "WhatsApp hattı"},
	"acme": {"100000000000012", "100000000000002", "+44 20 7946 0123", "Acme Ltd.", "WhatsApp line"},
}

// demoBusinesses registers the demo's numbers with the stand-in. It knows them already if
// it stored them; filling the demo needs them.
func (s *standIn) demoBusinesses(base string) {
	for slug, n := range demoNumbers {
		s.whatsapp.Add(sandbox.Business{
			ID: n.business, Token: demoToken(slug), AppSecret: demoApp.Secret, Callback: base + whatsapp.WebhookPath,
			Numbers: []graph.PhoneNumber{{
				ID: n.number, Display: n.display, VerifiedName: n.name, Quality: "GREEN", Limit: "TIER_1K", NameStatus: "APPROVED", Mode: "SANDBOX",
			}},
			Templates: demo.Templates(slug),
		})
	}
}

// The tokens of the numbers protect nothing: the stand-in listens on loopback.
func demoToken(slug string) string { return "demo-token-of-" + slug }

// demoWhatsApp connects the workspace's number as a person would.
func (a *App) demoWhatsApp(ctx context.Context, w identity.Workspace) error {
	n, ok := demoNumbers[w.Slug]
	if !ok || a.standIn == nil {
		return nil
	}
	_, err := a.WhatsApp.Connect(ctx, whatsapp.ConnectBody{
		ID: DemoAccount(w.ID, whatsapp.Name), Name: n.account, NumberID: n.number, BusinessID: n.business,
		Token: demoToken(w.Slug), AppSecret: demoApp.Secret,
	})
	return err
}

// demoWindow is how long a customer who wrote can be answered.
const demoWindow = 24 * time.Hour

// rememberMessage tells the stand-in when a customer of the demo wrote, so that it accepts answers
// for as long as the server runs.
func (s *standIn) rememberMessage(slug string, who *contact.Contact, at time.Time) {
	if n, ok := demoNumbers[slug]; ok && s != nil && len(who.Phones) > 0 {
		s.whatsapp.Remember(n.number, who.Phones[0].E164, at)
	}
}
