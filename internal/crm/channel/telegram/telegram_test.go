package telegram_test

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
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	wire "konak/internal/provider/telegram"
	sandbox "konak/internal/sandbox/telegram"
)

const (
	channels      = "/api/crm/v1/channels"
	conversations = "/api/crm/v1/conversations"
	botID         = 700000001
	token         = "700000001:token_of-the-bot"
)

var elif = sandbox.Person{ID: 555, Name: "Elif Kaya", Username: "elifkaya", Language: "tr"}

// shop is a workspace with a bot, and the service that the bot is at.
type shop struct {
	*apptest.Workspace
	t   *testing.T
	s   *apptest.Server
	box *sandbox.Server
	acc channel.Account
	// instead answers calls in place of the service while it is set.
	instead atomic.Pointer[http.HandlerFunc]
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
					if other := sh.instead.Load(); other != nil {
						(*other)(w, r)
						return
					}
					sh.box.ServeHTTP(w, r)
				}))
				t.Cleanup(server.Close)
				t.Cleanup(sh.box.Close)
				cfg.TelegramAddress = server.URL
			})
			sh.box.Add(sandbox.Bot{ID: botID, Name: "Demo A.Ş.", Username: "demo_bot", Token: token})
			sh.Workspace = sh.s.Workspace("demo")
			fn(t, sh)
		})
	}
}

// connected is run with the bot connected.
func connected(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.acc)
		fn(t, sh)
	})
}

func (sh *shop) connect(change map[string]any) *apptest.Response {
	sh.t.Helper()
	body := map[string]any{"bot_token": token}
	for k, v := range change {
		body[k] = v
	}
	return sh.Owner.Post(channels+"/connect/telegram", body)
}

// settle lets everything that is under way arrive.
func (sh *shop) settle() {
	sh.t.Helper()
	sh.box.Settle()
	sh.s.Settle()
	sh.box.Settle()
}

// later lets time pass, in which the owner's session ends.
func (sh *shop) later(d time.Duration) {
	sh.t.Helper()
	sh.s.Clock.Advance(d)
	sh.Owner = sh.SignIn("owner@demo.example")
}

func (sh *shop) says(text string) int64 {
	sh.t.Helper()
	id := sh.box.Say(botID, elif, text)
	sh.settle()
	return id
}

