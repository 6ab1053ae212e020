package social_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/conversation"
	"konak/internal/kit/clock"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/social"
	sandbox "konak/internal/sandbox/social"
)

const (
	channels      = apptest.Channels
	conversations = apptest.Conversations
	webhook       = channels + "/social/webhook"
	pageID        = "109876543210987"
	token         = "EAAGpage"
	appSecret     = "app secret"
)

// Customers: one on Messenger, one on Instagram.
var (
	elif = sandbox.Person{ID: "5550001", Name: "Elif Kaya"}
	ayse = sandbox.Person{ID: "ig5550002", Name: "Ayşe Can", Username: "ayse.can"}
)

// shop is a workspace with a page.
type shop struct{ *apptest.Shop[*sandbox.Server] }

func run(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.WhatsAppAddress = address
		box := sandbox.New(c)
		box.AddApp(sandbox.App{ID: "4711", Secret: appSecret})
		box.Add(sandbox.Page{ID: pageID, Name: "Demo A.Ş.", Token: token, InstagramID: "ig1", Username: "demo.as", AppID: "4711"})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) { fn(s.T, &shop{s}) })
}

// connected is run, with the page or its Instagram account connected.
func connected(t *testing.T, kind string, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(kind, nil).Want(201).Data(&sh.Account)
		fn(t, sh)
	})
}

func (sh *shop) connect(kind string, change map[string]any) *apptest.Response {
	sh.T.Helper()
	body := map[string]any{"page_id": pageID, "access_token": token, "app_secret": appSecret}
	maps.Copy(body, change)
	return sh.Owner.Post(channels+"/connect/"+kind, body)
}

// says lets a customer write, and returns the message's id.
func (sh *shop) says(who sandbox.Person, text string) string {
	sh.T.Helper()
	id := sh.Box.Say(pageID, who, text)
	sh.Settle()
	return id
}

// writes lets a customer write a message of any kind, and returns the newest item.
func (sh *shop) writes(who sandbox.Person, m wire.Incoming) conversation.Item {
	sh.T.Helper()
	sh.Box.Write(pageID, who, m)
	sh.Settle()
	return sh.Items(sh.Only().ID)[0]
}

// does lets a customer do something other than writing.
func (sh *shop) does(who sandbox.Person, m wire.Messaging) {
	sh.T.Helper()
	sh.Box.Do(pageID, who, m)
	sh.Settle()
}

// post calls the webhook as the provider does, signed with the secret.
func (sh *shop) post(secret, body string) *apptest.Response {
	sh.T.Helper()
	return sh.Server.Client("").Header(graph.SignatureHeader, graph.Sign(secret, []byte(body))).Post(webhook, body)
}

func (sh *shop) settings() (set social.Settings) {
	sh.T.Helper()
	a := sh.ReadAccount(sh.Account.ID)
	if err := a.Read(&set); err != nil {
		sh.T.Fatal(err)
	}
	return set
}

