package telegram_test

import (
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
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

// shop is a workspace with a bot, and the stand-in of its provider.
type shop struct{ *apptest.Shop[*sandbox.Server] }

// run runs a test with a shop on both databases.
func run(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	runWith(t, func(*app.Config) {}, fn)
}

// runWith is run with a change of the server's settings.
func runWith(t *testing.T, change func(*app.Config), fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.TelegramAddress = address
		change(cfg)
		box := sandbox.New(c)
		box.Add(sandbox.Bot{ID: botID, Name: "Demo A.Ş.", Username: "demo_bot", Token: token})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) { fn(s.T, &shop{s}) })
}

// connected is run, with the bot connected.
func connected(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.Account)
		fn(t, sh)
	})
}

func (sh *shop) connect(change map[string]any) *apptest.Response {
	sh.T.Helper()
	body := map[string]any{"bot_token": token}
	for k, v := range change {
		body[k] = v
	}
	return sh.Owner.Post(channels+"/connect/telegram", body)
}

func (sh *shop) says(text string) int64 {
	sh.T.Helper()
	id := sh.Box.Say(botID, elif, text)
	sh.Settle()
	return id
}

// writes lets the customer write a message of any kind, and returns the newest item.
func (sh *shop) writes(m wire.Message) conversation.Item {
	sh.T.Helper()
	sh.Box.Write(botID, elif, m)
	sh.Settle()
	return sh.Items(sh.Only().ID)[0]
}

func (sh *shop) settings(a channel.Account) (set telegram.Settings) {
	sh.T.Helper()
	if err := a.Read(&set); err != nil {
		sh.T.Fatal(err)
	}
	return set
}

func (sh *shop) webhook() (w channel.Webhook) {
	sh.T.Helper()
	sh.Owner.Get(channels + "/" + sh.Account.ID.String() + "/webhook").Want(200).Data(&w)
	return w
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
		sh.Box.Fail("getMe", 502, "Bad Gateway", 0)
		sh.connect(nil).Refused(502, "provider_rejected")
		sh.Box.Fail("setWebhook", 400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", 0)
		if e := sh.connect(nil).Refused(422, "validation_failed"); e.Fields["mode"][0] != "refused" {
			t.Errorf("an address that the provider does not call: %+v", e)
		}
		sh.Guest().Post(channels+"/connect/telegram", map[string]any{"bot_token": token}).Refused(403, "forbidden")
		var list []channel.Account
		if sh.Owner.Get(channels + "?kind=telegram").Want(200).Data(&list); len(list) != 0 {
			t.Fatalf("what was refused is half connected: %+v", list)
		}
		resp := sh.connect(map[string]any{"ai": true}).Want(201)
		resp.Data(&sh.Account)
		set := sh.settings(sh.Account)
		if sh.Account.Name != "Demo A.Ş." || sh.Account.Status != channel.Active || !sh.Account.AI || set.Username != "demo_bot" || set.Mode != channel.ByWebhook || !set.Registered {
			t.Errorf("the account is %+v with %+v", sh.Account, set)
		}
		if strings.Contains(string(resp.Body), token) {
			t.Error("the answer shows the token")
		}
		// Connecting the same bot again gives the same account, with the new token.
		sh.Box.Add(sandbox.Bot{ID: botID, Name: "Demo A.Ş.", Username: "demo_bot", Token: "700000001:renewed"})
		var again channel.Account
		sh.connect(map[string]any{"bot_token": "700000001:renewed", "name": "Destek"}).Want(201).Data(&again)
		if again.ID != sh.Account.ID || again.Name != "Destek" {
			t.Errorf("connected again: %+v", again)
		}
		if w := sh.webhook(); !w.Registered {
			t.Errorf("the webhook is %+v", w)
		}
	})
}

