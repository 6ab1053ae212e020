package app

import (
	"context"
	"time"

	"konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/contact"
	"konak/internal/crm/template"
	"konak/internal/identity"
	graph "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// demoNumber is a demo workspace's number at the stand-in.
type demoNumber struct {
	number, business, display, name, account string
}

var demoNumbers = map[string]demoNumber{
	"demo": {"100000000000011", "100000000000001", "+90 212 555 01 01", "Demo A.Ş.", "WhatsApp hattı"},
	"acme": {"100000000000012", "100000000000002", "+1 202 555 0123", "Acme Ltd.", "WhatsApp line"},
}

// demoBusinesses tells the stand-in of the demo's numbers. It knows them
// already where it kept them, and where the demo is filled they must be there.
func (s *standIn) demoBusinesses(base string) {
	for slug, n := range demoNumbers {
		s.whatsapp.Add(sandbox.Business{
			ID: n.business, Token: demoToken(slug), AppSecret: demoSecret(slug), Callback: base + whatsapp.WebhookPath,
			Numbers: []graph.PhoneNumber{{
				ID: n.number, Display: n.display, VerifiedName: n.name, Quality: "GREEN", Limit: "TIER_1K", NameStatus: "APPROVED", Mode: "SANDBOX",
			}},
			Templates: demoTemplates(slug),
		})
	}
}

// What opens the numbers guards nothing: the stand-in listens on loopback.
func demoToken(slug string) string  { return "demo-token-of-" + slug }
func demoSecret(slug string) string { return "demo-secret-of-" + slug }

// demoWhatsApp connects the workspace's number as a person would.
func (a *App) demoWhatsApp(ctx context.Context, w identity.Workspace) error {
	n, ok := demoNumbers[w.Slug]
	if !ok || a.standIn == nil {
		return nil
	}
	_, err := a.WhatsApp.Connect(ctx, whatsapp.NewNumber{
		ID: DemoAccount(w.ID, whatsapp.Name), Name: n.account, NumberID: n.number, BusinessID: n.business,
		Token: demoToken(w.Slug), AppSecret: demoSecret(w.Slug),
	})
	return err
}

// demoWindow is for how long a customer who wrote can be answered.
const demoWindow = 24 * time.Hour

// wrote tells the stand-in when a customer of the demo wrote, so that it lets
// answers through for as long as the server runs.
func (s *standIn) wrote(slug string, who *contact.Contact, at time.Time) {
	if n, ok := demoNumbers[slug]; ok && s != nil && len(who.Phones) > 0 {
		s.whatsapp.Remember(n.number, who.Phones[0].E164, at)
	}
}

func demoTemplates(slug string) []*graph.TemplateRecord {
	id := map[string]string{"demo": "20000000000010", "acme": "20000000000020"}[slug]
	english := []*graph.TemplateRecord{
		{
			Name: "parcel_on_its_way", Language: "en", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{
					Type: template.Body, Text: "Hello {{1}}, your order {{2}} is on its way. We will tell you when it arrives.",
					Example: &template.Example{BodyText: [][]string{{"Thomas", "48213"}}},
				},
				{Type: template.Buttons, Buttons: []template.Button{{
					Type: template.URL, Text: "Track parcel", URL: "https://www." + slug + ".example/track/{{1}}", Example: []string{"https://www." + slug + ".example/track/48213"},
				}}},
			},
		},
		{
			Name: "continue_conversation", Language: "en", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Body, Text: "Hello {{1}}, we have an answer for you. Write back and we will go on from there.", Example: &template.Example{BodyText: [][]string{{"Thomas"}}}},
				{Type: template.Buttons, Buttons: []template.Button{{Type: template.QuickReply, Text: "Go on"}}},
			},
		},
	}
	turkish := []*graph.TemplateRecord{
		{
			Name: "kargo_bilgisi", Language: "tr", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Header, Format: template.Text, Text: "Siparişiniz yolda"},
				{
					Type: template.Body, Text: "Merhaba {{1}}, {{2}} numaralı siparişiniz kargoya verildi. Tahmini teslim: {{3}}. İyi günler dileriz.",
					Example: &template.Example{BodyText: [][]string{{"Elif Hanım", "48213", "18 Kasım"}}},
				},
				{Type: template.Footer, Text: "Demo A.Ş. Müşteri Hizmetleri"},
				{Type: template.Buttons, Buttons: []template.Button{{
					Type: template.URL, Text: "Kargom nerede?", URL: "https://www.demo.example/kargo/{{1}}", Example: []string{"https://www.demo.example/kargo/48213"},
				}}},
			},
		},
		{
			Name: "gorusmeye_devam", Language: "tr", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Body, Text: "Merhaba {{1}}, sorunuzun yanıtı hazır. Bu mesaja yazdığınızda kaldığımız yerden devam ederiz.", Example: &template.Example{BodyText: [][]string{{"Nazlı Hanım"}}}},
				{Type: template.Buttons, Buttons: []template.Button{{Type: template.QuickReply, Text: "Devam edelim"}}},
			},
		},
		{
			Name: "kis_kampanyasi", Language: "tr", Category: template.Marketing, Status: template.Approved, Quality: &graph.Quality{Score: "YELLOW"},
			Components: []template.Component{
				{Type: template.Body, Text: "Merhaba {{1}}, kış koleksiyonunda sepette %15 indirim 30 Kasım'a kadar geçerli. Keyifli alışverişler!", Example: &template.Example{BodyText: [][]string{{"Elif Hanım"}}}},
				{Type: template.Footer, Text: "Bu iletileri almamak için RET yazın"},
			},
		},
		{
			Name: "acil_firsat", Language: "tr", Category: template.Utility, Status: template.Rejected, Reason: "INCORRECT_CATEGORY", Quality: &graph.Quality{Score: "UNKNOWN"},
			Components: []template.Component{{Type: template.Body, Text: "Kaçırmayın! Yalnızca bugün bütün havlularda büyük indirim sizi bekliyor."}},
		},
	}
	out := english
	if slug == "demo" {
		out = append(turkish, english...)
	}
	for i, t := range out {
		t.ID, t.ParameterFormat = id+string(rune('0'+i)), template.Positional
	}
	return out
}