// writes lets the customer write a message of any kind, and gives the newest item.
func (sh *shop) writes(m wire.Message) conversation.Item {
	sh.t.Helper()
	sh.box.Write(botID, elif, m)
	sh.settle()
	return sh.items(sh.only().ID)[0]
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

func (sh *shop) item(c, id uuid.UUID) conversation.Item {
	sh.t.Helper()
	for _, i := range sh.items(c) {
		if i.ID == id {
			return i
		}
	}
	sh.t.Fatal("the item is gone")
	return conversation.Item{}
}

func (sh *shop) reply(c uuid.UUID, body string, files ...uuid.UUID) conversation.Item {
	sh.t.Helper()
	var out conversation.Written
	sh.Owner.Post(conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": body, "attachments": files}).Want(200).Data(&out)
	return out.Item
}

func (sh *shop) upload(name, content string) uuid.UUID {
	sh.t.Helper()
	var a file.Attachment
	sh.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename="+name, content).Want(201).Data(&a)
	return a.ID
}

func (sh *shop) account(id uuid.UUID) (a channel.Account) {
	sh.t.Helper()
	sh.Owner.Get(channels + "/" + id.String()).Want(200).Data(&a)
	return a
}

func (sh *shop) settings(a channel.Account) (set telegram.Settings) {
	sh.t.Helper()
	if err := a.Read(&set); err != nil {
		sh.t.Fatal(err)
	}
	return set
}

func (sh *shop) webhook() (w channel.Webhook) {
	sh.t.Helper()
	sh.Owner.Get(channels + "/" + sh.acc.ID.String() + "/webhook").Want(200).Data(&w)
	return w
}

func delivery(i conversation.Item) string {
	if i.Delivery == nil {
		return ""
	}
	return *i.Delivery
}

func TestConnect(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		for what, body := range map[string]map[string]any{
			"a token of nobody":            {"bot_token": "700000001:guessed"},
			"a token that is none":         {"bot_token": "../../etc"},
			"a token with a path in it":    {"bot_token": token + "/../x"},
			"another token with a newline": {"bot_token": "1:a\nb"},
		} {
			if e := sh.connect(body).Refused(422, "validation_failed"); e.Fields["bot_token"][0] != "refused" {
				t.Errorf("%s: %+v", what, e)
			}
		}
		sh.box.Fail("getMe", 502, "Bad Gateway", 0)
		sh.connect(nil).Refused(502, "provider_rejected")
		sh.box.Fail("setWebhook", 400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", 0)
		if e := sh.connect(nil).Refused(422, "validation_failed"); e.Fields["mode"][0] != "refused" {
			t.Errorf("an address that the provider does not call: %+v", e)
		}
		sh.Guest().Post(channels+"/connect/telegram", map[string]any{"bot_token": token}).Refused(403, "forbidden")
		var list []channel.Account
		if sh.Owner.Get(channels + "?kind=telegram").Want(200).Data(&list); len(list) != 0 {
			t.Fatalf("what was refused is half connected: %+v", list)
		}
		resp := sh.connect(map[string]any{"ai": true}).Want(201)
		resp.Data(&sh.acc)
		set := sh.settings(sh.acc)
		if sh.acc.Name != "Demo A.Ş." || sh.acc.Status != channel.Active || !sh.acc.AI || set.Username != "demo_bot" || set.Mode != channel.ByWebhook || !set.Registered {
			t.Errorf("the account is %+v with %+v", sh.acc, set)
		}
		if strings.Contains(string(resp.Body), token) {
			t.Error("the answer shows the token")
		}
		// The same bot again is the same account, with the new token.
		sh.box.Add(sandbox.Bot{ID: botID, Name: "Demo A.Ş.", Username: "demo_bot", Token: "700000001:renewed"})
		var again channel.Account
		sh.connect(map[string]any{"bot_token": "700000001:renewed", "name": "Destek"}).Want(201).Data(&again)
		if again.ID != sh.acc.ID || again.Name != "Destek" {
			t.Errorf("connected again: %+v", again)
		}
		if w := sh.webhook(); !w.Registered {
			t.Errorf("the webhook is %+v", w)
		}
	})
}

// The webhook's state is the provider's word, and our own flag follows it.
func TestWebhookRows(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.acc.ID.String() + "/webhook"
		if w := sh.webhook(); !w.Registered || w.Mode != channel.ByWebhook || !strings.Contains(w.URL, "/channels/telegram/webhook/700000001/") || w.LastError != nil {
			t.Errorf("connected: %+v", w)
		}
		sh.box.DropWebhook(botID)
		sh.says("Kaybolmaz")
		if w := sh.webhook(); w.Registered || w.Pending != 1 {
			t.Errorf("dropped: %+v", w)
		}
		if a := sh.account(sh.acc.ID); a.Status != channel.Attention || *a.Reason != channel.WebhookMissing || sh.settings(a).Registered {
			t.Errorf("the account is %+v", a)
		}
		sh.Guest().Post(at, nil).Refused(403, "forbidden")
		var w channel.Webhook
		sh.Owner.Post(at, nil).Want(200).Data(&w)
		sh.settle()
		if a := sh.account(sh.acc.ID); !w.Registered || a.Status != channel.Active || !sh.settings(a).Registered {
			t.Errorf("registered again: %+v, %+v", w, a)
		}
		if got := sh.items(sh.only().ID); len(got) != 1 || got[0].Body != "Kaybolmaz" {
			t.Errorf("what waited is %+v", got)
		}
		sh.box.Fail("getWebhookInfo", 500, "Internal Server Error", 0)
		sh.Owner.Get(at).Refused(502, "provider_rejected")
		if sh.account(sh.acc.ID).Status != channel.Active {
			t.Error("a provider that is away changed the flag")
		}
		sh.box.Fail("setWebhook", 400, "Bad Request: bad webhook", 0)
		sh.Owner.Post(at, nil).Refused(502, "provider_rejected")
		// A kind without one, and an account that is over.
		var custom channel.Account
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "Uygulama", "address": "https://example.com/in"}).Want(201).Data(&custom)
		if e := sh.Owner.Get(channels+"/"+custom.ID.String()+"/webhook").Refused(409, "conflict"); e.Reason != "no_webhook" {
			t.Errorf("a custom channel: %+v", e)
		}
		sh.Owner.Delete(channels + "/" + sh.acc.ID.String()).Want(200)
		sh.Owner.Get(at).Refused(409, "channel_unavailable")
		sh.settle()
		if address, _ := sh.box.Webhook(botID); address != "" {
			t.Errorf("the provider still calls %s", address)
		}
	})
}

