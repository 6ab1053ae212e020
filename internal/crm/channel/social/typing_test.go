package social_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/crm/channel/social"
	sandbox "konak/internal/sandbox/social"
)

// Customers on Messenger see that an agent writes to them while the window is open;
// Instagram does not declare it, and is not asked.
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
