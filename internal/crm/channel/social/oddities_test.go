package social_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"konak/internal/crm/channel/social"
	"konak/internal/crm/conversation"
)

// tells posts one event between a customer and the page.
func (sh *shop) tells(sender, recipient, what string) {
	sh.T.Helper()
	sh.post(appSecret, fmt.Sprintf(`{"object":"page","entry":[{"id":%q,"messaging":[{"sender":{"id":%q},"recipient":{"id":%q},%s}]}]}`,
		pageID, sender, recipient, what)).Want(200)
}

// Automatic events of the page are not a customer's, and invalid ones cost no message.
func TestAutomaticAndInvalidEventsOfPage(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		const customer = "24000000001"
		now := sh.Server.Clock.Now()
		in := func() conversation.Item { t.Helper(); return sh.Items(sh.Only().ID)[0] }

		sh.tells(pageID, customer, `"timestamp":1763197200000,"message_edit":{"mid":"m.0","text":"Düzeltme"}`)
		if list := sh.Inbox(); len(list) != 0 {
			t.Errorf("the page's own change began %d conversations", len(list))
		}

		sh.tells(customer, pageID, `"timestamp":9000000000000000,"message":{"mid":"m.1","text":"Yıllar sonra"}`)
		if at := in().SentAt; at == nil || !at.Equal(now.Truncate(time.Microsecond)) {
			t.Errorf("a message of the far future was written at %v", at)
		}
		sh.tells(customer, pageID, `"message":{"mid":"m.2","text":"Saatsiz"}`)
		if at := in().SentAt; at == nil || at.Year() != now.Year() {
			t.Errorf("a message without a time was written at %v", at)
		}
		sh.Reply(sh.Only().ID, "Buyurun") // its window is open

		sh.tells(customer, pageID, `"timestamp":1763197200000,"message":{"mid":"m.3","attachments":[{"type":"location","payload":{"title":"Depo","coordinates":{"lat":41.01,"long":29}}}]}`)
		if got := in().Body; got != "Depo\nhttps://maps.google.com/?q=41.01,29" {
			t.Errorf("a place is %q", got)
		}

		files := strings.TrimSuffix(strings.Repeat(`{"type":"image","payload":{"url":"https://example.com/a.png"}},`, 25), ",")
		sh.tells(customer, pageID, `"message":{"mid":"m.4","text":"Hepsi","attachments":[`+files+`]}`)
		if got := in(); got.Body != "Hepsi" || len(got.Attachments) != 20 {
			t.Errorf("a message with too many files is %q with %d", got.Body, len(got.Attachments))
		}

		sh.tells(pageID, customer, `"reaction":{"mid":"m.4","action":"react","reaction":"love"}`)
		if got := in(); len(got.Reactions) != 0 {
			t.Errorf("the page's own sign is %+v", got.Reactions)
		}
	})
}

// A page that is connected again keeps its name and permission, unless the caller says
// otherwise.
func TestPageConnectedAgainKeepsSettings(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.connect("messenger", map[string]any{"human_agent": true, "name": "Mağaza"}).Want(201).Data(&sh.Account)
		sh.connect("messenger", nil).Want(201)
		if a := sh.ReadAccount(sh.Account.ID); a.Name != "Mağaza" || !sh.settings().HumanAgent {
			t.Errorf("connected again it is %q, human agent %t", a.Name, sh.settings().HumanAgent)
		}
		sh.connect("messenger", map[string]any{"human_agent": false, "name": "Depo"}).Want(201)
		if a := sh.ReadAccount(sh.Account.ID); a.Name != "Depo" || sh.settings().HumanAgent {
			t.Errorf("changed it is %q, human agent %t", a.Name, sh.settings().HumanAgent)
		}
	})
}
