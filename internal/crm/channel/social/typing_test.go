package social_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/crm/channel/social"
	sandbox "konak/internal/sandbox/social"
)

// Customers on Messenger see that an agent is typing while the window is open; Instagram
// does not declare it, and is not called.
func TestTypingIsShown(t *testing.T) {
	for kind, who := range map[string]sandbox.Person{social.Messenger: elif, social.Instagram: ayse} {
		t.Run(kind, func(t *testing.T) {
			connected(t, kind, func(t *testing.T, sh *shop) {
				sh.says(who, "Merhaba")
				at := conversations + "/" + sh.Only().ID.String() + "/typing"
				sh.Owner.Post(at, map[string]any{"typing": true}).Want(200)
				sh.Settle()
				var want []string
				if kind == social.Messenger {
					want = []string{who.ID}
				}
				if got := sh.Box.Typing(pageID); !slices.Equal(got, want) {
					t.Errorf("shown to %v, not %v", got, want)
				}
				sh.Later(24 * time.Hour)
				sh.Owner.Post(at, map[string]any{"typing": true}).Want(200)
				sh.Settle()
				if got := sh.Box.Typing(pageID); !slices.Equal(got, want) {
					t.Errorf("after the window: shown to %v", got)
				}
			})
		})
	}
}

// While the assistant prepares an answer, the typing sign is renewed, because Messenger
// shows it only for a while.
func TestAssistantTypingIsRenewed(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		slow := sh.Owner.Post("/api/crm/v1/assistant/configurations", map[string]any{"name": "Yavaş", "delay_s": 12}).Want(201).ID()
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/ai", map[string]any{"enabled": true, "configuration_id": slow}).Want(200)
		sh.says(elif, "Merhaba")
		for n := 1; n <= 3; n++ {
			if got := sh.Box.Typing(pageID); len(got) != n || got[n-1] != elif.ID {
				t.Errorf("after %d seconds it was shown to %v", 5*(n-1), got)
			}
			sh.Later(5 * time.Second)
			sh.Settle()
		}
		if got := sh.Items(sh.Only().ID)[0].AuthorKind; got != "bot" || len(sh.Box.Typing(pageID)) != 3 {
			t.Errorf("after the delay %s wrote last, and %d signs were shown", got, len(sh.Box.Typing(pageID)))
		}
	})
}
