package telegram_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	wire "konak/internal/provider/telegram"
)

// reconnection connects the bot in a mode.
func (sh *shop) reconnection(mode string) apptest.Reconnection {
	return apptest.Reconnection{
		Connect: func(w *apptest.Workspace) (a channel.Account) {
			sh.T.Helper()
			w.Owner.Post(channels+"/connect/telegram", map[string]any{"bot_token": token, "mode": mode}).Want(201).Data(&a)
			return a
		},
		Says: func(text string) {
			sh.T.Helper()
			sh.Box.Say(botID, elif, text)
			sh.Later(time.Second)
			sh.Settle()
		},
		Sent: func() (out []string) {
			for _, m := range sh.Box.Sent(botID) {
				out = append(out, m.Text)
			}
			return out
		},
	}
}

// A disconnected bot comes back when it is connected again.
func TestReconnectedBotContinues(t *testing.T) {
	for _, mode := range []string{channel.ByWebhook, channel.ByPolling} {
		t.Run(mode, func(t *testing.T) {
			run(t, func(_ *testing.T, sh *shop) { sh.ConnectAgain(sh.reconnection(mode)) })
		})
	}
}

// Updates that arrived while a bot was disconnected come in once when it is back, and a
// person's choices for it stay.
func TestUpdatesWhileDisconnectedArriveOnce(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		r := sh.reconnection(channel.ByPolling)
		var g struct{ ID string }
		sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Destek"}).Want(201).Data(&g)
		sh.connect(map[string]any{"mode": "polling", "name": "Destek botu", "group_id": g.ID, "ai": true}).Want(201).Data(&sh.Account)
		r.Says("önce")
		sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200)
		r.Says("arada")
		// The provider is polled from the beginning, and repeats updates that were taken
		// but not confirmed yet.
		var offset atomic.Int64
		offset.Store(-1)
		before := func(r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/getUpdates") || offset.Load() >= 0 {
				return
			}
			body, err := io.ReadAll(r.Body)
			var in struct{ Offset int64 }
			if err = errors.Join(err, json.Unmarshal(body, &in)); err != nil {
				t.Error(err)
			}
			offset.Store(in.Offset)
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		sh.Before.Store(&before)
		a := r.Connect(sh.Workspace)
		if a.Name != "Destek botu" || a.GroupID == nil || a.GroupID.String() != g.ID || a.AI {
			t.Errorf("it is back as %+v", a)
		}
		for range 3 {
			sh.Later(time.Second)
			sh.Settle()
		}
		sh.Before.Store(nil)
		if from := offset.Load(); from != 0 {
			t.Errorf("the provider was asked from %d on", from)
		}
		got := ""
		for _, i := range sh.Items(sh.Only().ID) {
			got += i.Body + " "
		}
		if got != "arada önce " {
			t.Errorf("the conversation has %s", got)
		}
		// A deleted group is no longer the account's.
		sh.Owner.Post("/api/crm/v1/groups", map[string]any{"name": "Kısa"}).Want(201).Data(&g)
		sh.connect(map[string]any{"mode": "polling", "group_id": g.ID}).Want(201)
		sh.Owner.Delete(channels + "/" + a.ID.String()).Want(200)
		sh.Owner.Delete("/api/crm/v1/groups/" + g.ID).Want(200)
		if a := r.Connect(sh.Workspace); a.GroupID != nil || a.ID != sh.Account.ID {
			t.Errorf("without its group it is %+v", a)
		}
	})
}

// The assistant's configuration stays, unless it was deleted in the meantime or needs hours
// that the account does not have.
func TestReconnectedBotKeepsAssistantConfiguration(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		const configurations = "/api/crm/v1/assistant/configurations"
		at := channels + "/" + sh.Account.ID.String()
		var stays, late, gone struct{ ID string }
		sh.Owner.Post(configurations, map[string]any{"name": "Gündüz"}).Want(201).Data(&stays)
		sh.Owner.Post(configurations, map[string]any{"name": "Gece"}).Want(201).Data(&late)
		sh.Owner.Post(configurations, map[string]any{"name": "Eski"}).Want(201).Data(&gone)
		for _, c := range []struct {
			id, want  string
			meanwhile func()
		}{
			{stays.ID, stays.ID, func() {}},
			{late.ID, "", func() {
				sh.Owner.Put(configurations+"/"+late.ID, map[string]any{"name": "Gece", "active": "outside_hours"}).Want(200)
			}},
			{gone.ID, "", func() { sh.Owner.Delete(configurations + "/" + gone.ID).Want(200) }},
		} {
			sh.Owner.Do("PATCH", at+"/ai", map[string]any{"enabled": false, "configuration_id": c.id}).Want(200)
			sh.Owner.Delete(at).Want(200)
			c.meanwhile()
			var a channel.Account
			sh.connect(map[string]any{"ai": true}).Want(201).Data(&a)
			got := ""
			if a.AIConfigurationID != nil {
				got = a.AIConfigurationID.String()
			}
			if a.ID != sh.Account.ID || !a.AI || got != c.want {
				t.Errorf("it is back as %+v", a)
			}
		}
	})
}

