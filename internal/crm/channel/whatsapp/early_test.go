package whatsapp_test

import (
	"testing"
	"time"

	wire "konak/internal/provider/whatsapp"
)

// A reaction that comes before its message waits for it; the last one is used, and after a
// day it is dropped.
func TestReactionBeforeItsMessage(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		sh.says("Merhaba")
		c := sh.Only()
		reacts := func(to, emoji string) {
			t.Helper()
			if _, err := sh.Box.Write(numberID, elif, wire.Incoming{Type: "reaction", Reaction: &wire.Reaction{MessageID: to, Emoji: emoji}}); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
		}
		comes := func(id string) []string {
			t.Helper()
			if _, err := sh.Box.Write(numberID, elif, wire.Incoming{ID: id, Text: &wire.Text{Body: id}}); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
			item := sh.Items(c.ID)[0]
			if item.Body != id {
				t.Fatalf("the newest message is %+v", item)
			}
			signs := []string{}
			for _, r := range item.Reactions {
				signs = append(signs, r.Emoji)
			}
			return signs
		}
		reacts("wamid.liked", "👍")
		reacts("wamid.liked", "❤️")
		reacts("wamid.unliked", "👍")
		reacts("wamid.unliked", "")
		reacts("wamid.late", "👍")
		if n := len(sh.Items(c.ID)); n != 1 {
			t.Errorf("reactions to nothing made %d items", n)
		}
		if got := comes("wamid.liked"); len(got) != 1 || got[0] != "❤️" {
			t.Errorf("the reactions are %v", got)
		}
		if got := comes("wamid.unliked"); len(got) != 0 {
			t.Errorf("a reaction that was taken away: %v", got)
		}
		sh.Later(25 * time.Hour)
		sh.Settle()
		if got := comes("wamid.late"); len(got) != 0 {
			t.Errorf("a reaction of long ago: %v", got)
		}
	})
}
