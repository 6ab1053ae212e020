package telegram_test

import (
	"testing"
	"time"

	"konak/internal/app"
	"konak/internal/crm/channel"
	sandbox "konak/internal/sandbox/telegram"
)

// Customers see that an agent is typing, from time to time and as long as messages would
// reach them. The result changes nothing else.
func TestTypingIsShown(t *testing.T) {
	runWith(t, func(cfg *app.Config) { cfg.LimitFactor = 1 }, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.Account)
		sh.says("Merhaba")
		at := conversations + "/" + sh.Only().ID.String() + "/typing"
		types := func(typing bool) int {
			t.Helper()
			sh.Owner.Post(at, map[string]any{"typing": typing}).Want(200)
			sh.Settle()
			return len(sh.Box.Actions(botID))
		}
		if n := types(true); n != 1 || sh.Box.Actions(botID)[0] != (sandbox.ChatAction{Chat: elif.ID, Action: "typing"}) {
			t.Fatalf("the customer was shown %+v", sh.Box.Actions(botID))
		}
		if n := types(true); n != 1 {
			t.Errorf("right afterwards they were shown it again: %d", n)
		}
		sh.Later(4 * time.Second)
		if n := types(false); n != 1 {
			t.Errorf("who stopped is shown as writing: %d", n)
		}
		if n := types(true); n != 2 {
			t.Errorf("four seconds later: %d", n)
		}
		// A provider that refuses is called once, and the account does not change.
		sh.Later(4 * time.Second)
		sh.Box.Fail("sendChatAction", 500, "Internal Server Error", 0)
		types(true)
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active || len(sh.Box.Actions(botID)) != 2 {
			t.Errorf("after a refusal the account is %+v, and %+v was shown", a, sh.Box.Actions(botID))
		}
		// A late job shows nothing.
		sh.Later(4 * time.Second)
		sh.Owner.Post(at, map[string]any{"typing": true}).Want(200)
		sh.Later(5 * time.Second)
		if n := len(sh.Box.Actions(botID)); n != 2 {
			t.Errorf("too late they were shown %d", n)
		}
		// A blocked customer is not shown anything.
		who := "/api/crm/v1/contacts/" + sh.Only().ContactID.String()
		sh.Owner.Post(who+"/block", nil).Want(200)
		if n := types(true); n != 2 {
			t.Errorf("to a blocked customer: %d", n)
		}
		sh.Owner.Post(who+"/unblock", nil).Want(200)
		sh.Later(4 * time.Second)
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		if n := types(true); n != 2 {
			t.Errorf("over a paused account: %d", n)
		}
	})
}

// Customers see that the assistant is typing for as long as its answer takes.
func TestAssistantTypingIsRenewed(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect(nil).Want(201).Data(&sh.Account)
		slow := sh.Owner.Post("/api/crm/v1/assistant/configurations", map[string]any{"name": "Yavaş", "delay_s": 12}).Want(201).ID()
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/ai", map[string]any{"enabled": true, "configuration_id": slow}).Want(200)
		sh.says("Merhaba")
		for n := 1; n <= 3; n++ {
			if got := len(sh.Box.Actions(botID)); got != n {
				t.Errorf("after %d seconds they were shown it %d times", 5*(n-1), got)
			}
			sh.Later(5 * time.Second)
			sh.Settle()
		}
		if got := sh.Items(sh.Only().ID)[0].AuthorKind; got != "bot" || len(sh.Box.Actions(botID)) != 3 {
			t.Errorf("after the delay %s wrote last, and %d signs were shown", got, len(sh.Box.Actions(botID)))
		}
	})
}