// The job that ends a bot's webhook does not end it for a bot that is connected again:
// before, while or after the provider is called.
func TestLateWebhookRemovalSparesReconnectedBot(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		again := func() { sh.connect(nil).Want(201) }
		check := func(when string) {
			t.Helper()
			sh.Settle()
			sh.Later(time.Hour)
			sh.Settle()
			if !sh.webhook().Registered || sh.ReadAccount(sh.Account.ID).Status != channel.Active {
				t.Errorf("connected again %s, the provider calls nobody", when)
			}
		}
		leave := func() { sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200) }
		leave()
		again()
		check("before the webhook ended")
		for _, method := range []string{"/getWebhookInfo", "/deleteWebhook"} {
			leave()
			var once sync.Once
			before := func(r *http.Request) {
				if strings.HasSuffix(r.URL.Path, method) {
					once.Do(again)
				}
			}
			sh.Before.Store(&before)
			sh.Settle()
			sh.Before.Store(nil)
			check("at " + method)
		}
		// The job may end the webhook after it was set, and before the account is stored.
		leave()
		again()
		sh.Box.DropWebhook(botID)
		check("and left in between")
		// A bot that another workspace has taken in the meantime stays theirs.
		leave()
		again()
		other := &shop{sh.Another()}
		other.connect(nil).Want(201).Data(&other.Account)
		sh.Settle()
		if !other.webhook().Registered {
			t.Error("connected again, the bot was taken from another workspace")
		}
	})
}

// A person's account that was disconnected, with or without its bot, comes back with a new
// link.
func TestDisconnectedBusinessAccountComesBack(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, at channel.Account) {
		writes := func(text string) {
			t.Helper()
			sh.Box.Write(botID, elif, wire.Message{Text: text, BusinessConnectionID: "conn1"})
			sh.Settle()
		}
		link := func() {
			t.Helper()
			var started struct{ Link struct{ State string } }
			sh.Owner.Post(channels+"/chatbot/business/start", nil).Want(200).Data(&started)
			sh.Box.Say(botID, owner, "/start "+started.Link.State)
			sh.Settle()
			sh.Box.Connect(botID, "conn1", owner, true, true)
			sh.Settle()
		}
		writes("ilk")
		c := sh.Only()
		for what, leave := range map[string]func(){
			"alone":        func() { sh.Owner.Delete(channels + "/" + at.ID.String()).Want(200) },
			"with its bot": func() { sh.Owner.Delete(channels + "/" + sh.Account.ID.String()).Want(200); sh.connect(nil).Want(201) },
		} {
			leave()
			sh.Settle()
			if a := sh.ReadAccount(at.ID); a.Status != channel.Disconnected {
				t.Fatalf("%s: %+v", what, a)
			}
			link()
			if a := sh.ofOwner(); a.ID != at.ID || a.Status != channel.Active {
				t.Fatalf("%s: it is back as %+v", what, a)
			}
			writes(what)
			item := sh.Reply(c.ID, "yanıt")
			sh.Settle()
			if sh.Only().ID != c.ID || apptest.DeliveryOf(sh.Item(c.ID, item.ID)) != "sent" {
				t.Errorf("%s: %+v", what, sh.Item(c.ID, item.ID))
			}
		}
	})
}

// While a bot is paused nothing goes out over the persons' accounts that it works in, even
// if it is already under way.
func TestPausedBotSendsNothingForBusinessAccounts(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, _ channel.Account) {
		sh.Box.Write(botID, elif, wire.Message{Text: "ilk", BusinessConnectionID: "conn1"})
		sh.Settle()
		c := sh.Only()
		set := func(status string) {
			t.Helper()
			sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": status}).Want(200)
		}
		set("paused")
		if e := sh.TryReply(c.ID, "yanıt").Refused(409, "channel_unavailable"); e.Reason != "paused" {
			t.Errorf("an answer over a paused bot: %+v", e)
		}
		set("active")
		item := sh.Reply(c.ID, "yoldaki")
		set("paused")
		sh.Box.Sent(botID)
		sh.Settle()
		if sent := sh.Box.Sent(botID); len(sent) != 0 {
			t.Errorf("a paused bot sent %+v, which is %s", sent, apptest.DeliveryOf(sh.Item(c.ID, item.ID)))
		}
		set("active")
		sh.Reply(c.ID, "sonra")
		sh.Settle()
		if sent := sh.Box.Sent(botID); len(sent) == 0 || sent[len(sent)-1].Text != "sonra" {
			t.Errorf("afterwards the bot sent %+v", sent)
		}
	})
}

// If a bot's account cannot be stored, its previous webhook is restored: none, or that of
// the workspace that has the bot.
func TestWebhookIsRestoredIfAccountIsNotStored(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		unknown := map[string]any{"mode": "webhook", "group_id": uuid.New()}
		sh.connect(unknown).Refused(422, "validation_failed")
		if at, _ := sh.Box.Webhook(botID); at != "" {
			t.Errorf("a bot that was not stored calls %s", at)
		}
		sh.connect(map[string]any{"mode": "webhook"}).Want(201).Data(&sh.Account)
		ours, key := sh.Box.Webhook(botID)
		other := sh.Server.Workspace("other").Owner
		body := map[string]any{"bot_token": token, "group_id": uuid.New()}
		for _, mode := range []string{"webhook", "polling"} {
			body["mode"] = mode
			other.Post(channels+"/connect/telegram", body).Refused(422, "validation_failed")
			if at, secret := sh.Box.Webhook(botID); at != ours || secret != key {
				t.Errorf("%s: after another workspace failed the bot calls %q, want %q", mode, at, ours)
			}
		}
		sh.connect(unknown).Refused(422, "validation_failed")
		sh.says("Merhaba")
		if sh.Only().Preview != "Merhaba" {
			t.Error("the bot is heard no more")
		}
	})
}
