package whatsapp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
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

// shop is a workspace with a number, and the service that the number is at.
type shop struct {
	*apptest.Workspace
	t   *testing.T
	s   *apptest.Server
	box *sandbox.Server
	acc channel.Account
	// files is where the contents of files lie.
	files string
	// asked is called once, when the service gets a message and before it takes it.
	asked atomic.Pointer[func()]
}

// run gives a test a server of its own on both databases, with a service of its
// own and a workspace.
func run(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	t.Parallel()
	for _, d := range []db.Dialect{db.SQLite, db.Postgres} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			sh := &shop{t: t}
			sh.s = apptest.NewCalledBack(t, d, func(cfg *app.Config, c clock.Source) {
				sh.box = sandbox.New(c)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if fn := sh.asked.Load(); fn != nil && strings.HasSuffix(r.URL.Path, "/messages") && sh.asked.CompareAndSwap(fn, nil) {
						(*fn)()
					}
					sh.box.ServeHTTP(w, r)
				}))
				t.Cleanup(server.Close)
				t.Cleanup(sh.box.Close)
				cfg.WhatsAppAddress, sh.files = server.URL, cfg.FilesFolder()
			})
			sh.box.Add(sandbox.Business{
				ID: businessID, Token: token, AppSecret: appSecret,
				Numbers: []wire.PhoneNumber{{ID: numberID, Display: "+90 212 123 45 67", VerifiedName: "Demo A.Ş.", Quality: "GREEN", Limit: "TIER_1K"}},
			})
			sh.Workspace = sh.s.Workspace("demo")
			fn(t, sh)
		})
	}
}

// connected is run with the number connected.
func connected(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.acc)
		fn(t, sh)
	})
}

func (sh *shop) connect(change map[string]any) *apptest.Response {
	sh.t.Helper()
	body := map[string]any{
		"name": "WhatsApp hattı", "phone_number_id": numberID, "business_account_id": businessID, "access_token": token, "app_secret": appSecret,
	}
	for k, v := range change {
		body[k] = v
	}
	return sh.Owner.Post(channels+"/connect/whatsapp", body)
}

// settle lets everything that is under way arrive.
func (sh *shop) settle() {
	sh.t.Helper()
	sh.box.Settle()
	sh.s.Settle()
	sh.box.Settle()
}

// advance lets time pass, in which the owner's session ends.
func (sh *shop) advance(d time.Duration) {
	sh.t.Helper()
	sh.s.Clock.Advance(d)
	sh.Owner = sh.SignIn("owner@demo.example")
}

func (sh *shop) says(text string) string {
	sh.t.Helper()
	id, err := sh.box.Say(numberID, elif, text)
	if err != nil {
		sh.t.Fatal(err)
	}
	sh.settle()
	return id
}

func (sh *shop) inbox() (out []conversation.Conversation) {
	sh.t.Helper()
	sh.Owner.Get(conversations + "?limit=100").Want(200).Data(&out)
	return out
}

func (sh *shop) only() conversation.Conversation {
	sh.t.Helper()
	list := sh.inbox()
	if len(list) != 1 {
		sh.t.Fatalf("%d conversations, want one", len(list))
	}
	return list[0]
}

func (sh *shop) items(c uuid.UUID) (out []conversation.Item) {
	sh.t.Helper()
	sh.Owner.Get(conversations + "/" + c.String() + "/items?limit=100").Want(200).Data(&out)
	return out
}

func (sh *shop) account() (a channel.Account) {
	sh.t.Helper()
	sh.Owner.Get(channels + "/" + sh.acc.ID.String()).Want(200).Data(&a)
	return a
}

// parcelNews is a template with two variables.
func (sh *shop) parcelNews(name string) map[string]any {
	return map[string]any{
		"channel_account_id": sh.acc.ID, "name": name, "language": "tr", "category": "UTILITY",
		"components": []any{
			map[string]any{"type": "BODY", "text": "Merhaba {{1}}, {{2}} numaralı siparişiniz yola çıktı.", "example": map[string]any{"body_text": [][]string{{"Elif", "4711"}}}},
			map[string]any{"type": "FOOTER", "text": "Demo A.Ş."},
		},
	}
}

func (sh *shop) approved(name string) (t template.Template) {
	sh.t.Helper()
	sh.Owner.Post(templates, sh.parcelNews(name)).Want(201).Data(&t)
	sh.settle()
	sh.Owner.Get(templates + "/" + t.ID.String()).Want(200).Data(&t)
	if t.Status != template.Approved {
		sh.t.Fatalf("the template is %s", t.Status)
	}
	return t
}

func (sh *shop) customer(phone string) (c contact.Contact) {
	sh.t.Helper()
	sh.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": "Elif Kaya", "phones": []string{phone}}).Want(201).Data(&c)
	return c
}