// hook posts an update as somebody who knows a secret, or does not.
func (sh *shop) hook(bot, secret, body string) int {
	sh.t.Helper()
	return sh.s.Client("").Header(wire.SecretHeader, secret).Post(telegram.WebhookPath+bot+"/x", body).Status
}

// What does not carry the secret of a bot of ours looks like a bot that nobody has.
func TestWebhookHasSecret(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		_, secret := sh.box.Webhook(botID)
		const bot = "700000001"
		hello := `{"update_id":1,"message":{"message_id":1,"date":1763197200,"from":{"id":555,"first_name":"Elif"},"chat":{"id":555,"type":"private"},"text":"hi"}}`
		for what, got := range map[string]int{
			"a wrong secret":  sh.hook(bot, "guessed", hello),
			"no secret":       sh.hook(bot, "", hello),
			"an unknown bot":  sh.hook("999", secret, hello),
			"nothing at all":  sh.hook(bot, "guessed", ""),
			"no json, wrong":  sh.hook(bot, "guessed", "no json"),
			"no bot, no json": sh.hook("x", "", "no json"),
		} {
			if got != 404 {
				t.Errorf("%s: %d", what, got)
			}
		}
		if got := sh.hook(bot, secret, "no json"); got != 400 {
			t.Errorf("no json: %d", got)
		}
		if len(sh.inbox()) != 0 {
			t.Error("what proved nothing came in")
		}
		for range 2 { // a repeat is the same message
			if got := sh.hook(bot, secret, hello); got != 200 {
				t.Errorf("a call with the secret: %d", got)
			}
		}
		if items := sh.items(sh.only().ID); len(items) != 1 {
			t.Errorf("a repeat made %d items", len(items))
		}
		for _, body := range []string{`{"update_id":2}`, `{"update_id":3,"poll_answer":{}}`, `{"update_id":4,"message":{"message_id":9,"chat":{"id":-1,"type":"supergroup"},"message_thread_id":7,"is_topic_message":true,"from":{"id":555},"text":"grup"}}`, `{"update_id":5,"message":{"message_id":10,"chat":{"id":555,"type":"private"},"from":{"id":555},"pinned_message":{}}}`} {
			if got := sh.hook(bot, secret, body); got != 200 || len(sh.items(sh.only().ID)) != 1 {
				t.Errorf("%s: %d", body, got)
			}
		}
	})
}

// Nothing comes in over a bot that somebody paused, and two workspaces that have a
// bot do not get each other's.
func TestPausedAndOtherWorkspace(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.acc.ID.String()
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.says("Kimse yok mu?")
		if len(sh.inbox()) != 0 {
			t.Error("a paused bot brought something in")
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		if w := sh.webhook(); w.LastError == nil || !strings.Contains(*w.LastError, "409") {
			t.Errorf("the provider says %+v", w)
		}
		sh.says("Merhaba")
		other := &shop{Workspace: sh.s.Workspace("other"), t: t, s: sh.s, box: sh.box}
		other.Owner.Get(at+"/webhook").Refused(404, "not_found")
		other.connect(nil).Want(201).Data(&other.acc)
		sh.says("Kime?")
		if got := other.only(); got.ContactName != "Elif Kaya" || len(sh.items(sh.only().ID)) != 1 {
			t.Errorf("the other workspace got %+v", got)
		}
		// The first one is told that its bot is called elsewhere.
		if w := sh.webhook(); w.Registered {
			t.Errorf("the first workspace's webhook is %+v", w)
		}
		// It ends its own account and leaves the other's webhook alone.
		sh.Owner.Delete(at).Want(200)
		sh.settle()
		if !other.webhook().Registered {
			t.Error("a webhook of another workspace was deleted")
		}
	})
}
