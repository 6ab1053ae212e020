package telegram_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"konak/internal/crm/channel/telegram"
	wire "konak/internal/provider/telegram"
)

// If a bot is paused or disconnected while the provider is polled, nothing of the answer is
// taken. Updates from a pause come once, afterwards.
func TestBotPausedOrDisconnectedDuringPoll(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(map[string]any{"mode": "polling"}).Want(201).Data(&sh.Account)
		at := channels + "/" + sh.Account.ID.String()
		// asks starts a poll, and lets something happen before the provider answers.
		asks := func(meanwhile func()) {
			t.Helper()
			var once sync.Once
			before := func(r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/getUpdates") {
					once.Do(meanwhile)
				}
			}
			sh.Before.Store(&before)
			sh.Later(time.Second)
			sh.Settle()
			sh.Before.Store(nil)
		}
		var first int64
		asks(func() {
			sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
			first = sh.Box.Say(botID, elif, "bekleyen")
		})
		if n := len(sh.Inbox()); n != 0 {
			t.Fatalf("a paused bot took %d conversations", n)
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		asks(func() {})
		if got := sh.Items(sh.Only().ID); len(got) != 1 || got[0].Body != "bekleyen" {
			t.Fatalf("after the pause: %+v", got)
		}
		// A change of a message waits like a message.
		asks(func() {
			sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
			sh.Box.Edit(botID, elif, wire.Message{MessageID: first, Text: "değişen"})
		})
		if got := sh.Items(sh.Only().ID); got[0].Body != "bekleyen" {
			t.Errorf("a paused bot took that a message says %q", got[0].Body)
		}
		sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
		asks(func() {})
		if got := sh.Items(sh.Only().ID); len(got) != 1 || got[0].Body != "değişen" {
			t.Errorf("after the second pause: %+v", got)
		}
		// So does a person who opens a link, and then adds the bot.
		var link telegram.Started
		sh.Owner.Post(channels+"/chatbot/business/start", map[string]any{}).Want(200).Data(&link)
		for _, step := range []func(){
			func() { sh.Box.Say(botID, owner, "/start "+link.Link.State) },
			func() { sh.Box.Connect(botID, "conn1", owner, true, true) },
		} {
			asks(func() {
				sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "paused"}).Want(200)
				step()
			})
			if sent, n := sh.Box.Sent(botID), len(sh.accounts()); len(sent) != 0 || n != 1 {
				t.Errorf("a paused bot sent %+v and works in %d accounts", sent, n-1)
			}
			sh.Owner.Do("PATCH", at+"/status", map[string]any{"status": "active"}).Want(200)
			asks(func() {})
			sh.Box.Sent(botID)
		}
		if n := len(sh.accounts()); n != 2 {
			t.Errorf("after the pauses there are %d accounts", n)
		}
		asks(func() {
			sh.Owner.Do("DELETE", at, nil).Want(200)
			sh.Box.Say(botID, elif, "son")
		})
		if got := sh.Items(sh.Only().ID); len(got) != 1 {
			t.Errorf("a bot that was disconnected took %q", got[0].Body)
		}
	})
}

// A provider without updates for a week restarts its numbering, maybe below the last
// number.
func TestUpdateNumberingRestarts(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(map[string]any{"mode": "polling"}).Want(201).Data(&sh.Account)
		asks := func() {
			t.Helper()
			sh.Later(time.Second)
			sh.Settle()
		}
		sh.Box.Say(botID, elif, "bir")
		asks()
		asks()
		sh.Box.CountAnew()
		sh.Box.Say(botID, elif, "iki")
		asks()
		if got := sh.Items(sh.Only().ID); len(got) != 2 || got[0].Body != "iki" {
			t.Errorf("taken were %+v", got)
		}
	})
}