func asText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestConnect(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		for _, c := range []struct {
			what, field, code string
			change            map[string]any
		}{
			{"a token of nobody", "access_token", "refused", map[string]any{"access_token": "guessed"}},
			{"another page", "page_id", "unknown_page", map[string]any{"page_id": "404"}},
			{"another app's secret", "app_secret", "refused", map[string]any{"app_secret": "guessed"}},
		} {
			if e := sh.connect("messenger", c.change).Refused(422, "validation_failed"); !slices.Equal(e.Fields[c.field], []string{c.code}) {
				t.Errorf("%s: %+v", c.what, e)
			}
		}
		sh.Box.Fail("subscribed_apps", 500, 2, 0, 0)
		sh.connect("messenger", nil).Refused(502, "provider_rejected")
		sh.Guest().Post(channels+"/connect/messenger", map[string]any{"page_id": pageID, "access_token": token, "app_secret": appSecret}).Refused(403, "forbidden")
		var list []channel.Account
		if sh.Owner.Get(channels).Want(200).Data(&list); len(list) != 0 {
			t.Fatalf("what was refused is half connected: %+v", list)
		}

		resp := sh.connect("messenger", map[string]any{"human_agent": true}).Want(201)
		resp.Data(&sh.Account)
		set := sh.settings()
		if sh.Account.Name != "Demo A.Ş." || sh.Account.Kind != social.Messenger || *sh.Account.ExternalID != pageID || set.AppID != "4711" || !set.HumanAgent {
			t.Errorf("the account is %+v with %+v", sh.Account, set)
		}
		if text := string(resp.Body); strings.Contains(text, token) || strings.Contains(text, appSecret) {
			t.Error("the answer shows a secret")
		}
		var other channel.Account
		sh.connect("instagram", nil).Want(201).Data(&other)
		if other.Kind != social.Instagram || *other.ExternalID != "ig1" || other.Name != "demo.as" {
			t.Errorf("the Instagram account is %+v", other)
		}

		// Connecting the same page again gives the same account, with the new token.
		sh.Box.Add(sandbox.Page{ID: pageID, Name: "Demo A.Ş.", Token: "renewed", AppID: "4711"})
		var again channel.Account
		sh.connect("messenger", map[string]any{"access_token": "renewed", "name": "Sayfamız"}).Want(201).Data(&again)
		if again.ID != sh.Account.ID || again.Name != "Sayfamız" {
			t.Errorf("connected again it is %+v", again)
		}
		if e := sh.connect("instagram", map[string]any{"access_token": "renewed"}).Refused(422, "validation_failed"); e.Fields["page_id"][0] != "no_instagram_account" {
			t.Errorf("a page without Instagram: %+v", e)
		}
	})
}

// An app whose events go elsewhere is not taken over by accident.
func TestWebhookOfAnotherProgram(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.Box.SetWebhook("4711", wire.ObjectPage, "https://other.example/hook")
		e := sh.connect("messenger", nil).Refused(422, "validation_failed")
		if e.Fields["replace_webhook"][0] != "webhook_taken" || !strings.Contains(e.Reason, "other.example") {
			t.Errorf("an app of another program: %+v", e)
		}
		sh.connect("messenger", map[string]any{"replace_webhook": true}).Want(201)
		sh.says(elif, "Merhaba")
		sh.Only()
	})
}

func TestChallenge(t *testing.T) {
	connected(t, social.Messenger, func(_ *testing.T, sh *shop) {
		for _, query := range []string{"hub.mode=subscribe&hub.verify_token=guessed&hub.challenge=1", "hub.mode=other&hub.challenge=1"} {
			sh.Server.Client("").Get(webhook+"?"+query).Refused(404, "not_found")
		}
	})
}

// While paused nothing comes in or goes out, and once its last account is disconnected, the
// page sends no more events.
func TestPauseAndDisconnect(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		c := sh.Only()
		at := channels + "/" + sh.Account.ID.String()
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.TryReply(c.ID, "Buyurun").Refused(409, "channel_unavailable")
		body := asText(wire.Webhook{Object: wire.ObjectPage, Entry: []wire.Entry{{ID: pageID, Messaging: []wire.Messaging{{
			Sender: wire.Ref{ID: elif.ID}, Timestamp: 1, Message: &wire.Incoming{ID: "m_paused", Text: "Orada mısınız?"},
		}}}}})
		sh.post(appSecret, body).Refused(409, "channel_unavailable")
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		sh.post(appSecret, body).Want(200)
		if items := sh.Items(c.ID); len(items) != 2 {
			t.Fatalf("%d items after the pause", len(items))
		}

		var other channel.Account
		sh.connect("instagram", nil).Want(201).Data(&other)
		sh.Owner.Delete(at).Want(200)
		sh.Settle()
		if !sh.Box.Subscribed(pageID) {
			t.Error("the page went silent although its Instagram account is connected")
		}
		sh.post(appSecret, body).Refused(404, "not_found")
		sh.Owner.Delete(channels + "/" + other.ID.String()).Want(200)
		sh.Settle()
		if sh.Box.Subscribed(pageID) {
			t.Error("the page still tells us what happens")
		}
	})
}

// renamed returns the page with another token.
func renamed(token string) sandbox.Page {
	return sandbox.Page{ID: pageID, Name: "Demo A.Ş.", Token: token, InstagramID: "ig1", Username: "demo.as", AppID: "4711"}
}

// discard is a response writer that drops everything.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