// The webhook's state comes from the provider, and our own flag follows it.
func TestWebhookStateComesFromProvider(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String() + "/webhook"
		if w := sh.webhook(); !w.Registered || w.Mode != channel.ByWebhook || !strings.Contains(w.URL, "/channels/telegram/webhook/700000001/") || w.LastError != nil {
			t.Errorf("connected: %+v", w)
		}
		sh.Box.DropWebhook(botID)
		sh.says("Kaybolmaz")
		if w := sh.webhook(); w.Registered || w.Pending != 1 {
			t.Errorf("dropped: %+v", w)
		}
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.WebhookMissing || sh.settings(a).Registered {
			t.Errorf("the account is %+v", a)
		}
		sh.Guest().Post(at, nil).Refused(403, "forbidden")
		var w channel.Webhook
		sh.Owner.Post(at, nil).Want(200).Data(&w)
		sh.Settle()
		if a := sh.ReadAccount(sh.Account.ID); !w.Registered || a.Status != channel.Active || !sh.settings(a).Registered {
			t.Errorf("registered again: %+v, %+v", w, a)
		}
		if got := sh.Items(sh.Only().ID); len(got) != 1 || got[0].Body != "Kaybolmaz" {
			t.Errorf("what waited is %+v", got)
		}
		sh.Box.Fail("getWebhookInfo", 500, "Internal Server Error", 0)
		sh.Owner.Get(at).Refused(502, "provider_rejected")
		if sh.ReadAccount(sh.Account.ID).Status != channel.Active {
			t.Error("a provider that is away changed the flag")
		}
		sh.Box.Fail("setWebhook", 400, "Bad Request: bad webhook", 0)
		sh.Owner.Post(at, nil).Refused(502, "provider_rejected")
		// A kind without a webhook, and a disconnected account, are conflicts.
		var custom channel.Account
		sh.Owner.Post(channels+"/custom", map[string]any{"name": "Uygulama", "address": "https://example.com/in"}).Want(201).Data(&custom)
		if e := sh.Owner.Get(channels+"/"+custom.ID.String()+"/webhook").Refused(409, "conflict"); e.Reason != "no_webhook" {
			t.Errorf("a custom channel: %+v", e)
		}
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		sh.Owner.Get(at).Refused(409, "channel_unavailable")
		sh.Settle()
		if address, _ := sh.Box.Webhook(botID); address != "" {
			t.Errorf("the provider still calls %s", address)
		}
	})
}

// hook posts an update with a secret, right or wrong.
func (sh *shop) hook(bot, secret, body string) int {
	sh.T.Helper()
	return sh.Server.Client("").Header(wire.SecretHeader, secret).Post(telegram.WebhookPath+bot+"/x", body).Status
}

// A call without the right secret gets the same answer as one for an unknown bot.
func TestWebhookHasSecret(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		_, secret := sh.Box.Webhook(botID)
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
		if len(sh.Inbox()) != 0 {
			t.Error("what proved nothing came in")
		}
		for range 2 { // a repeat is the same message
			if got := sh.hook(bot, secret, hello); got != 200 {
				t.Errorf("a call with the secret: %d", got)
			}
		}
		if items := sh.Items(sh.Only().ID); len(items) != 1 {
			t.Errorf("a repeat made %d items", len(items))
		}
		for _, body := range []string{`{"update_id":2}`, `{"update_id":3,"poll_answer":{}}`, `{"update_id":4,"message":{"message_id":9,"chat":{"id":-1,"type":"supergroup"},"message_thread_id":7,"is_topic_message":true,"from":{"id":555},"text":"grup"}}`, `{"update_id":5,"message":{"message_id":10,"chat":{"id":555,"type":"private"},"from":{"id":555},"pinned_message":{}}}`} {
			if got := sh.hook(bot, secret, body); got != 200 || len(sh.Items(sh.Only().ID)) != 1 {
				t.Errorf("%s: %d", body, got)
			}
		}
	})
}

// Nothing comes in over a paused bot, and two workspaces that have a bot do not get each
// other's updates.
func TestPausedAndOtherWorkspace(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String()
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.says("Kimse yok mu?")
		if len(sh.Inbox()) != 0 {
			t.Error("a paused bot brought something in")
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		if w := sh.webhook(); w.LastError == nil || !strings.Contains(*w.LastError, "409") {
			t.Errorf("the provider says %+v", w)
		}
		sh.says("Merhaba")
		other := &shop{sh.Another()}
		other.Owner.Get(at+"/webhook").Refused(404, "not_found")
		other.connect(nil).Want(201).Data(&other.Account)
		sh.says("Kime?")
		if got := other.Only(); got.ContactName != "Elif Kaya" || len(sh.Items(sh.Only().ID)) != 1 {
			t.Errorf("the other workspace got %+v", got)
		}
		// The first workspace sees that its bot calls another address.
		if w := sh.webhook(); w.Registered {
			t.Errorf("the first workspace's webhook is %+v", w)
		}
		// It disconnects its own account and leaves the other's webhook alone.
		sh.Owner.Delete(at).Want(200)
		sh.Settle()
		if !other.webhook().Registered {
			t.Error("a webhook of another workspace was deleted")
		}
	})
}
