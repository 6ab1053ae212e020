package whatsapp_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

const (
	channels      = "/api/crm/v1/channels"
	templates     = channels + "/templates"
	conversations = "/api/crm/v1/conversations"
	numberID      = "106540352242922"
	businessID    = "102290129340398"
	token         = "EAAGtoken"
	appSecret     = "app secret"
)

var elif = sandbox.Customer{ID: "905321234567", Name: "Elif Kaya"}

// shop is a workspace with a number, and the stand-in of its provider.
type shop struct {
	*apptest.Shop[*sandbox.Server]
	// files is the directory with the contents of files.
	files string
}

// run runs a test with a shop on both databases.
func run(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.WhatsAppAddress = address
		box := sandbox.New(c)
		box.Add(sandbox.Business{
			ID: businessID, Token: token, AppSecret: appSecret,
			Numbers: []wire.PhoneNumber{{ID: numberID, Display: "+90 212 123 45 67", VerifiedName: "Demo A.Ş.", Quality: "GREEN", Limit: "TIER_1K"}},
		})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) { fn(s.T, &shop{s, s.Server.FilesFolder()}) })
}

// whenAsked calls fn once, when the service gets a message and before it accepts it.
func (sh *shop) whenAsked(fn func()) {
	var once sync.Once
	before := func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/messages") {
			once.Do(fn)
		}
	}
	sh.Before.Store(&before)
}

// connected is run, with the number connected.
func connected(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.Account)
		fn(t, sh)
	})
}

func (sh *shop) connect(change map[string]any) *apptest.Response {
	sh.T.Helper()
	body := map[string]any{
		"name": "WhatsApp hattı", "phone_number_id": numberID, "business_account_id": businessID, "access_token": token, "app_secret": appSecret,
	}
	for k, v := range change {
		body[k] = v
	}
	return sh.Owner.Post(channels+"/connect/whatsapp", body)
}

func (sh *shop) says(text string) string {
	sh.T.Helper()
	id, err := sh.Box.Say(numberID, elif, text)
	if err != nil {
		sh.T.Fatal(err)
	}
	sh.Settle()
	return id
}

// parcelNews returns a template with two variables.
func (sh *shop) parcelNews(name string) map[string]any {
	return map[string]any{
		"channel_account_id": sh.Account.ID, "name": name, "language": "tr", "category": "UTILITY",
		"components": []any{
			map[string]any{"type": "BODY", "text": "Merhaba {{1}}, {{2}} numaralı siparişiniz yola çıktı.", "example": map[string]any{"body_text": [][]string{{"Elif", "4711"}}}},
			map[string]any{"type": "FOOTER", "text": "Demo A.Ş."},
		},
	}
}

func (sh *shop) approved(name string) (t template.Template) {
	sh.T.Helper()
	sh.Owner.Post(templates, sh.parcelNews(name)).Want(201).Data(&t)
	sh.Settle()
	sh.Owner.Get(templates + "/" + t.ID.String()).Want(200).Data(&t)
	if t.Status != template.Approved {
		sh.T.Fatalf("the template is %s", t.Status)
	}
	return t
}

func (sh *shop) customer(phone string) (c contact.Contact) {
	sh.T.Helper()
	sh.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "phones": []string{phone}}).Want(201).Data(&c)
	return c
}
